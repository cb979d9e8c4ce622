import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { TrustList } from '../../src/relying-party/trust-lists/trust-list.ts'
import type { TrustListConfig } from '../../src/relying-party/trust-lists/trust-list-schema.ts'
import {
  keepIssues,
  subscribedAnchors,
  trustListHealth,
} from '../../src/relying-party/trust-lists/trust-lists.ts'
import { type IssuerPki, type Minted, mintIssuerPki } from '../support/certificates/certificates.ts'
import {
  LIST_NOW,
  type LoteOptions,
  mintListSigner,
  PID_ISSUANCE,
  signLote,
} from '../support/certificates/trust-lists.ts'
import { WAIT } from '../support/wait.ts'

const NOW = LIST_NOW * 1000
const HOUR = 3_600_000
const URL = 'https://lists.example.eu/pid.jwt'

let signer: Minted
let stranger: Minted
let pki: IssuerPki
let config: TrustListConfig & { kind: 'etsi_lote' | 'vical' }

beforeAll(async () => {
  ;[signer, stranger, pki] = await Promise.all([mintListSigner(), mintListSigner(), mintIssuerPki()])
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  config = {
    name: `list-${crypto.randomUUID()}`,
    livemode: true,
    kind: 'etsi_lote',
    url: URL,
    signers: [{ x509_certificate_pem: signer.pem }],
    list_type: null,
    services: [{ type: PID_ISSUANCE, credential_types: ['pid'], assurance_level: 'high' }],
    refresh_seconds: 3600,
    stale_after_seconds: 86_400,
  }
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Sets the publisher's responses. Returns the requests that reach it. */
function publish(answer: () => Response | Promise<Response>): Request[] {
  const requests: Request[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    requests.push(new Request(input as string, init))
    return answer()
  })
  return requests
}

const sign = (options: LoteOptions = {}, by = signer) =>
  signLote(by, { services: [{ certificates: [pki.root.x5c] }], ...options })

const publishList = async (options: LoteOptions = {}, headers: Record<string, string> = {}) => {
  const body = await sign(options)
  return publish(() => new Response(body, { headers }))
}

const stub = () => env.TRUST_LIST.getByName(config.name)

async function create() {
  const created = await stub().create(config, Date.now())
  if (!created.ok) throw new Error(created.error)
  return created.value
}

/** Runs the alarm after a number of milliseconds, and returns the list's view. */
async function wakeAfter(milliseconds: number) {
  vi.setSystemTime(Date.now() + milliseconds)
  await runDurableObjectAlarm(stub())
  const view = await stub().view()
  if (!view.ok) throw new Error(view.error)
  return view.value
}

const anchorsAt = async (now: number, livemode = true) => {
  vi.setSystemTime(now)
  return subscribedAnchors(env, { anchor_sets: [config.name], livemode }, now)
}

describe('a trust list', () => {
  it('is fetched when it is created, and its anchors name its sequence number', async () => {
    const [request] = await publishList().then(async (requests) => {
      await create()
      return requests
    })
    expect(request?.url).toBe(URL)
    expect(await anchorsAt(NOW)).toMatchObject({
      incomplete: false,
      anchors: [
        {
          credential_types: ['pid'],
          assurance_level: 'high',
          list: { name: config.name, sequence: 7, trust_as_of: '2046-11-21T12:00:00.000Z' },
        },
      ],
    })
  })

  it('is fetched with If-None-Match, and a 304 response confirms the stored copy', async () => {
    await publishList({}, { etag: '"7"' })
    await create()
    const requests = publish(() => new Response(null, { status: 304 }))
    const view = await wakeAfter(HOUR)
    expect(requests[0]?.headers.get('if-none-match')).toBe('"7"')
    expect(view).toMatchObject({ sequence: 7, trust_as_of: NOW + HOUR, last_attempt: { fault: null } })
  })

  it('stores the bytes of its issues as soon as evidence needs them, and keeps the previous issue, too', async () => {
    const naming = { by: 'rp_1', until: NOW + 36 * 24 * HOUR }
    const digestOf = async () => (await stub().keepIssue(7, naming))?.sha256
    const requests = await publishList({}, { etag: '"7"' })
    await create()
    expect(await stub().keepIssues({ ...naming, by: '' })).toBe(true)
    await wakeAfter(0)
    expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, null])
    const seventh = await digestOf()
    expect(seventh).toMatch(/^[0-9a-f]{64}$/)
    expect(await env.EVIDENCE_MATERIALS.getByName(seventh![0]!).read(seventh!, naming.by)).toBeDefined()
    await publishList({ sequence: 8 })
    await wakeAfter(HOUR)
    expect(await digestOf()).toBe(seventh)
    const eighth = await stub().keepIssue(8, naming)
    expect(eighth).toEqual({
      ...{ sha256: expect.any(String), bytes: expect.any(Number), fetched_at: (NOW + HOUR) / 1000 },
      ...{ media_type: 'application/jose', source: URL },
    })
    expect(eighth?.sha256).not.toBe(seventh)
    expect(await stub().keepIssue(6, naming)).toBeUndefined()
  })

  it('renews the reference to its stored bytes, and fetches the bytes again if they were erased', async () => {
    const ahead = () => ({ by: '', until: Date.now() + 36 * 24 * HOUR })
    const body = await sign({ nextUpdate: '2047-11-21T12:00:00Z' })
    const requests = publish(() => new Response(body, { headers: { etag: '"7"' } }))
    await create()
    await stub().keepIssues(ahead())
    await wakeAfter(0)
    const digest = (await stub().keepIssue(7, { by: 'rp_1', until: NOW }))?.sha256
    const materials = env.EVIDENCE_MATERIALS.getByName(digest![0]!)
    const erasedAfter = async (days: number) => {
      vi.setSystemTime(Date.now() + days * 24 * HOUR)
      await runDurableObjectAlarm(materials)
      return (await materials.read(digest!, '')) === undefined
    }
    vi.setSystemTime(NOW + 20 * 24 * HOUR)
    expect(await stub().keepIssues(ahead())).toBe(true)
    expect(await erasedAfter(30)).toBe(false)
    expect(await erasedAfter(10)).toBe(true)
    expect(requests).toHaveLength(2)
    expect(await stub().keepIssues(ahead())).toBe(true)
    await wakeAfter(0)
    expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, null, null])
    expect(await stub().keepIssue(7, ahead())).toMatchObject({ sha256: digest })
  })

  it('is fetched again at once if evidence needs its bytes for the first time during a fetch', async () => {
    await publishList()
    await create()
    const body = await sign()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const requests = publish(() => held.then(() => new Response(body)))
    const running = stub().refresh()
    await expect.poll(() => requests.length, WAIT).toBe(1)
    const naming = { by: '', until: NOW + 36 * 24 * HOUR }
    await stub().keepIssues(naming)
    release()
    expect(await running).toMatchObject({ value: { last_attempt: { fault: null } } })
    const nextFetch = async () =>
      runInDurableObject(stub(), async (_, { storage }) => (await storage.getAlarm()) ?? Infinity)
    expect(await nextFetch()).toBeLessThanOrEqual(Date.now())
    publish(() => new Response(body))
    await wakeAfter(0)
    expect(await stub().keepIssue(7, naming)).toMatchObject({ media_type: 'application/jose' })
    expect(await nextFetch()).toBe(Date.now() + HOUR)
  })

  it('is not asked for its bytes again on the same day if it has none, and is never asked if it does not exist', async () => {
    const asked = vi.spyOn(TrustList.prototype, 'keepIssues')
    const services = [{ type: 'certificate', credential_types: ['pid'], assurance_level: 'low' as const }]
    const bundle = async (name: string) => {
      const list = { name, kind: 'pem_bundle', livemode: true, services, pem: pki.root.pem } as const
      await env.TRUST_LIST.getByName(name).create(list, NOW)
      return name
    }
    const [erased, first] = [config.name, await bundle(`${config.name}-1`)]
    keepIssues(env, { anchor_sets: [erased, first] }, NOW)
    await expect.poll(() => asked.mock.results.length, WAIT).toBe(1)
    expect(await asked.mock.results[0]?.value).toBe(false)
    keepIssues(env, { anchor_sets: [erased, first, await bundle(`${config.name}-2`)] }, NOW)
    await expect.poll(() => asked.mock.results.length, WAIT).toBeGreaterThan(1)
    await stub().view()
    expect(asked).toHaveBeenCalledTimes(2)
    expect(await stub().keepIssues({ by: '', until: NOW })).toBeUndefined()
  })

  it('is fetched again if a verification needs its bytes for evidence and they are not stored', async () => {
    const naming = { by: 'rp_1', until: NOW + 36 * 24 * HOUR }
    await publishList()
    await create()
    expect(await stub().keepIssue(7, naming)).toBeUndefined()
    await wakeAfter(0)
    expect(await stub().keepIssue(7, naming)).toMatchObject({ media_type: 'application/jose' })
  })

  it('is replaced by a newer issue', async () => {
    await publishList()
    await create()
    await publishList({ sequence: 8, services: [{ certificates: [pki.root.x5c, pki.intermediate.x5c] }] })
    expect(await wakeAfter(HOUR)).toMatchObject({ sequence: 8, anchors: 2 })
    expect((await anchorsAt(NOW + HOUR)).anchors).toHaveLength(2)
  })

  it('cannot be created twice', async () => {
    await publishList()
    await create()
    expect(await stub().create(config, NOW)).toEqual({ ok: false, error: 'exists' })
  })

  it('is erased with its anchors and its alarm, and may be created again', async () => {
    await publishList({ sequence: 9 })
    await create()
    expect(await stub().erase()).toBe(true)
    expect(await stub().erase()).toBe(false)
    expect(await stub().view()).toEqual({ ok: false, error: 'not_found' })
    expect(await runDurableObjectAlarm(stub())).toBe(false)
    await publishList({ sequence: 1 })
    expect(await create()).toMatchObject({ sequence: 1 })
  })

  it('sets its alarm again if the platform lost the alarm', async () => {
    await publishList()
    await create()
    await runInDurableObject(stub(), (_, state) => state.storage.deleteAlarm())
    const { evictDurableObject } = await import('cloudflare:test')
    await evictDurableObject(stub())
    await stub().view()
    expect(await runDurableObjectAlarm(stub())).toBe(true)
  })
})

const slowly = () => new Promise<Response>((_, reject) => reject(new DOMException('', 'TimeoutError')))

const NEVER_GOOD = [
  ['gone', 'unavailable', () => new Response('', { status: 404 })],
  ['slower than the time limit', 'unavailable', slowly],
  ['moved', 'unavailable', () => Response.redirect('https://elsewhere.example/', 302)],
  ['10 MB', 'too_large', () => new Response(new Uint8Array(10 * 1024 * 1024))],
  ['not a list', 'malformed', () => new Response('<html>')],
  ['tampered with', 'invalid_signature', async () => new Response(await tampered())],
  [
    'signed by another signer',
    'untrusted_signer',
    async () => new Response(await sign({ sequence: 8 }, stranger)),
  ],
  [
    'expired',
    'expired',
    async () => new Response(await sign({ sequence: 8, nextUpdate: '2046-11-21T11:30:00Z' })),
  ],
  ['empty', 'nothing_usable', async () => new Response(await sign({ sequence: 8, services: [] }))],
] as const

// Each keeps the last good copy, reports the error, and is tried again within five minutes.
describe.each([
  ...NEVER_GOOD,
  ['rolled back', 'rolled_back', async () => new Response(await sign({ sequence: 6 }))],
] as const)('a trust list that is %s', (_, fault, answer) => {
  it('does not replace the last good copy, which is used until it is stale', async () => {
    await publishList()
    await create()
    publish(answer)
    const failed = await wakeAfter(HOUR)
    expect(failed).toMatchObject({ sequence: 7, trust_as_of: NOW, last_attempt: { at: NOW + HOUR, fault } })
    await runInDurableObject(stub(), async (_, state) =>
      expect(await state.storage.getAlarm()).toBe(NOW + HOUR + 300_000),
    )
    const lastMoment = NOW + 24 * HOUR - 1
    expect(await anchorsAt(lastMoment)).toMatchObject({
      incomplete: false,
      anchors: [{ name: expect.any(String) }],
    })
    expect(await anchorsAt(lastMoment + 1)).toEqual({ incomplete: true, anchors: [] })
  })
})

describe.each(NEVER_GOOD)('a trust list of which no good copy exists and that is %s', (_, fault, answer) => {
  it('has no anchors until a good list is received', async () => {
    publish(answer)
    expect(await create()).toMatchObject({
      sequence: null,
      usable_until: 0,
      anchors: 0,
      last_attempt: { fault },
    })
    expect(await anchorsAt(NOW)).toEqual({ incomplete: true, anchors: [] })
    await publishList({ nextUpdate: '2046-12-20T12:00:00Z' })
    expect(await wakeAfter(300_000)).toMatchObject({ sequence: 7, last_attempt: { fault: null } })
    expect(await anchorsAt(NOW + 300_000)).toMatchObject({ incomplete: false })
  })
})

async function tampered(): Promise<Uint8Array<ArrayBuffer>> {
  const body = await sign({ sequence: 8, header: { x5c: undefined } })
  const last = body.length - 30
  body[last] = body[last] === 65 ? 66 : 65
  return body
}

describe('the stored copy of a trust list', () => {
  it('is used until its nextUpdate at the latest, even if it was confirmed shortly before', async () => {
    await publishList({ nextUpdate: '2046-11-21T14:00:00Z' }, { etag: '"7"' })
    await create()
    publish(() => new Response(null, { status: 304 }))
    expect(await wakeAfter(HOUR)).toMatchObject({ usable_until: NOW + 2 * HOUR })
    expect(await anchorsAt(NOW + 2 * HOUR - 1)).toMatchObject({ incomplete: false })
    expect(await anchorsAt(NOW + 2 * HOUR)).toEqual({ incomplete: true, anchors: [] })
    const health = { name: config.name, usableUntil: NOW + 2 * HOUR }
    const at = (time: number) => trustListHealth(env, [config], time)
    expect(await at(NOW + 2 * HOUR - 1)).toMatchObject([{ ...health, isUsable: true }])
    expect(await at(NOW + 2 * HOUR)).toMatchObject([{ ...health, isUsable: false }])
    expect(await wakeAfter(0)).toMatchObject({ trust_as_of: NOW + HOUR, last_attempt: { fault: 'expired' } })
  })

  it('is not confirmed after its signer’s certificate has expired, even if there is no newer issue', async () => {
    const signing = await mintListSigner({ notAfter: new Date(NOW + 90 * 60_000) })
    config = { ...config, signers: [{ x509_certificate_pem: signing.pem }] }
    const body = await sign({}, signing)
    publish(() => new Response(body, { headers: { etag: '"7"' } }))
    await create()
    publish(() => new Response(null, { status: 304 }))
    expect(await wakeAfter(HOUR)).toMatchObject({ trust_as_of: NOW + HOUR, last_attempt: { fault: null } })
    const unconfirmed = { trust_as_of: NOW + HOUR, usable_until: NOW + 25 * HOUR }
    const failed = { ...unconfirmed, last_attempt: { fault: 'certificate_expired' } }
    expect(await wakeAfter(HOUR)).toMatchObject(failed)
    publish(() => new Response(body))
    expect(await wakeAfter(0)).toMatchObject(failed)
  })

  it('is renewed without If-None-Match if the expiry of its signer’s certificate was not stored', async () => {
    await publishList({}, { etag: '"7"' })
    await create()
    await runInDurableObject(stub(), (_, { storage }) => {
      const { edition, ...stored } = storage.kv.get<{ edition: { signerExpires?: number } }>('document')!
      const { signerExpires: __, ...before } = edition
      storage.kv.put('document', { ...stored, edition: before })
    })
    const requests = await publishList({}, { etag: '"7"' })
    await wakeAfter(HOUR)
    await wakeAfter(HOUR)
    expect(requests.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, '"7"'])
  })

  it('is not replaced by an older issue that was received after a newer issue', async () => {
    await publishList()
    await create()
    const [older, newer] = await Promise.all([sign({ sequence: 8 }), sign({ sequence: 9 })])
    let hold: (response: Response) => void = () => undefined
    const held = new Promise<Response>((resolve) => {
      hold = resolve
    })
    publish(() => held)
    const first = stub().refresh()
    await scheduler.wait(10)
    publish(() => new Response(newer))
    const second = stub().refresh()
    await scheduler.wait(10)
    hold(new Response(older))
    await Promise.all([first, second])
    expect(await stub().refresh()).toMatchObject({ value: { sequence: 9 } })
    publish(() => new Response(older))
    expect(await stub().refresh()).toMatchObject({
      value: { sequence: 9, last_attempt: { fault: 'rolled_back' } },
    })
  })

  it('has no anchors for a live relying party if the list is for test mode', async () => {
    config = { ...config, livemode: false }
    await publishList()
    await create()
    expect(await anchorsAt(NOW, true)).toEqual({ incomplete: false, anchors: [] })
    expect(await anchorsAt(NOW, false)).toMatchObject({ anchors: [{ name: expect.any(String) }] })
  })

  it('has no anchors if the list was erased, and the anchors are not reported as incomplete', async () => {
    expect(await anchorsAt(NOW)).toEqual({ incomplete: false, anchors: [] })
  })

  it('needs no fetch and does not become stale if the list is a PEM bundle', async () => {
    const requests = await publishList()
    const { name, livemode } = config
    const services = [{ type: 'certificate', credential_types: ['pid'], assurance_level: 'low' as const }]
    const created = await stub().create(
      { kind: 'pem_bundle', name, livemode, services, pem: pki.root.pem },
      NOW,
    )
    expect(created).toMatchObject({
      value: { usable_until: null, anchors: 1, last_attempt: { fault: null } },
    })
    expect(requests).toHaveLength(0)
    expect(await anchorsAt(NOW + 10_000 * HOUR)).toMatchObject({
      incomplete: false,
      anchors: [{ list: { sequence: null } }],
    })
  })
})

it('a trust list is not fetched if its configured address is no public https address', async () => {
  config = { ...config, url: 'http://127.0.0.1/list' }
  const requests = await publishList()
  expect(await create()).toMatchObject({ last_attempt: { fault: 'forbidden' } })
  expect(requests).toHaveLength(0)
})
