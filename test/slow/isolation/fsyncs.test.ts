// Number of `fsync`s of one verification. One thread of workerd waits for each, so their number limits the
// service on a disk. docs/decisions/speed.md says what each is for.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeAuthority } from '../../support/people/person.ts'
import { type Server, startServer } from '../../support/service/server.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { WAIT } from '../../support/wait.ts'
import { leanSettings, makeLeanWallet } from '../../support/wallets/lean-wallet.ts'
import { authorized, persistentCaller } from '../crash/load.ts'
import { expectStatus, present } from '../crash/ways.ts'
import { startTrace } from './trace.ts'

/**
 * Most calls without a webhook, by form of the sessions. The relying party has no other verification within
 * ten seconds.
 */
const MOST = [
  ['own objects', 'without a list', 19],
  ['own objects', 'with a list', 20],
  ['shared objects', 'without a list', 19],
  ['shared objects', 'with a list', 20],
] as const
const FORMS = { 'own objects': { SESSION_OBJECTS: '0' }, 'shared objects': {} } as const
/** Time of a person. What is stored within a second is stored before the response. */
const PERSON_MS = 2_500

type Form = keyof typeof FORMS

const servers = new Map<Form, Server>()
const verify = new Map<string, () => Promise<void>>()
const directory = mkdtempSync(join(tmpdir(), 'verifier-fsyncs-'))
beforeAll(async () => {
  const authority = await makeAuthority()
  const wallet = await makeLeanWallet(authority)
  for (const [form, variables] of Object.entries(FORMS))
    servers.set(form as Form, await startServer({ env: { BASE_URL, ...variables } }))
  for (const [form, kind] of MOST) {
    const server = serverOf(form)
    const { ask } = persistentCaller(server.origin, async () => undefined)
    const settings = { ...leanSettings(authority), index: kind === 'with a list' }
    const { api_key: apiKey } = await server.createRelyingParty(settings)
    const { headers } = authorized(apiKey)
    const creation = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(OVER_18),
    }
    verify.set(form + kind, async () => {
      const session = JSON.parse(expectStatus(201, await ask('/v1/verify', creation)))
      await present('qr', 'adult', { ask, wallet, apiKey, session }, () => sleep(PERSON_MS))
    })
  }
})
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()))
  rmSync(directory, { recursive: true, force: true })
})

it.for(MOST)(
  'with %s, a verification %s of verifications costs at most %i fsyncs, if strace may trace',
  async ([form, kind, most], { skip }) => {
    await verify.get(form + kind)?.() // makes the databases of the relying party
    let syncs = await syncsOfOne(form, kind)
    if (syncs === undefined) return skip('strace cannot attach')
    expect(syncs.length).toBeGreaterThan(5)
    // On a slow machine an object may be put away in the middle and opened again. Then another one counts.
    for (let more = 2; more > 0 && syncs.length > most; more--) syncs = (await syncsOfOne(form, kind)) ?? []
    expect(syncs.length, syncs.join('\n')).toBeLessThanOrEqual(most)
  },
)

function serverOf(form: Form): Server {
  const server = servers.get(form)
  if (server === undefined) throw new Error(`no service with ${form}`)
  return server
}

/** Returns the calls of `fsync` of one verification, until its objects are put away. */
async function syncsOfOne(form: Form, kind: string): Promise<readonly string[] | undefined> {
  const server = serverOf(form)
  await objectsPutAway(server)
  const trace = await startTrace(server.pid(), join(directory, 'calls'))
  if (trace === undefined) return undefined
  await verify.get(form + kind)?.()
  await objectsPutAway(server)
  return (await trace.end()).filter((call) => /^f(data)?sync\(/.test(call))
}

/** Waits until every object is put away: its write-ahead log is removed then. */
async function objectsPutAway(server: Server): Promise<void> {
  const open = () =>
    readdirSync(join(server.stateDir, 'objects'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /[0-9a-f]{64}\.sqlite-wal$/.test(name),
    )
  await vi.waitFor(() => expect(open()).toEqual([]), { ...WAIT, interval: 250 })
}
