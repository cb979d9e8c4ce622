// A trusted list in XML as an object: created, refreshed, withdrawn, closed.

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { TrustListConfig } from '../../src/relying-party/trust-lists/trust-list-schema.ts'
import { subscribedAnchors, trustListHealth } from '../../src/relying-party/trust-lists/trust-lists.ts'
import { type IssuerPki, type Minted, mintIssuerPki } from '../support/certificates/certificates.ts'
import { LIST_NOW, mintListSigner } from '../support/certificates/trust-lists.ts'
import {
  EAA_Q,
  GRANTED,
  signXmlList,
  TL_TYPE,
  WITHDRAWN,
  type XmlListOptions,
  xmlList,
} from '../support/certificates/xml-lists.ts'

const NOW = LIST_NOW * 1000
const HOUR = 3_600_000
const URL = 'https://lists.example.eu/tl.xml'

let signer: Minted
let pki: IssuerPki
/** Certificates that give more than 500 anchors with 20 grants. */
let others: readonly Minted[]
let config: Extract<TrustListConfig, { kind: 'etsi_tl' }>

beforeAll(async () => {
  ;[signer, pki] = await Promise.all([mintListSigner(), mintIssuerPki()])
  others = await Promise.all(Array.from({ length: 26 }, () => mintListSigner()))
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  config = {
    name: `xml-${crypto.randomUUID()}`,
    livemode: true,
    kind: 'etsi_tl',
    url: URL,
    signers: [{ x509_certificate_pem: signer.pem }],
    list_type: TL_TYPE,
    territory: 'DE',
    services: [{ type: EAA_Q, credential_types: ['pid'], assurance_level: 'high' }],
    refresh_seconds: 3600,
    stale_after_seconds: 86_400,
  }
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const services = (status = GRANTED, since?: string) => [
  { certificates: [pki.root.x5c], status, ...(since !== undefined && { since }) },
]
const manyServices = () => [{ certificates: others.map(({ x5c }) => x5c) }]
const sign = (options: XmlListOptions = {}, by = signer) =>
  signXmlList(xmlList({ services: services(), ...options }), by)

function publish(body: Uint8Array<ArrayBuffer> | number, headers: Record<string, string> = {}): Request[] {
  const requests: Request[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    requests.push(new Request(input as string, init))
    return typeof body === 'number'
      ? new Response(null, { status: body })
      : new Response(body.slice(), { headers })
  })
  return requests
}

const stub = () => env.TRUST_LIST.getByName(config.name)
const unwrap = <T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T => {
  if (!result.ok) throw new Error(String(result.error))
  return result.value
}
const create = async () => unwrap(await stub().create(config, Date.now()))

async function wakeAfter(milliseconds: number) {
  vi.setSystemTime(Date.now() + milliseconds)
  await runDurableObjectAlarm(stub())
  return unwrap(await stub().view())
}

const anchorsAt = async (now: number) => {
  vi.setSystemTime(now)
  return subscribedAnchors(env, { anchor_sets: [config.name], livemode: true }, now)
}
const health = async (now: number) => (await trustListHealth(env, [config], now))[0]

it('a list in XML is fetched with its media type, and each anchor has its list, its service and the status of the service', async () => {
  const [request] = await Promise.all([publish(sign())]).then(async ([requests]) => {
    expect(await create()).toMatchObject({
      sequence: 7,
      anchors: 1,
      left_out: 0,
      last_attempt: { fault: null },
    })
    return requests
  })
  expect(request?.headers.get('accept')).toBe('application/vnd.etsi.tsl+xml')
  expect(await anchorsAt(NOW)).toMatchObject({
    incomplete: false,
    anchors: [
      {
        credential_types: ['pid'],
        service: { type: EAA_Q, status: GRANTED },
        list: { name: config.name, sequence: 7, trust_as_of: '2046-11-21T12:00:00.000Z' },
        listUrls: [URL],
      },
    ],
  })
  expect(await health(NOW)).toMatchObject({ isUsable: true, isRefused: false, isEmpty: false })
})

it('a list in XML keeps its last good copy if the Worker for background work is missing, and is renewed when this Worker is back', async () => {
  publish(sign())
  await create()
  publish(sign({ sequence: 8 }))
  const bind = (bindings: object) =>
    runInDurableObject(stub(), (list) => void Reflect.set(list, 'env', { ...env, ...bindings }))
  await bind({ BACKGROUND_WORK: undefined })
  expect(await wakeAfter(HOUR)).toMatchObject({
    sequence: 7,
    anchors: 1,
    trust_as_of: NOW,
    last_attempt: { at: NOW + HOUR, fault: 'unavailable' },
  })
  await bind({})
  expect(await wakeAfter(HOUR)).toMatchObject({ sequence: 8, last_attempt: { fault: null } })
})

it('a new issue of the list whose only service is withdrawn is accepted, gives no anchors, and is reported as empty', async () => {
  publish(sign())
  await create()
  publish(sign({ sequence: 8, services: services(WITHDRAWN) }))
  expect(await wakeAfter(HOUR)).toMatchObject({ sequence: 8, anchors: 0, last_attempt: { fault: null } })
  expect(await anchorsAt(NOW + HOUR)).toEqual({ incomplete: false, anchors: [] })
  expect(await health(NOW + HOUR)).toMatchObject({ isUsable: true, isEmpty: true })
})

it('a closed list ends the trust at once, and is fetched without If-None-Match at the next refresh', async () => {
  publish(sign(), { etag: '"7"' })
  await create()
  const requests = publish(sign({ sequence: 8, nextUpdate: null }), { etag: '"8"' })
  expect(await wakeAfter(HOUR)).toMatchObject({ sequence: 8, anchors: 0, last_attempt: { fault: 'closed' } })
  expect(await anchorsAt(NOW + HOUR)).toEqual({ incomplete: false, anchors: [] })
  expect(await wakeAfter(HOUR)).toMatchObject({ last_attempt: { fault: 'closed' } })
  expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual(['"7"', null])
  expect(await health(NOW + 2 * HOUR)).toMatchObject({ isRefused: true, isEmpty: true })
})

it.each([
  ['rolled back', 'rolled_back', () => sign({ sequence: 6 })],
  ['changed without a new number', 'rolled_back', () => sign({ services: services(WITHDRAWN) })],
  ['not issued yet', 'not_yet_issued', () => sign({ sequence: 8, issued: '2046-11-22T12:00:00Z' })],
  ['of another territory', 'wrong_list', () => sign({ sequence: 8, territory: 'AT' })],
  ['not XML', 'malformed', () => new TextEncoder().encode('{}') as Uint8Array<ArrayBuffer>],
  ['10 MB', 'too_large', () => new Uint8Array(10 * 1024 * 1024)],
] as const)('a list in XML that is %s does not replace the last good copy', async (_, fault, body) => {
  publish(sign())
  await create()
  publish(body())
  expect(await wakeAfter(HOUR)).toMatchObject({ sequence: 7, trust_as_of: NOW, last_attempt: { fault } })
  expect(await anchorsAt(NOW + 24 * HOUR - 1)).toMatchObject({ incomplete: false, anchors: [{}] })
  expect(await health(NOW + 24 * HOUR - 1)).toMatchObject({ isUsable: true, isRefused: true })
  expect(await anchorsAt(NOW + 24 * HOUR)).toEqual({ incomplete: true, anchors: [] })
})

it.each([
  ['past its next update', 'expired', () => sign({ sequence: 8, nextUpdate: '2046-11-21T12:30:00Z' })],
  ['valid for ten years', 'malformed', () => sign({ sequence: 8, nextUpdate: '2056-11-21T12:30:00Z' })],
  ['of more than 500 anchors', 'too_large', () => sign({ sequence: 8, services: manyServices() })],
] as const)(
  'a signed new issue %s ends the trust at once, and the next fetch is without If-None-Match',
  async (_, fault, body) => {
    const grants = config.services.flatMap((grant) => Array.from({ length: 20 }, () => ({ ...grant })))
    config = { ...config, services: grants }
    publish(sign(), { etag: '"7"' })
    await create()
    const requests = publish(body(), { etag: '"8"' })
    const ended = { sequence: 8, anchors: 0, trust_as_of: null, usable_until: 0, last_attempt: { fault } }
    expect(await wakeAfter(HOUR)).toMatchObject(ended)
    expect(await anchorsAt(NOW + HOUR)).toEqual({ incomplete: true, anchors: [] })
    expect(await health(NOW + HOUR)).toMatchObject({ isUsable: false, isRefused: true, isEmpty: false })
    expect(await wakeAfter(300_000)).toMatchObject(ended)
    expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual(['"7"', null])
    publish(sign({ sequence: 7 }))
    expect(await wakeAfter(300_000)).toMatchObject({ anchors: 0, last_attempt: { fault: 'rolled_back' } })
    publish(sign({ sequence: 9 }))
    expect(await wakeAfter(300_000)).toMatchObject({
      sequence: 9,
      anchors: 20,
      last_attempt: { fault: null },
    })
  },
)

it('a list of an unknown signer does not replace the last good copy', async () => {
  publish(sign())
  await create()
  publish(sign({ sequence: 8 }, await mintListSigner()))
  expect(await wakeAfter(HOUR)).toMatchObject({ sequence: 7, last_attempt: { fault: 'untrusted_signer' } })
})

it('a service status with a later start applies from that time on, without a new issue of the list', async () => {
  const requests = publish(sign({ services: services(GRANTED, '2046-11-21T12:30:00Z') }), { etag: '"7"' })
  expect(await create()).toMatchObject({ anchors: 0 })
  expect(await wakeAfter(HOUR)).toMatchObject({ anchors: 1 })
  expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, null])
})

it('a list in XML whose signer’s certificate expired after the signature is accepted, and is confirmed by a 304 response', async () => {
  const notAfter = new Date('2046-11-20T13:00:00Z')
  const expired = await mintListSigner({ notAfter })
  config = { ...config, signers: [{ x509_certificate_pem: expired.pem }] }
  publish(sign({}, expired), { etag: '"7"' })
  expect(await create()).toMatchObject({ sequence: 7, last_attempt: { fault: null } })
  publish(304)
  expect(await wakeAfter(HOUR)).toMatchObject({ trust_as_of: NOW + HOUR, last_attempt: { fault: null } })
})

it('a closed list is fetched again after its refresh time, and a fetch that failed is repeated earlier', async () => {
  const alarm = () => runInDurableObject(stub(), (_, state) => state.storage.getAlarm())
  publish(sign({ nextUpdate: null }))
  await create()
  expect(await alarm()).toBe(NOW + HOUR)
  publish(500)
  await wakeAfter(HOUR)
  expect(await alarm()).toBe(NOW + HOUR + 300_000)
})
