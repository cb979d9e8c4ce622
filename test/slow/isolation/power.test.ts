// Loss of power, approximated: the order of `fsync` and response, and copies of the state at random moments.
// A copy has what the kernel has at that moment, as after SIGKILL. The order shows that the disk has it, too.

import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { seededRandom } from '../../formats/sd-jwt-vc/random.ts'
import { makeAuthority } from '../../support/people/person.ts'
import { type CreatedRelyingParty, type Server, startServer } from '../../support/service/server.ts'
import { BASE_URL, OVER_18 } from '../../support/service/service.ts'
import { WAIT } from '../../support/wait.ts'
import {
  formPost,
  type LeanWallet,
  leanSettings,
  makeLeanWallet,
  readRequestObject,
} from '../../support/wallets/lean-wallet.ts'
import { authorized, drive, type FinishedSession, persistentCaller, planOf } from '../crash/load.ts'
import { SHOP } from '../crash/ways.ts'
import { startTrace } from './trace.ts'

const SESSIONS = 120
const COPIES = 4
const CALLERS = 8

let server: Server
let wallet: LeanWallet
let rp: CreatedRelyingParty
const directory = mkdtempSync(join(tmpdir(), 'verifier-power-'))
beforeAll(async () => {
  const authority = await makeAuthority()
  wallet = await makeLeanWallet(authority)
  server = await startServer({ env: { BASE_URL } })
  rp = await server.createRelyingParty({ ...leanSettings(authority), origins: [SHOP] })
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

const { ask } = persistentCaller('', async () => undefined)
const askServer: typeof ask = (path, init) => ask(server.origin + path, init)

it('a copy of the state directory has every outcome that was acknowledged before the copy began', async () => {
  const random = seededRandom(17)
  const finished: FinishedSession[] = []
  const plan = planOf(SESSIONS, 0).entries()
  const load = Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const [number, end] of plan) {
        finished.push(await drive(number, end, { ask: askServer, wallet, apiKey: rp.api_key }))
      }
    }),
  )
  const copies: { readonly path: string; readonly acknowledged: readonly FinishedSession[] }[] = []
  for (let i = 1; i <= COPIES; i++) {
    const target = Math.floor((SESSIONS * i) / (COPIES + 1))
    await vi.waitFor(() => expect(finished.length).toBeGreaterThanOrEqual(target), {
      ...WAIT,
      interval: 2,
    })
    await sleep(random.below(50))
    copies.push(copyState(join(directory, String(i)), finished))
  }
  await load
  for (const { path, acknowledged } of copies) {
    const copy = await startServer({ env: { BASE_URL, STATE_DIR: path } })
    const found = await Promise.all(
      acknowledged.map(async ({ verificationId }) => {
        const { text } = await ask(`${copy.origin}/v1/verify/${verificationId}`, authorized(rp.api_key))
        return [verificationId, JSON.parse(text).status]
      }),
    )
    await copy.stop()
    expect(found).toEqual(acknowledged.map(({ verificationId, end }) => [verificationId, end]))
  }
})

it('the outcome is on disk before the wallet gets its response, if strace may trace', async ({ skip }) => {
  const create = async () => {
    const { text } = await askServer('/v1/verify', {
      ...authorized(rp.api_key, 'POST'),
      headers: { ...authorized(rp.api_key).headers, 'content-type': 'application/json' },
      body: JSON.stringify(OVER_18),
    })
    return JSON.parse(text)
  }
  // The list has it, so the objects of the relying party exist.
  const first = await create()
  await vi.waitFor(async () => {
    const { text } = await askServer('/v1/verify', authorized(rp.api_key))
    expect(text).toContain(first.verification_id)
  }, WAIT)
  const databases = databasesOf(server)
  const { verification_id, wallet_request } = await create()
  const [own = '', ...others] = databasesOf(server).filter((path) => !databases.includes(path))
  expect(others).toEqual([])
  const { text: jws } = await askServer(new URL(wallet_request.request_uri).pathname)
  const trace = await startTrace(server.pid(), join(directory, 'calls'))
  if (trace === undefined) return skip('strace cannot attach')
  const sent = await askServer(
    `/v1/verify/${verification_id}/callback`,
    formPost(wallet.answer(readRequestObject(jws))),
  )
  expect(sent.status).toBe(200)
  const calls = await trace.end()
  expect(isOnDiskFirst(calls, own)).toBe(true)
  const withoutSyncs = calls.filter((call) => !isSyncOf(call, own))
  expect(isOnDiskFirst(withoutSyncs, own)).toBe(false)
})

/** Returns the paths of the objects' databases, below the state. */
function databasesOf({ stateDir }: Server): readonly string[] {
  return readdirSync(stateDir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\/[0-9a-f]{64}\.sqlite$/.test(path),
  )
}

/** Tests that the last write to a database before the first response 200 is on the disk when it leaves. */
function isOnDiskFirst(calls: readonly string[], database: string): boolean {
  const response = calls.findIndex((call) => call.includes('HTTP/1.1 200 OK'))
  const before = calls.slice(0, Math.max(0, response))
  const write = before.findLastIndex(
    (call) => call.startsWith('pwrite64(') && call.includes(`${database}-wal>`),
  )
  return write >= 0 && before.slice(write).some((call) => isSyncOf(call, database))
}

function isSyncOf(call: string, database: string): boolean {
  return /^f(data)?sync\(/.test(call) && call.includes(`${database}-wal>`)
}

/** Copies the state while workerd is stopped, so that all files are of one moment. */
function copyState(path: string, finished: readonly FinishedSession[]) {
  const acknowledged = [...finished]
  const pid = server.pid()
  process.kill(pid, 'SIGSTOP')
  try {
    cpSync(server.stateDir, path, { recursive: true, filter: (source) => !source.endsWith('.sock') })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  return { path, acknowledged }
}
