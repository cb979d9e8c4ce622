// The files of a service after the deletion of a relying party (api/evidence). The search reads raw bytes,
// not the service. No sealed byte of the evidence is in any file.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeAuthority, makePerson } from '../../support/people/person.ts'
import { readFilesBelow } from '../../support/reading/live-files.ts'
import { callEvidence, fetchEvidence, type Keeper, newKeeper } from '../../support/service/evidence.ts'
import { startReceiver } from '../../support/service/receiver.ts'
import { startService } from '../../support/service/service.ts'
import { finish, type OwnStage, relyingPartyOf } from '../../support/service/stage.ts'
import { WAIT } from '../../support/wait.ts'

const KEPT = { evidence: true, credential_types: ['age_attestation'], scope: ['age_over_18'] }
/** Sessions of each relying party: enough for SQLite to move rows. */
const SESSIONS = 12
/** Characters of the ciphertext that are searched, and their distance. */
const PIECE = 32
const STEP = 500

const stage = {} as OwnStage
afterEach(async () => {
  await stage.receiver?.close()
  await stage.service?.stop()
})

describe.each([
  ['sessions that share objects', {}],
  ['sessions with objects of their own', { SESSION_OBJECTS: '0' }],
])('%s', (_, env) => {
  it('leave no sealed byte in any file after the deletion of their relying party', async () => {
    const authority = await makeAuthority()
    const [service, receiver] = [await startService(env), await startReceiver()]
    Object.assign(stage, { service, receiver, authority, person: await makePerson(authority) })
    const keeperOf = () => newKeeper(service, (settings) => relyingPartyOf(stage, settings))
    const [deleted, other] = [await keeperOf(), await keeperOf()]
    const sealed: Record<string, string> = {}
    const kept: Record<string, string> = {}
    const ids: string[] = []
    for (let i = 0; i < SESSIONS; i++) {
      ids.push(await addPieces(deleted, sealed))
      await addPieces(other, kept)
    }
    const { stateDir } = service.server
    const found = () => piecesIn(stateDir, sealed)
    // SQLite cuts a piece at the end of a page.
    expect(found().length, 'the search finds what is there').toBeGreaterThan(Object.keys(sealed).length * 0.9)
    expect((await service.admin('DELETE', `/${deleted.rp.relying_party_id}`)).status).toBe(204)
    // A write-ahead log stays until its object is put away.
    await vi.waitFor(() => expect(found()).toEqual([]), { ...WAIT, interval: 1_000 })
    for (const id of ids) expect((await callEvidence(deleted, id)).status).toBe(401)
    expect(piecesIn(stateDir, kept).length).toBeGreaterThan(Object.keys(kept).length * 0.9)
  })
})

/** Ends a session with evidence. Adds pieces of its ciphertext, and returns its id. */
async function addPieces(keeper: Keeper, pieces: Record<string, string>): Promise<string> {
  const { session } = await finish(stage, {}, KEPT, keeper.rp)
  const id = session.verification_id
  const { sealed } = (await fetchEvidence(keeper, id)).envelope
  for (let at = 0; at + PIECE < sealed.ciphertext.length; at += STEP)
    pieces[`${id} at ${at}`] = sealed.ciphertext.slice(at, at + PIECE)
  return id
}

/** Returns the names of the pieces that a file below a directory has. */
function piecesIn(directory: string, pieces: Readonly<Record<string, string>>): readonly string[] {
  const files = [...readFilesBelow(directory)].map(([, content]) => content)
  const isFound = (name: string) => files.some((content) => content.includes(pieces[name] ?? ''))
  return Object.keys(pieces).filter(isFound)
}
