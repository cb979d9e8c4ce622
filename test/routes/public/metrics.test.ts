import { env, withEnv } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import type { SessionNote } from '../../../src/relying-party/session-counts.ts'
import { createApp } from '../../../src/routes/app.ts'
import { addNote, storeNotes } from '../../../src/session/store/session-notes.ts'
import { WAIT } from '../../support/wait.ts'
import { bindingsWith } from '../../workerd/one-process.ts'
import { ADMIN } from '../edge/edge-app.ts'

/** The status of `/metrics` for a request with this `cf`. */
async function statusFor(cf: IncomingRequestCfProperties | Record<string, string>): Promise<number> {
  const request = new Request('https://verifier.example/metrics', { headers: ADMIN, cf })
  return (await createApp().request(request, undefined, env)).status
}

// The first test: the calls of other tests store notes afterwards, too.
it.each([
  ['fails', fail],
  ['does not end', () => new Promise<never>(() => undefined)],
])(
  '/metrics counts a session whose note is not stored yet, even if the write of notes %s',
  async (_, noteSessions) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const counts = env.DIRECTORY.getByName(crypto.randomUUID())
    const object = {
      sessionCounts: (now: number, newer: readonly SessionNote[]) => counts.sessionCounts(now, newer),
      noteSessions: vi.fn(noteSessions),
    }
    const waiting = { livemode: true, pending_until: Date.now() + 60_000, queued_events: 0, dead_events: 0 }
    withEnv(bindingsWith({}), () => addNote({ verification_id: 'v_noted', ...waiting }))
    const text = await metricsWith((name) =>
      name === 'session_counts' ? object : env.DIRECTORY.getByName(name),
    )
    expect(text).toMatch(/^wallet_verifier_sessions_pending\{mode="live"\} 1$/m)
    await vi.waitFor(() => expect(object.noteSessions).toHaveBeenCalledTimes(1), WAIT)
    await storeNotes(env)
  },
)

it('/metrics exists in a single process, but not on Cloudflare, where it would count only one isolate', async () => {
  expect(await statusFor({ clientIp: '192.0.2.1:1234' })).toBe(200)
  expect(await statusFor({ colo: 'AMS' })).toBe(404)
})

/** The object that counts sessions, and the directory. The others check storage. */
const SOURCES = {
  session_counts: /^wallet_verifier_sessions_pending\{/m,
  directory: /^wallet_verifier_certificates_expired /m,
}

it.each(Object.keys(SOURCES))(
  '/metrics has all samples except those of %s, if that source cannot be read',
  async (broken) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const text = await metricsWithout([broken])
    for (const [name, sample] of Object.entries(SOURCES)) {
      if (name === broken) expect(text).not.toMatch(sample)
      else expect(text).toMatch(sample)
    }
    expect(text).toMatch(/^wallet_verifier_storage_writable 1$/m)
    expect(text).toMatch(/^wallet_verifier_ready 1$/m)
    expect(text).toMatch(/^wallet_verifier_build_info\{/m)
  },
)

it('/metrics shows that storage cannot be written if no object can be reached', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  const text = await metricsWithout(['session_counts', 'directory', 'storage_check'])
  expect(text).toMatch(/^wallet_verifier_storage_writable 0$/m)
  expect(text).toMatch(/^wallet_verifier_ready 0$/m)
  expect(text).toMatch(/^wallet_verifier_warning\{code="storage_not_writable"\} 1$/m)
  expect(text).toMatch(/^wallet_verifier_warning\{code="directory_unavailable"\} 1$/m)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Returns the metrics while the objects with these names fail. */
async function metricsWithout(names: readonly string[]): Promise<string> {
  const broken = {
    trustLists: fail,
    certificateDates: fail,
    sessionCounts: fail,
    noteSessions: fail,
    checkStorage: fail,
  }
  const isBroken = (name: string) => names.some((start) => name.startsWith(start))
  return metricsWith((name) => (isBroken(name) ? broken : env.DIRECTORY.getByName(name)))
}

/** Returns the metrics of a service with these objects. */
async function metricsWith(getByName: (name: string) => object): Promise<string> {
  const request = new Request('https://verifier.example/metrics', {
    headers: { ...ADMIN, accept: 'text/plain' },
  })
  const response = await createApp().request(request, undefined, { ...env, DIRECTORY: { getByName } })
  expect(response.status).toBe(200)
  return response.text()
}

function fail(): Promise<never> {
  return Promise.reject(new Error('internal error; reference = abc'))
}
