// A deployment and the way back: an older build reads what a newer build wrote, if only members were added.
// Both builds run on one state, one after the other, with SIGKILL between.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { type Authority, ageOf, makeAuthority, makePerson, type Person } from '../support/people/person.ts'
import { copyProject, type ProjectCopy } from '../support/service/project-copy.ts'
import { type Receiver, startReceiver } from '../support/service/receiver.ts'
import {
  expectStatus,
  OVER_18,
  type OwnService,
  type RelyingParty,
  type Service,
  startService,
} from '../support/service/service.ts'
import { previousBundle } from './crash/faults.ts'

const PREVIOUS = join(import.meta.dirname, '../previous')

/** The next version of both documents, which adds a member to each. */
const ADDED = 'added_by_the_next_version'
const addition = (version: number) =>
  `additions: { ${version}: (stored: object) => ({ ${ADDED}: true, ...stored }) },`
const NEXT = [
  {
    path: 'src/session/document/document.ts',
    replaced: '  current: SCHEMA,\n  steps: {},\n  additions: {},',
    by: `  current: 7,\n  steps: {},\n  ${addition(6)}`,
    appended: '',
  },
  {
    path: 'src/relying-party/document/document.ts',
    replaced: '  current: SCHEMA_VERSION,\n  steps: {},\n  additions: {},',
    by: `  current: 9,\n  steps: {},\n  ${addition(8)}`,
    appended: '',
  },
  ...['src/session/request/creation.ts', 'src/relying-party/document/document.ts'].map((path) => ({
    path,
    replaced: '...CURRENT_VERSION,',
    by: `...CURRENT_VERSION, ${ADDED}: true,`,
    appended: '',
  })),
]

const copies: ProjectCopy[] = []
afterAll(() => {
  for (const copy of copies) copy.remove()
})

it('the file of the previous build matches its checksum', () => {
  const [digest, name = ''] = readFileSync(join(PREVIOUS, 'SHA256SUMS'), 'utf8').trim().split(/\s+/)
  expect(
    createHash('sha256')
      .update(readFileSync(join(PREVIOUS, name)))
      .digest('hex'),
  ).toBe(digest)
})

describe.each([
  ['this build and a build of the next version', {}, () => [copyProject(NEXT), copyProject()] as const],
  [
    // The previous build gives each session its own object, and refuses sessions that share objects.
    'this build and the previous build',
    { SESSION_OBJECTS: '0' },
    () => [copyProject(), copyProject([], previousBundle())] as const,
  ],
])('%s', (title, variables, makeCopies) => {
  it('can each continue with the sessions, webhooks, settings and event log that the other build stored', async () => {
    const [newer, older] = makeCopies()
    copies.push(newer, older)
    const stage = await begin(newer, variables)
    const { service, receiver } = stage
    try {
      const written = await writeState(stage)
      await service.server.kill9()
      await service.server.restart({}, { launcher: older.launcher })
      const more = await continueState(stage, written)
      if (title.includes('next')) {
        // Stored by the older build, which changed both.
        expect(storedBy(service, 'document', stage.rp.relying_party_id)).toContain(ADDED)
        expect(storedBy(service, 'session', written.fetched.verification_id)).toContain(ADDED)
      }
      await service.server.kill9()
      await service.server.restart({}, { launcher: newer.launcher })
      await checkState(stage, written, more)
      if ('SESSION_OBJECTS' in variables) await shareObjects(stage, newer, more)
    } finally {
      await receiver.close()
      await service.stop()
    }
  })
})

type Stage = {
  readonly service: OwnService
  readonly receiver: Receiver
  readonly authority: Authority
  readonly person: Person
  readonly rp: RelyingParty
}

async function begin({ launcher }: ProjectCopy, variables: Record<string, string>): Promise<Stage> {
  const receiver = await startReceiver()
  const authority = await makeAuthority()
  const service = await startService(variables, { launcher, isChecked: false })
  const rp = await service.relyingParty({
    webhook: { url: receiver.url },
    trust_anchors: [authority.anchor()],
  })
  return { service, receiver, authority, person: await makePerson(authority), rp }
}

/** Writes a fetched session, a session without a request, and one whose event waits. */
async function writeState({ service, receiver, rp }: Stage) {
  const fetched = await rp.create()
  const request = await service.wallet.receive(fetched.wallet_request.uri)
  const untouched = await rp.create()
  const deleted = await rp.create()
  const erased = await rp.create(OVER_18, { 'idempotency-key': 'erased' })
  expect((await rp.call('DELETE', `/v1/verify/${erased.verification_id}`)).status).toBe(204)
  await rename(service, rp, 'Newer')
  receiver.answer({ status: 500 })
  const waiting = await rp.create()
  await rp.call('POST', `/v1/verify/${waiting.verification_id}/cancel`)
  await receiver.received(receiver.requests.length + 1)
  receiver.answer({ status: 204 })
  await expect.poll(async () => (await listedBy(rp)).has(deleted.verification_id)).toBe(true)
  return { fetched, request, untouched, deleted, waiting, sent: receiver.requests.length }
}

/** Reads and changes all of it, and creates more. */
async function continueState(
  { service, receiver, rp, person }: Stage,
  { fetched, request, untouched, deleted, waiting, sent }: Awaited<ReturnType<typeof writeState>>,
) {
  expect((await rp.poll(fetched.verification_id)).status).toBe('pending')
  const answer = await service.wallet.present(request, await ageOf(person, request))
  expect(answer.status).toBe(200)
  expect((await rp.poll(fetched.verification_id)).status).toBe('verified')
  expect((await rp.poll(untouched.verification_id)).status).toBe('pending')
  const again = await rp.call('POST', '/v1/verify', {
    body: OVER_18,
    headers: { 'idempotency-key': 'erased' },
  })
  expect(again.status).toBe(410)
  expect((await rp.call('DELETE', `/v1/verify/${deleted.verification_id}`)).status).toBe(204)
  await rename(service, rp, 'Older')
  const [created, kept] = [await rp.create(), await rp.create()]
  await expect.poll(() => idsSent(receiver, sent)).toContain(waiting.verification_id)
  return { created, kept }
}

async function checkState(
  { service, rp, person }: Stage,
  { fetched, untouched, deleted, waiting }: Awaited<ReturnType<typeof writeState>>,
  { created }: Awaited<ReturnType<typeof continueState>>,
) {
  // The list of this build is corrected, also if the older build has no list.
  await expect.poll(async () => (await listedBy(rp)).get(fetched.verification_id)).toBe('verified')
  await expect.poll(async () => (await listedBy(rp)).has(deleted.verification_id)).toBe(false)
  expect((await rp.poll(fetched.verification_id)).status).toBe('verified')
  for (const session of [untouched, created]) {
    const request = await service.wallet.receive(session.wallet_request.uri)
    expect((await service.wallet.present(request, await ageOf(person, request))).status).toBe(200)
  }
  const idsInLog = async () => {
    const { events } = (await expectStatus(await rp.call('GET', '/v1/events'), 200)) as {
      events: readonly { verification_id: string }[]
    }
    return events.map(({ verification_id }) => verification_id).sort()
  }
  // A session sends its event to the log after its response, and again after a kill.
  await expect
    .poll(idsInLog)
    .toEqual([waiting, fetched, untouched, created].map(({ verification_id }) => verification_id).sort())
  const settings = await expectStatus(await service.admin('GET', `/${rp.relying_party_id}`), 200)
  expect(settings).toMatchObject({ name: 'Older' })
  await rename(service, rp, 'Newer again')
}

/**
 * Starts the build with the number of shared objects that is the default. A session of the previous build
 * keeps its object and is verified, and a new session shares an object.
 */
async function shareObjects(
  { service, rp, person }: Stage,
  { launcher }: ProjectCopy,
  { kept }: Awaited<ReturnType<typeof continueState>>,
) {
  await service.server.kill9()
  await service.server.restart({ SESSION_OBJECTS: '64' }, { launcher })
  const added = await rp.create()
  expect(storedBy(service, 'session', kept.verification_id)).not.toMatch(/^\0/)
  expect(storedBy(service, 'session', added.verification_id)).toMatch(/^\0{500}/)
  for (const session of [kept, added]) {
    const request = await service.wallet.receive(session.wallet_request.uri)
    expect((await service.wallet.present(request, await ageOf(person, request))).status).toBe(200)
    expect((await rp.poll(session.verification_id)).status).toBe('verified')
  }
}

/** Returns the status of each verification in the list. */
async function listedBy(rp: RelyingParty): Promise<ReadonlyMap<string, string>> {
  const page = (await expectStatus(await rp.call('GET', '/v1/verify'), 200)) as {
    verifications: readonly { verification_id: string; status: string }[]
  }
  return new Map(page.verifications.map(({ verification_id, status }) => [verification_id, status]))
}

async function rename(service: Service, rp: RelyingParty, name: string): Promise<void> {
  await expectStatus(await service.admin('PATCH', `/${rp.relying_party_id}`, { name }), 200)
}

function idsSent(receiver: Receiver, from: number): readonly string[] {
  return receiver.requests.slice(from).map(({ body }) => JSON.parse(body.toString()).verification_id)
}

/** Returns the serialized document that has this id. Sessions that share an object are rows of `slots`. */
function storedBy({ server }: Service, key: 'document' | 'session', id: string): string {
  const objects = join(server.stateDir, 'objects')
  for (const path of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
    if (!/[0-9a-f]{64}\.sqlite$/.test(path)) continue
    const database = new DatabaseSync(join(objects, path), { readOnly: true })
    const has = (table: string) =>
      database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) !== undefined
    const stored = [
      ...(has('_cf_KV') ? database.prepare('SELECT value FROM _cf_KV WHERE key = ?').all(key) : []),
      ...(key === 'session' && has('slots') ? database.prepare('SELECT data AS value FROM slots').all() : []),
    ]
    database.close()
    const texts = stored.map(({ value }) => Buffer.from(value as Uint8Array).toString('latin1'))
    const found = texts.find((text) => text.includes(id))
    if (found !== undefined) return found
  }
  throw new Error(`no object has ${id}`)
}
