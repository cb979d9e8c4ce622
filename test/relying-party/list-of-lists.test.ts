// The EU's list of lists as an object, with the national lists that it follows.

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
import { LIST_NOW, mintListSigner } from '../support/certificates/trust-lists.ts'
import {
  EAA_Q,
  signXmlList,
  WITHDRAWN,
  type XmlListOptions,
  type XmlPointer,
  xmlList,
} from '../support/certificates/xml-lists.ts'
import { WAIT } from '../support/wait.ts'

const NOW = LIST_NOW * 1000
const HOUR = 3_600_000
const LOTL = 'https://lists.example.eu/eu-lotl.xml'
const JOURNAL = 'https://eur-lex.europa.eu/eli/C/2026/1/oj'
const LOTL_TYPE = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists'

let commission: Minted
let successor: Minted
let stranger: Minted
/** Signers and issuers of two states. */
let states: Record<'HU' | 'SE', { readonly signer: Minted; readonly issuer: IssuerPki }>
let config: Extract<TrustListConfig, { kind: 'eu_lotl' }>
/** The response of each address. */
let web: Map<string, Body | Promise<Body>>
let requested: string[]

type Body = Uint8Array<ArrayBuffer> | number

beforeAll(async () => {
  ;[commission, successor, stranger] = await Promise.all([
    mintListSigner(),
    mintListSigner(),
    mintListSigner(),
  ])
  const stateOf = async (name: string) => ({
    signer: await mintListSigner(),
    issuer: await mintIssuerPki({ root: { subject: `C=${name},O=Test,CN=Root` } }),
  })
  states = { HU: await stateOf('HU'), SE: await stateOf('SE') }
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  config = {
    name: `lotl-${crypto.randomUUID()}`,
    livemode: true,
    kind: 'eu_lotl',
    url: LOTL,
    signers: [{ x509_certificate_pem: commission.pem }],
    territories: ['HU', 'SE'],
    oj_url: JOURNAL,
    services: [{ type: EAA_Q, credential_types: ['pid'], assurance_level: 'high' }],
    refresh_seconds: 3600,
    stale_after_seconds: 86_400,
  }
  web = new Map()
  requested = []
  put()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    requested.push(String(input))
    const body = (await web.get(String(input))) ?? 404
    return typeof body === 'number' ? new Response(null, { status: body }) : new Response(body.slice())
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const addressOf = (territory: string) => `https://lists.example.eu/tl-${territory}.xml`
const pointerTo = (territory: 'HU' | 'SE', changes: Partial<XmlPointer> = {}): XmlPointer => ({
  location: addressOf(territory),
  territory,
  certificates: [states[territory].signer.x5c],
  ...changes,
})
const self = (...signers: readonly Minted[]): XmlPointer => ({
  location: LOTL,
  territory: 'EU',
  type: LOTL_TYPE,
  certificates: signers.map(({ x5c }) => x5c),
})
const lotl = (options: XmlListOptions = {}, by = commission) =>
  signXmlList(
    xmlList({
      type: LOTL_TYPE,
      territory: 'EU',
      sequence: 400,
      uris: [JOURNAL],
      pointers: [self(commission), pointerTo('HU'), pointerTo('SE')],
      ...options,
    }),
    by,
  )
const national = (territory: 'HU' | 'SE', options: XmlListOptions = {}, by = states[territory].signer) =>
  signXmlList(
    xmlList({ territory, services: [{ certificates: [states[territory].issuer.root.x5c] }], ...options }),
    by,
  )

/** Publishes a list of lists, and both national lists. */
function put(options: XmlListOptions = {}, by = commission): void {
  web.set(LOTL, lotl(options, by))
  for (const territory of ['HU', 'SE'] as const) web.set(addressOf(territory), national(territory))
}

const stub = () => env.TRUST_LIST.getByName(config.name)
const child = (territory: string) => env.TRUST_LIST.getByName(`${config.name}/${territory}`)
const unwrap = <T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T => {
  if (!result.ok) throw new Error(String(result.error))
  return result.value
}
const create = async () => unwrap(await stub().create(config, Date.now()))
const refreshAfter = async (milliseconds: number) => {
  vi.setSystemTime(Date.now() + milliseconds)
  return unwrap(await stub().refresh())
}
/** The names of the anchors that count, with their territories. */
async function trusted(now = Date.now()) {
  vi.setSystemTime(now)
  const found = await subscribedAnchors(env, { anchor_sets: [config.name], livemode: true }, now)
  return { ...found, anchors: found.anchors.map(({ name, list }) => `${list?.territory}: ${name}`) }
}
const isSamePem = (a: string, b: string) => a.replace(/\s/g, '') === b.replace(/\s/g, '')
const BOTH = ['HU: CN=Root,O=Test,C=HU', 'SE: CN=Root,O=Test,C=SE']

it('the lists that a list of lists follows store their issues as soon as evidence needs them', async () => {
  const naming = { by: 'rp_1', until: NOW + 36 * 24 * HOUR }
  await create()
  await trusted()
  const before = requested.length
  keepIssues(env, { anchor_sets: [config.name] }, Date.now())
  const keeps = (territory: string) =>
    runInDurableObject(child(territory), (_, { storage }) =>
      storage.kv.get<{ readonly keeps_issues?: boolean }>('document'),
    ).then((record) => record?.keeps_issues)
  for (const territory of ['HU', 'SE'] as const) {
    await expect.poll(() => keeps(territory), WAIT).toBe(true)
    await runDurableObjectAlarm(child(territory))
    const kept = { source: addressOf(territory), media_type: 'application/vnd.etsi.tsl+xml' }
    expect(await child(territory).keepIssue(7, naming)).toMatchObject(kept)
  }
  expect(requested.slice(before)).not.toContain(LOTL)
})

it('a list of lists gives the anchors of the lists that it follows, each with its territory', async () => {
  expect(await create()).toMatchObject({
    sequence: 400,
    anchors: 2,
    pinned_signers_announced: true,
    learned_signers: [],
    last_attempt: { fault: null },
    lists: [
      { territory: 'HU', url: addressOf('HU'), sequence: 7, anchors: 1, fault: null },
      { territory: 'SE', url: addressOf('SE'), sequence: 7, anchors: 1, fault: null },
    ],
  })
  expect(await trusted()).toEqual({ incomplete: false, anchors: BOTH })
  const { anchors } = await subscribedAnchors(env, { anchor_sets: [config.name], livemode: true }, NOW)
  expect(anchors[0]).toMatchObject({
    list: { name: config.name, territory: 'HU', sequence: 7 },
    listUrls: [addressOf('HU'), LOTL],
  })
  expect(await trustListHealth(env, [config], NOW)).toMatchObject([
    { isUsable: true, isRefused: false, isEmpty: false, announcesSigners: false },
  ])
})

it('only the requested territories are followed; "all" follows every list in XML', async () => {
  config = { ...config, territories: ['SE'] }
  expect(await create()).toMatchObject({ lists: [{ territory: 'SE' }] })
  expect(requested).not.toContain(addressOf('HU'))
  config = { ...config, name: `${config.name}-all`, territories: 'all' }
  const pdf = pointerTo('SE', { mimeType: 'application/pdf', location: 'https://lists.example.eu/tl.pdf' })
  put({ pointers: [self(commission), pdf, pointerTo('HU'), pointerTo('SE')] })
  expect(await create()).toMatchObject({ lists: [{ territory: 'HU' }, { territory: 'SE' }] })
})

describe.each<[string, string, () => void]>([
  ['gone', 'unavailable', () => web.set(addressOf('HU'), 404)],
  ['redirected', 'unavailable', () => web.set(addressOf('HU'), 302)],
  ['rolled back', 'rolled_back', () => web.set(addressOf('HU'), national('HU', { sequence: 6 }))],
  [
    'signed by another state',
    'untrusted_signer',
    () => web.set(addressOf('HU'), national('HU', { sequence: 8 }, states.SE.signer)),
  ],
  [
    'of another territory',
    'wrong_list',
    () => web.set(addressOf('HU'), national('HU', { sequence: 8, territory: 'XX' })),
  ],
  ['too large', 'too_large', () => web.set(addressOf('HU'), new Uint8Array(9 * 1024 * 1024))],
])('a national list that is %s', (_, fault, spoil) => {
  it('keeps its last good copy, and the other list is renewed', async () => {
    await create()
    spoil()
    web.set(addressOf('SE'), national('SE', { sequence: 8 }))
    expect(await refreshAfter(HOUR)).toMatchObject({
      last_attempt: { fault: null },
      lists: [
        { territory: 'HU', sequence: 7, anchors: 1, fault },
        { territory: 'SE', sequence: 8, anchors: 1, fault: null },
      ],
    })
    expect(await trusted()).toEqual({ incomplete: false, anchors: BOTH })
    const late = NOW + 24 * HOUR + 1000
    await refreshAfter(late - Date.now())
    expect(await trusted(late + 61_000)).toEqual({ incomplete: true, anchors: BOTH.slice(1) })
  })
})

it('a national list whose service was withdrawn gives no anchor after its own refresh', async () => {
  await create()
  web.set(
    addressOf('HU'),
    national('HU', {
      sequence: 8,
      services: [{ certificates: [states.HU.issuer.root.x5c], status: WITHDRAWN }],
    }),
  )
  vi.setSystemTime(NOW + HOUR)
  await runDurableObjectAlarm(child('HU'))
  expect(await trusted()).toEqual({ incomplete: false, anchors: BOTH.slice(1) })
})

it('a national list that is closed gives no anchor and no warning, and its fault is shown', async () => {
  await create()
  web.set(addressOf('HU'), national('HU', { sequence: 8, nextUpdate: null }))
  expect(await refreshAfter(HOUR)).toMatchObject({
    lists: [
      { territory: 'HU', anchors: 0, fault: 'closed' },
      { territory: 'SE', anchors: 1, fault: null },
    ],
  })
  expect(await trusted(NOW + HOUR + 61_000)).toEqual({ incomplete: false, anchors: BOTH.slice(1) })
  const health = () => trustListHealth(env, [config], Date.now())
  expect(await health()).toMatchObject([{ isUsable: true, isRefused: false }])
  web.set(addressOf('SE'), national('SE', { sequence: 6 }))
  await refreshAfter(HOUR)
  expect(await trusted(NOW + 2 * HOUR + 200_000)).toEqual({ incomplete: false, anchors: BOTH.slice(1) })
  expect(await health()).toMatchObject([{ isUsable: true, isRefused: true }])
})

it('a national list is no longer used as soon as its pointer is removed', async () => {
  await create()
  put({ sequence: 401, pointers: [self(commission), pointerTo('SE')] })
  expect(await refreshAfter(HOUR)).toMatchObject({ lists: [{ territory: 'SE' }] })
  expect(await trusted(NOW + HOUR + 61_000)).toEqual({ incomplete: false, anchors: BOTH.slice(1) })
  expect(await child('HU').view()).toEqual({ ok: false, error: 'not_found' })
})

it('a national list that could not be erased gives no anchors, and is erased at the next fetch of the list of lists', async () => {
  await create()
  const erase = vi.spyOn(TrustList.prototype, 'erase').mockRejectedValue(new Error('internal error'))
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  put({ sequence: 401, pointers: [self(commission), pointerTo('SE')] })
  expect(await refreshAfter(HOUR)).toMatchObject({ sequence: 401, lists: [{ territory: 'SE' }] })
  expect(log.mock.calls.join()).toContain('trust_list_unreadable')
  expect(await trusted(NOW + HOUR + 61_000)).toEqual({ incomplete: false, anchors: BOTH.slice(1) })
  expect(await child('HU').view()).toMatchObject({ ok: true })
  erase.mockRestore()
  await refreshAfter(HOUR)
  expect(await child('HU').view()).toEqual({ ok: false, error: 'not_found' })
})

/** Lists of several territories with one signer, each with these certificates. */
function putMany(territories: readonly string[], certificates: readonly string[], sequence = 400): void {
  const { signer } = states.HU
  web.set(
    LOTL,
    lotl({
      sequence,
      pointers: [
        self(commission),
        ...territories.map((territory) => ({
          ...pointerTo('HU'),
          territory,
          location: addressOf(territory),
        })),
      ],
    }),
  )
  for (const territory of territories)
    web.set(addressOf(territory), signXmlList(xmlList({ territory, services: [{ certificates }] }), signer))
}

it('a list that does not respond delays neither the other 28 lists nor a verification', async () => {
  const territories = Array.from(
    { length: 29 },
    (_, i) => `${String.fromCharCode(65 + (i % 26))}${i < 26 ? 'A' : 'B'}`,
  )
  config = { ...config, territories: 'all' }
  putMany(territories, [states.HU.issuer.root.x5c])
  expect(await create()).toMatchObject({ anchors: 29 })
  expect((await trusted()).anchors).toHaveLength(29)
  const [silent = '', ...others] = territories
  const release = hold(addressOf(silent))
  const waiting = child(silent).refresh()
  for (const territory of others)
    web.set(
      addressOf(territory),
      signXmlList(
        xmlList({ territory, sequence: 8, services: [{ certificates: [states.HU.issuer.root.x5c] }] }),
        states.HU.signer,
      ),
    )
  const renewed = await Promise.all(others.map(async (territory) => unwrap(await child(territory).refresh())))
  expect(renewed.every(({ sequence, anchors }) => sequence === 8 && anchors === 1)).toBe(true)
  const meanwhile = await trusted(NOW + 61_000)
  expect(meanwhile.incomplete).toBe(false)
  expect(meanwhile.anchors).toHaveLength(29)
  release(500)
  expect(unwrap(await waiting)).toMatchObject({ sequence: 7, last_attempt: { fault: 'unavailable' } })
})

it('a followed list that brings the total above 2,000 anchors is not used, and the lists after it are used', async () => {
  const certificates = (await Promise.all(Array.from({ length: 25 }, () => mintListSigner()))).map(
    ({ x5c }) => x5c,
  )
  const grant = { type: EAA_Q, credential_types: ['pid'], assurance_level: 'low' } as const
  config = { ...config, territories: 'all', services: Array.from({ length: 20 }, () => ({ ...grant })) }
  putMany(['AT', 'BE', 'BG', 'CY', 'CZ', 'DE'], certificates)
  const publish = (territory: string, own: readonly string[]) =>
    web.set(
      addressOf(territory),
      signXmlList(xmlList({ territory, services: [{ certificates: own }] }), states.HU.signer),
    )
  publish('CY', certificates.slice(1))
  publish('DE', certificates.slice(0, 1))
  expect(await create()).toMatchObject({
    anchors: 2500,
    lists: [500, 500, 500, 480, 500, 20].map((anchors) => ({ anchors })),
  })
  const { incomplete, anchors } = await trusted()
  expect([incomplete, anchors.length]).toEqual([true, 2000])
  expect(anchors.filter((anchor) => anchor.startsWith('DE'))).toHaveLength(20)
})

it('no national list is used after the copy of the list of lists has become stale', async () => {
  await create()
  web.set(LOTL, 500)
  const late = NOW + 24 * HOUR + 1000
  expect(await refreshAfter(late - NOW)).toMatchObject({
    last_attempt: { fault: 'unavailable' },
    lists: [{ fault: null }, { fault: null }],
  })
  expect(await trusted(late + 61_000)).toEqual({ incomplete: true, anchors: [] })
})

/** Publishes a list of lists whose pointer to HU names these signers. */
const putSignersOfHu = (...signers: readonly Minted[]) => {
  const certificates = signers.map(({ x5c }) => x5c)
  put({ sequence: 401, pointers: [self(commission), pointerTo('HU', { certificates }), pointerTo('SE')] })
}

it('a copy of a national list is not used any more as soon as its pointer no longer names the signer of the copy', async () => {
  web.set(addressOf('HU'), national('HU', { sequence: 999_999_999_999_999 }))
  await create()
  putSignersOfHu(stranger)
  web.set(addressOf('HU'), national('HU', { sequence: 8 }))
  expect(await refreshAfter(HOUR)).toMatchObject({
    lists: [{ sequence: null, anchors: 0, trust_as_of: null, fault: 'untrusted_signer' }, {}],
  })
  expect(await trusted(NOW + HOUR + 61_000)).toEqual({ incomplete: true, anchors: BOTH.slice(1) })
  web.set(addressOf('HU'), national('HU', { sequence: 8 }, stranger))
  expect(await refreshAfter(HOUR)).toMatchObject({ lists: [{ sequence: 8, anchors: 1, fault: null }, {}] })
})

it('the stored issues of a national list are not used for evidence if the pointer no longer names their signer', async () => {
  const naming = { by: 'rp_1', until: NOW + 36 * 24 * HOUR }
  await create()
  await child('HU').keepIssues(naming)
  await refreshAfter(HOUR)
  web.set(addressOf('HU'), national('HU', { sequence: 8 }))
  await refreshAfter(HOUR)
  expect(await child('HU').keepIssue(7, naming)).toBeDefined()
  putSignersOfHu(stranger)
  await refreshAfter(HOUR)
  expect(await child('HU').keepIssue(7, naming)).toBeUndefined()
})

it('a copy of a national list stays, with its sequence number, if the changed pointer still names the signer of the copy', async () => {
  await create()
  putSignersOfHu(stranger, states.HU.signer)
  web.set(addressOf('HU'), national('HU', { sequence: 6 }, stranger))
  expect(await refreshAfter(HOUR)).toMatchObject({
    lists: [{ sequence: 7, anchors: 1, fault: 'rolled_back' }, {}],
  })
})

/** Holds back the response of an address until the returned function is called. */
function hold(url: string): (body: Body) => void {
  let release: (body: Body) => void = () => undefined
  web.set(
    url,
    new Promise<Body>((resolve) => {
      release = resolve
    }),
  )
  return release
}
const waitForRequest = (url: string) => vi.waitFor(() => expect(requested).toContain(url), WAIT)

it('a fetch that began before its pointer changed is discarded, and is repeated at once', async () => {
  await create()
  requested = []
  const release = hold(addressOf('HU'))
  vi.setSystemTime(NOW + HOUR)
  const waiting = child('HU').refresh()
  await waitForRequest(addressOf('HU'))
  const pointers = [self(commission), pointerTo('HU', { certificates: [stranger.x5c] }), pointerTo('SE')]
  web.set(LOTL, lotl({ sequence: 401, pointers }))
  await runDurableObjectAlarm(stub())
  release(national('HU', { sequence: 9 }))
  expect(unwrap(await waiting)).toMatchObject({ sequence: null, anchors: 0, last_attempt: null })
  const alarm = await runInDurableObject(child('HU'), (_, state) => state.storage.getAlarm())
  expect(alarm).toBeLessThanOrEqual(Date.now())
  expect(await trusted(NOW + HOUR + 61_000)).toEqual({ incomplete: true, anchors: BOTH.slice(1) })
})

it('a list of lists that is erased during its fetch follows no list afterwards', async () => {
  await create()
  requested = []
  const release = hold(LOTL)
  const waiting = stub().refresh()
  await waitForRequest(LOTL)
  let erased: () => void = () => undefined
  const slowly = new Promise<void>((resolve) => {
    erased = resolve
  })
  // The list of lists waits for its lists, which are erased already.
  const { erase } = TrustList.prototype
  const spy = vi.spyOn(TrustList.prototype, 'erase').mockImplementation(async function (this: TrustList) {
    const isOwn = this.ctx.id.equals(env.TRUST_LIST.idFromName(config.name))
    const existed = await erase.call(this)
    if (!isOwn) await slowly
    return existed
  })
  const erasing = stub().erase()
  await vi.waitFor(() => expect(spy).toHaveBeenCalledTimes(3), WAIT)
  release(lotl({ sequence: 401 }))
  await waiting
  erased()
  expect(await erasing).toBe(true)
  for (const territory of ['HU', 'SE'])
    expect(await child(territory).view()).toEqual({ ok: false, error: 'not_found' })
})

it('the first fetches of followed lists are spread over time, and a refresh on demand runs two fetches at a time', async () => {
  const alarm = (territory: string) =>
    runInDurableObject(child(territory), (_, state) => state.storage.getAlarm())
  const territories = ['AT', 'BE', 'BG', 'CY']
  config = { ...config, territories: 'all' }
  putMany(territories, [states.HU.issuer.root.x5c])
  const releases = territories.map((territory) => hold(addressOf(territory)))
  const creating = create()
  await waitForRequest(addressOf('BE'))
  expect(requested).toEqual([LOTL, addressOf('AT'), addressOf('BE')])
  const [third, fourth] = [(await alarm('BG')) ?? 0, (await alarm('CY')) ?? 0]
  expect([third >= NOW + 2000, fourth - third]).toEqual([true, 1000])
  for (const release of releases) release(500)
  expect(await creating).toMatchObject({
    lists: territories.map((territory) => ({ territory, fault: 'unavailable' })),
  })
})

it('the followed lists are erased with their list of lists', async () => {
  await create()
  expect(await stub().erase()).toBe(true)
  for (const territory of ['HU', 'SE'])
    expect(await child(territory).view()).toEqual({ ok: false, error: 'not_found' })
})

it.each<[string, string, () => void]>([
  [
    'to plain http',
    'forbidden',
    () => put({ pointers: [pointerTo('HU', { location: 'http://lists.example.eu/tl.xml' })] }),
  ],
  [
    'to a private address',
    'forbidden',
    () => put({ pointers: [pointerTo('HU', { location: 'https://192.168.0.1/tl.xml' })] }),
  ],
  [
    'to a metadata service',
    'forbidden',
    () => put({ pointers: [pointerTo('HU', { location: 'https://169.254.169.254/tl.xml' })] }),
  ],
  [
    'to the list of lists itself',
    'untrusted_signer',
    () => put({ pointers: [pointerTo('HU', { location: LOTL })] }),
  ],
  [
    'to the list of lists with its right signer',
    'wrong_list',
    () => put({ pointers: [pointerTo('HU', { location: LOTL, certificates: [commission.x5c] })] }),
  ],
])('a pointer %s is not followed', async (_, fault, publish) => {
  publish()
  expect(await create()).toMatchObject({ anchors: 0, lists: [{ territory: 'HU', anchors: 0, fault }] })
  expect(requested.every((url) => url === LOTL)).toBe(true)
})

it('a pointer to a list of lists, or to a media type other than application/vnd.etsi.tsl+xml, is ignored', async () => {
  put({
    pointers: [pointerTo('HU', { type: LOTL_TYPE }), pointerTo('SE', { mimeType: 'application/xml' })],
  })
  expect(await create()).toMatchObject({ lists: [], anchors: 0, last_attempt: { fault: null } })
})

it('a list of lists with more than 40 lists is refused, and the earlier issue stays', async () => {
  config = { ...config, territories: 'all' }
  await create()
  const names = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((letter) => [`${letter}A`, `${letter}B`])
  const many = names.slice(0, 41).map((territory) => ({ ...pointerTo('HU'), territory }))
  put({ sequence: 401, pointers: many })
  expect(await refreshAfter(HOUR)).toMatchObject({ sequence: 400, last_attempt: { fault: 'too_large' } })
  expect((await trusted()).anchors).toEqual(BOTH)
})

it.each<[string, string, () => XmlListOptions]>([
  [
    'points to two lists of one territory',
    'malformed',
    () => ({ pointers: [self(commission), pointerTo('HU'), pointerTo('HU')] }),
  ],
  ['is past its next update', 'expired', () => ({ nextUpdate: '2046-11-21T12:30:00Z' })],
  ['is valid for ten years', 'malformed', () => ({ nextUpdate: '2056-11-21T12:30:00Z' })],
])(
  'a signed list of lists that %s ends the trust in every list until a good list of lists arrives',
  async (_, fault, options) => {
    await create()
    put({ sequence: 401, ...options() })
    expect(await refreshAfter(HOUR)).toMatchObject({
      sequence: 401,
      trust_as_of: null,
      last_attempt: { fault },
      lists: [{ territory: 'HU' }, { territory: 'SE' }],
    })
    expect(await trusted(NOW + HOUR + 61_000)).toEqual({ incomplete: true, anchors: [] })
    put({ sequence: 402 })
    expect(await refreshAfter(HOUR)).toMatchObject({ sequence: 402, last_attempt: { fault: null } })
    expect(await trusted(NOW + 2 * HOUR + 200_000)).toEqual({ incomplete: false, anchors: BOTH })
  },
)

it('a pointer with a very long address is ignored, and a list signed with a very long certificate is not trusted', async () => {
  const long = pointerTo('HU', { location: `https://lists.example.eu/${'a'.repeat(2048)}` })
  const large = await mintListSigner({ subject: `C=EU,${'O=a,'.repeat(400)}CN=Large` })
  put({ pointers: [self(commission), long, pointerTo('SE', { certificates: [large.x5c] })] })
  web.set(addressOf('SE'), national('SE', {}, large))
  expect(await create()).toMatchObject({ lists: [{ territory: 'SE', fault: 'untrusted_signer' }] })
})

it('a list of lists that announces new signers for itself is reported', async () => {
  put({ pointers: [self(commission, successor), pointerTo('HU'), pointerTo('SE')] })
  expect(await create()).toMatchObject({ pinned_signers_announced: false })
  expect(await trustListHealth(env, [config], NOW)).toMatchObject([{ announcesSigners: true }])
})

describe('after a change of the signers of the list of lists', () => {
  const pivotUrl = (number: number) => `https://lists.example.eu/eu-lotl-pivot-${number}.xml`
  /** An old issue, past its next update, whose pointer to itself names the next signers. */
  const pivot = (number: number, by: Minted, next: readonly Minted[], options: XmlListOptions = {}) =>
    web.set(
      pivotUrl(number),
      lotl(
        {
          sequence: number,
          issued: '2040-01-01T00:00:00Z',
          nextUpdate: '2040-05-01T00:00:00Z',
          pointers: [self(...next)],
          ...options,
        },
        by,
      ),
    )
  let between: Minted

  beforeAll(async () => {
    between = await mintListSigner()
  })

  /** The pinned signer names `between`, which names `successor`, which signs. */
  const chain = (changes: XmlListOptions = {}) => {
    pivot(300, commission, [between])
    pivot(350, between, [successor])
    put(
      {
        sequence: 401,
        uris: [pivotUrl(350), pivotUrl(300), JOURNAL, pivotUrl(200)],
        pointers: [self(successor), pointerTo('HU'), pointerTo('SE')],
        ...changes,
      },
      successor,
    )
  }

  it('the pivots lead to the new signers, which are stored and shown', async () => {
    await create()
    chain()
    const learned = [expect.toSatisfy((pem: string) => isSamePem(pem, successor.pem))]
    expect(await refreshAfter(HOUR)).toMatchObject({
      sequence: 401,
      learned_signers: learned,
      pinned_signers_announced: false,
      config: { signers: [{ x509_certificate_pem: commission.pem }] },
      last_attempt: { fault: null },
    })
    expect(requested).not.toContain(pivotUrl(200))
    requested = []
    put({ sequence: 402, uris: [JOURNAL], pointers: [pointerTo('HU'), pointerTo('SE')] }, successor)
    expect(await refreshAfter(HOUR)).toMatchObject({ sequence: 402, learned_signers: learned })
    expect(requested.filter((url) => url.includes('pivot'))).toEqual([])
    put({ sequence: 403 })
    expect(await refreshAfter(HOUR)).toMatchObject({ sequence: 403, learned_signers: [] })
  })

  describe('to a third signer', () => {
    let third: Minted
    beforeAll(async () => {
      third = await mintListSigner()
    })
    /** A later issue of the third signer, with these pivots. */
    const later = (numbers: readonly number[]) =>
      put(
        {
          sequence: 500,
          uris: [...numbers.map(pivotUrl), JOURNAL],
          pointers: [self(third), pointerTo('HU'), pointerTo('SE')],
        },
        third,
      )

    it('a longer chain of pivots leads to the next signers', async () => {
      await create()
      chain()
      await refreshAfter(HOUR)
      pivot(450, successor, [third])
      later([450, 350, 300])
      expect(await refreshAfter(HOUR)).toMatchObject({ sequence: 500, last_attempt: { fault: null } })
    })

    it.each<[string, () => void]>([
      [
        'a shorter chain',
        () => {
          pivot(300, commission, [third])
          later([300])
        },
      ],
      [
        'a chain that leaves out the newest used pivot',
        () => {
          pivot(360, between, [third])
          later([360, 300])
        },
      ],
      [
        'a different pivot with the number of the newest used pivot',
        () => {
          pivot(350, between, [third])
          later([350, 300])
        },
      ],
    ])('%s does not bring back a withdrawn signer', async (_, publish) => {
      await create()
      chain()
      await refreshAfter(HOUR)
      put({ sequence: 402 }) // a pinned signer signs meanwhile
      await refreshAfter(HOUR)
      publish()
      expect(await refreshAfter(HOUR)).toMatchObject({
        sequence: 402,
        last_attempt: { fault: 'untrusted_signer' },
      })
    })
  })

  it('a pivot of more than 2 MB is not read, and no later pivot is fetched', async () => {
    await create()
    chain()
    const good = (await web.get(pivotUrl(300))) as Uint8Array
    const padded = new Uint8Array(2_097_153).fill(0x0a)
    padded.set(good)
    web.set(pivotUrl(300), padded)
    requested = []
    expect(await refreshAfter(HOUR)).toMatchObject({ last_attempt: { fault: 'untrusted_signer' } })
    expect(requested.filter((url) => url.includes('pivot'))).toEqual([pivotUrl(300)])
  })

  it.each<[string, () => void]>([
    [
      'a pivot that is gone',
      () => {
        chain()
        web.set(pivotUrl(300), 404)
      },
    ],
    ['a pivot that is left out', () => chain({ uris: [pivotUrl(350), JOURNAL] })],
    ['no pivot', () => chain({ uris: [JOURNAL] })],
    ['pivots behind the Journal', () => chain({ uris: [JOURNAL, pivotUrl(350), pivotUrl(300)] })],
    ['a wrong Journal', () => chain({ uris: [pivotUrl(350), pivotUrl(300), `${JOURNAL}2`, JOURNAL] })],
    ['no Journal', () => chain({ uris: [pivotUrl(350), pivotUrl(300)] })],
    ['pivots in the other order', () => chain({ uris: [pivotUrl(300), pivotUrl(350), JOURNAL] })],
    ['a pivot twice', () => chain({ uris: [pivotUrl(350), pivotUrl(300), pivotUrl(300), JOURNAL] })],
    [
      'a pivot that is newer than the list',
      () => {
        chain({ uris: [pivotUrl(402), pivotUrl(350), pivotUrl(300), JOURNAL] })
        pivot(402, successor, [successor])
      },
    ],
    [
      'a pivot whose number differs from the number in its address',
      () => {
        chain()
        pivot(300, commission, [between], { sequence: 301 })
      },
    ],
    [
      'a pivot of another type',
      () => {
        chain()
        pivot(300, commission, [between], {
          type: 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric',
        })
      },
    ],
    [
      'a pivot of another territory',
      () => {
        chain()
        pivot(300, commission, [between], { territory: 'HU' })
      },
    ],
    [
      'a pivot of an unknown signer',
      () => {
        chain()
        pivot(300, stranger, [between])
      },
    ],
    [
      'a pivot that names no signer',
      () => {
        chain()
        pivot(350, between, [])
      },
    ],
    [
      'a pivot that names two lists as itself',
      () => {
        chain()
        pivot(350, between, [], { pointers: [self(successor), self(successor)] })
      },
    ],
    [
      'a broken pivot',
      () => {
        chain()
        web.set(pivotUrl(350), new Uint8Array([60]))
      },
    ],
    [
      'a last pivot that does not name the signer of the list',
      () => {
        chain()
        pivot(350, between, [stranger])
      },
    ],
  ])('in the case of %s, the new list of lists is refused, and no signer is added', async (_, publish) => {
    await create()
    publish()
    expect(await refreshAfter(HOUR)).toMatchObject({
      sequence: 400,
      learned_signers: [],
      last_attempt: { fault: 'untrusted_signer' },
    })
    expect((await trusted()).anchors).toEqual(BOTH)
    expect(await trustListHealth(env, [config], Date.now())).toMatchObject([{ isRefused: true }])
  })

  it('nine pivots are too many, and none is fetched', async () => {
    await create()
    chain({ uris: [...Array.from({ length: 9 }, (_, i) => pivotUrl(399 - i)), JOURNAL] })
    expect(await refreshAfter(HOUR)).toMatchObject({ last_attempt: { fault: 'untrusted_signer' } })
    expect(requested.filter((url) => url.includes('pivot'))).toEqual([])
  })

  it('no pivot is followed if the configuration has no address in the Official Journal', async () => {
    config = { ...config, oj_url: null }
    await create()
    chain()
    expect(await refreshAfter(HOUR)).toMatchObject({ last_attempt: { fault: 'untrusted_signer' } })
    expect(requested.filter((url) => url.includes('pivot'))).toEqual([])
  })
})
