import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Directory, isStorageWritable } from '../../../src/relying-party/directory.ts'
import { noteRefusal } from '../../../src/session/store/refusals-by-time.ts'
import { type IssuerPki, mintIssuerPki } from '../../support/certificates/certificates.ts'
import { ADMIN, call, createRelyingParty, edgeApp, json } from '../edge/edge-app.ts'

// `/readyz` about relying parties. The service's own certificate is in well-known.test.ts, trust lists are in
// test/conformance/response/trust-lists.test.ts.

const app = edgeApp()
const LIST = '/v1/admin/relying_parties'
/** The leaf outlives its authority: the first certificate of the chain to expire counts. */
const EXPIRES_AT = '2030-06-30T00:00:00.000Z'
let pki: IssuerPki
let renewed: IssuerPki

beforeAll(async () => {
  const before = { notBefore: new Date('2026-01-01T00:00:00Z') }
  ;[pki, renewed] = await Promise.all([
    mintIssuerPki({ intermediate: { ...before, notAfter: new Date(EXPIRES_AT) }, leaf: before }),
    mintIssuerPki(),
  ])
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function verifierOf({ leaf, intermediate }: IssuerPki) {
  const { kty, crv, x, y, d } = leaf.privateJwk
  return { signing_jwk: { kty, crv, x, y, d }, certificate_chain_pem: leaf.pem + intermediate.pem }
}

async function warningsOn(day: string) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(day) })
  const response = await call(app, 'GET', '/readyz')
  vi.useRealTimers()
  expect(response.status).toBe(200)
  return (await json(response)).warnings
}

it('/readyz warns with the number of relying parties whose certificate expires, but never with their ids', async () => {
  const first = await createRelyingParty({ verifier: verifierOf(pki) })
  const second = await createRelyingParty()
  expect(await warningsOn('2030-06-01')).toMatchObject([{ relying_parties: 1 }])
  const id = second.relying_party_id
  await call(app, 'PATCH', `${LIST}/${id}`, { headers: ADMIN, body: { verifier: verifierOf(pki) } })
  const warning = {
    code: 'relying_party_certificate_expires_soon',
    relying_parties: 2,
    expires_at: EXPIRES_AT,
  }
  expect(await warningsOn('2030-05-30')).toEqual([])
  expect(await warningsOn('2030-06-01')).toEqual([warning])
  expect(await warningsOn('2030-07-01')).toEqual([
    { code: 'relying_party_certificate_expired', relying_parties: 2 },
  ])
  await call(app, 'PATCH', `${LIST}/${id}`, { headers: ADMIN, body: { verifier: verifierOf(renewed) } })
  expect(await warningsOn('2030-06-01')).toEqual([{ ...warning, relying_parties: 1 }])
  await call(app, 'DELETE', `${LIST}/${first.relying_party_id}`, { headers: ADMIN })
  expect(await warningsOn('2030-06-01')).toEqual([])
})

it('the operator’s list of relying parties shows the expiry of each certificate, or null without a certificate', async () => {
  const rp = await createRelyingParty({ verifier: verifierOf(pki) })
  const without = await createRelyingParty()
  const { relying_parties } = await json(call(app, 'GET', `${LIST}?limit=100`, { headers: ADMIN }))
  const dateOf = (id: string) =>
    relying_parties.find((entry: { relying_party_id: string }) => entry.relying_party_id === id)
      .verifier_certificate_expires_at
  expect([dateOf(rp.relying_party_id), dateOf(without.relying_party_id)]).toEqual([EXPIRES_AT, null])
})

it('/readyz reuses a successful check of storage for a minute, and a failed check for some seconds', async () => {
  const write = vi.spyOn(Directory.prototype, 'checkStorage')
  expect(await warningsOn('2027-01-01T00:00:00Z')).toEqual([])
  write.mockRejectedValue(new Error('the disk is full'))
  expect(await warningsOn('2027-01-01T00:00:30Z')).toEqual([])
  expect(write).toHaveBeenCalledTimes(1)
  expect(await warningsOn('2027-01-01T00:01:01Z')).toEqual([{ code: 'storage_not_writable' }])
  write.mockRestore()
  expect(await warningsOn('2027-01-01T00:01:03Z')).toEqual([{ code: 'storage_not_writable' }])
  expect(await warningsOn('2027-01-01T00:01:07Z')).toEqual([])
})

describe('/readyz, if the directory', () => {
  let day = Date.parse('2028-01-01T00:00:00Z')
  const fails = () => Promise.reject(new Error('internal error; reference = abc'))
  const hangs = () => new Promise<never>(() => undefined)
  const works = () => Promise.resolve()

  it.each([
    ['cannot be read', fails, works, 200, 'ready', []],
    ['does not respond', hangs, works, 200, 'ready', []],
    ['cannot be read, nor storage written', fails, fails, 503, 'not_ready', ['storage_not_writable']],
  ])('%s, responds in time with a warning', async (_, read, checkStorage, status, expected, further) => {
    day += 86_400_000 // storage is checked anew
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const object = { trustLists: read, certificateDates: read, checkStorage }
    const broken = { ...env, DIRECTORY: { getByName: () => object } } as unknown as typeof env
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: day })
    const responding = call(app, 'GET', '/readyz', { env: broken })
    await vi.advanceTimersByTimeAsync(7_000)
    const response = await responding
    expect(response.status).toBe(status)
    const warnings = ['directory_unavailable', ...further].map((code) => ({ code }))
    expect(await json(response)).toEqual({ status: expected, warnings })
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)))
    const sources = lines.filter(({ event }) => event === 'health_unreadable').map(({ source }) => source)
    expect(sources.sort()).toEqual(['relying_party_certificates', 'trust_lists'])
  })
})

it('/readyz of one process checks storage every 5 s, and one object at most every 20 s', async () => {
  const written: string[] = []
  vi.spyOn(Directory.prototype, 'checkStorage').mockImplementation(async function (this: Directory) {
    written.push(Reflect.get(this, 'ctx').id.name)
  })
  const own = { ...env, LISTENING_PORT: '8787' }
  const start = Date.parse('2027-01-02T00:00:00Z')
  for (let second = 0; second <= 60; second++) {
    expect(await isStorageWritable(own, start + second * 1_000)).toBe(true)
  }
  expect(written).toHaveLength(13)
  // Each object is checked again after 20 s. It is closed after 10 s.
  for (const [i, name] of written.entries()) expect(written.slice(i + 1, i + 4)).not.toContain(name)
})

describe('/readyz of a service that runs as one process, read once a second, reports', () => {
  const fails = () => Promise.reject(new Error('the disk is full'))
  const hangs = () => new Promise<never>(() => undefined)
  let day = Date.parse('2029-01-01T00:00:00Z')

  // 5 s are the time between two checks, so these are all seconds of such a time.
  it.each(
    [0, 1_000, 2_000, 3_000, 4_000].flatMap((after) => [
      [after, 'fail', fails],
      [after, 'hang', hangs],
    ]) as [number, string, () => Promise<never>][],
  )('a full disk within 10 s, if %i ms after a check all writes begin to %s', async (after, _, broken) => {
    day += 86_400_000
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: day })
    const fullAt = day + 5_000 + after + 1 // a check starts at 5 s
    const checkStorage = () => (Date.now() < fullAt ? Promise.resolve() : broken())
    const object = { trustLists: async () => [], certificateDates: async () => NO_DATES, checkStorage }
    const own = { ...env, LISTENING_PORT: '8787', DIRECTORY: { getByName: () => object } }
    const reported: number[] = []
    for (let second = 0; second <= 25; second++) {
      void call(app, 'GET', '/readyz', { env: own as unknown as typeof env }).then(async (response) => {
        const { warnings } = await json(response)
        const codes = warnings.map(({ code }: { code: string }) => code)
        if (codes.includes('storage_not_writable')) reported.push(Date.now())
      })
      await vi.advanceTimersByTimeAsync(1_000)
    }
    const [first = Number.POSITIVE_INFINITY] = reported
    expect(first).toBeGreaterThanOrEqual(fullAt)
    expect(first - fullAt).toBeLessThanOrEqual(10_000)
  })
})

const NO_DATES = { expired: 0, toRenew: 0, nextExpiry: null }

it('/readyz of a public service warns if no header for the address of a caller is configured, except on Cloudflare', async () => {
  const warnings = async (changes: object) =>
    (await json(await call(app, 'GET', '/readyz', { env: { ...env, ...changes } }))).warnings
  const onOwnPort = { LISTENING_PORT: '8787' }
  expect(await warnings(onOwnPort)).toEqual([{ code: 'client_ip_header_missing' }])
  expect(await warnings({ ...onOwnPort, CLIENT_IP_HEADER: 'x-client-ip' })).toEqual([])
  expect(await warnings({})).toEqual([])
})

it('/readyz warns of a wrong clock if most refusals in a minute have a reason about a time', async () => {
  const at = Date.parse('2027-02-01T00:00:00Z')
  for (const reason of ['nonce_mismatch', 'untrusted_issuer'] as const) noteRefusal(reason, at)
  for (let i = 0; i < 2; i++) noteRefusal('holder_binding_not_current', at)
  expect(await warningsOn('2027-02-01T00:00:10Z')).toEqual([])
  noteRefusal('credential_not_yet_valid', at)
  expect(await warningsOn('2027-02-01T00:00:10Z')).toEqual([{ code: 'clock_suspect' }])
  expect(await warningsOn('2027-02-01T00:01:01Z')).toEqual([])
})
