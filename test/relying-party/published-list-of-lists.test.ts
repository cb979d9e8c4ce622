// The EU's list of lists 386 as the Commission signed it, and national lists of the same time that it leads
// to. Hostile pointers and pivots are changes of its text, signed again by test keys.

import { createHash } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { fetchList } from '../../src/relying-party/trust-lists/fetch-list.ts'
import { verifyEtsiTl } from '../../src/trust/lists/etsi-tl.ts'
import { type LotlRules, verifyEuLotl } from '../../src/trust/lists/eu-lotl.ts'
import { readPointers, type TlPointer } from '../../src/trust/lists/tl-pointers.ts'
import { LIST_OF_LISTS_TYPE, NATIONAL_LIST_TYPE } from '../../src/trust/lists/tl-presets.ts'
import { parseXmlList } from '../../src/trust/lists/tl-signature.ts'
import type { Minted } from '../support/certificates/certificates.ts'
import { swap, type TextChange } from '../support/certificates/hostile-lists.ts'
import { canonicalText, pemOf, publishedList } from '../support/certificates/published-lists.ts'
import { mintListSigner } from '../support/certificates/trust-lists.ts'
import { digitalId, EAA_Q, signXmlList } from '../support/certificates/xml-lists.ts'
import { TEST_ENVIRONMENT } from '../support/service/environment.ts'
import vectors from '../vectors/trusted-lists.json' with { type: 'json' }

const NOW = Date.parse('2026-08-25T12:00:00Z') / 1000
const { journal } = vectors
const LIST = publishedList('EU')
/** Territories of list 386. EL is Greece; IS, LI and NO belong to the EEA; the list of the UK is closed. */
const TERRITORIES =
  'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK UK'.split(' ')

const fingerprintOf = (pem: string) =>
  createHash('sha256')
    .update(Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64'))
    .digest('hex')

/** The certificates of the Official Journal. The list contains them, too. */
const PINS = [
  ...new Set([...LIST.text.matchAll(/<X509Certificate>([^<]+)</g)].map(([, text = '']) => pemOf(text))),
].filter((pem) => journal.certificates.includes(fingerprintOf(pem)))

const rulesWith = (changes: Partial<LotlRules> = {}): LotlRules => ({
  signers: PINS,
  learnedSigners: [],
  lastPivot: null,
  ojUrl: journal.address,
  territories: 'all',
  last: null,
  now: NOW,
  ...changes,
})

/** The responses by address. Other addresses are 404. */
let web: Map<string, Uint8Array<ArrayBuffer>>
let requested: string[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 })
  web = new Map()
  requested = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    requested.push(String(input))
    const body = web.get(String(input))
    return body === undefined ? new Response(null, { status: 404 }) : new Response(body.slice())
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const fetchPivot = async (url: string) => {
  requested.push(url)
  return web.get(url)
}

const verify = async (body: Uint8Array, changes: Partial<LotlRules> = {}) =>
  verifyEuLotl(body, rulesWith(changes), fetchPivot)

async function listsOf(body: Uint8Array, changes: Partial<LotlRules> = {}): Promise<readonly TlPointer[]> {
  const verified = await verify(body, changes)
  if (!verified.ok) throw new Error(verified.error)
  return verified.value.lists
}

/** Fetches a followed list as its object does. Returns the number of the issue, or the fault. */
async function follow({ url, territory, signers }: TlPointer) {
  const fetched = await fetchList(
    {
      name: 'lotl',
      livemode: true,
      kind: 'etsi_tl',
      url,
      territory,
      list_type: NATIONAL_LIST_TYPE,
      signers: signers.map((x509_certificate_pem) => ({ x509_certificate_pem })),
      services: [{ type: EAA_Q, credential_types: ['pid'], assurance_level: 'high' }],
      refresh_seconds: 3600,
      stale_after_seconds: 86_400,
    },
    null,
    loadConfig(TEST_ENVIRONMENT as never),
    { BACKGROUND_WORK: { verifyEtsiTl } as never },
  )
  if (!fetched.ok) return fetched.error
  return fetched.value === 'not_modified' ? fetched.value : fetched.value.edition.sequence
}

describe('the list of lists 386', () => {
  it('verifies with the six certificates of the Official Journal, and leads to 31 lists', async () => {
    expect(PINS).toHaveLength(6)
    const verified = await verify(LIST.bytes)
    expect(verified).toMatchObject({
      ok: true,
      value: {
        sequence: 386,
        issuedAt: Date.parse('2026-04-28T21:59:59Z') / 1000,
        nextUpdate: Date.parse('2026-10-21T13:10:30Z') / 1000,
        ended: null,
        learnedSigners: [],
        lastPivot: null,
        pinnedSignersAnnounced: true,
      },
    })
    const { signer, lists } = verified.ok ? verified.value : { signer: '', lists: [] }
    expect(fingerprintOf(signer)).toBe(LIST.expected.signer)
    expect(lists.map(({ territory }) => territory)).toEqual(TERRITORIES)
    expect(lists.filter(({ signers }) => signers.length === 0)).toEqual([])
    expect(requested).toEqual([])
  })

  it('names the six certificates as its own signers, in its pointer to itself', async () => {
    const root = parseXmlList(LIST.bytes)
    const own = root.ok ? readPointers(root.value, LIST_OF_LISTS_TYPE) : []
    expect(own).toMatchObject([{ territory: 'EU', url: 'https://ec.europa.eu/tools/lotl/eu-lotl.xml' }])
    expect(own[0]?.signers.map(fingerprintOf).toSorted()).toEqual(journal.certificates)
    const fewer = await verify(LIST.bytes, { signers: PINS.slice(1).concat(LIST.signer) })
    expect(fewer).toMatchObject({ ok: true, value: { pinnedSignersAnnounced: false } })
  })

  it.each([
    ['its first address of the Official Journal', journal.address],
    [
      'its second address of the Official Journal',
      'https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=uriserv:OJ.C_.2019.276.01.0001.01.ENG',
    ],
  ])(
    'leads to no pivot if %s is configured, because the list names its pivots after its first address',
    async (_, ojUrl) => {
      expect(LIST.text).toContain(`>${ojUrl}</URI>`)
      expect(LIST.text.match(/eu-lotl-pivot-[0-9]+\.xml/g)).toHaveLength(5)
      const signers = PINS.filter((pem) => fingerprintOf(pem) !== LIST.expected.signer)
      expect(await verify(LIST.bytes, { signers, ojUrl })).toEqual({ ok: false, error: 'untrusted_signer' })
      expect(requested).toEqual([])
    },
  )

  it('leads only to the lists of the requested territories, and to no list after its next update', async () => {
    const late = await verify(LIST.bytes, { now: Date.parse('2026-10-21T13:10:30Z') / 1000 })
    expect(late).toMatchObject({ ok: true, value: { ended: 'expired', lists: [] } })
    const some = await listsOf(LIST.bytes, { territories: ['SE', 'IS', 'XX'] })
    expect(some.map(({ territory }) => territory)).toEqual(['IS', 'SE'])
  })

  it('leads to the lists of EL, IS and SE, which verify with the signers of their pointers', async () => {
    const lists = await listsOf(LIST.bytes, { territories: ['EL', 'IS', 'SE'] })
    const names = ['EL', 'IS', 'SE'] as const
    for (const [i, name] of names.entries()) web.set(lists[i]?.url ?? '', publishedList(name).bytes)
    const numbers = names.map((name) => Number(/SequenceNumber>(\d+)</.exec(publishedList(name).text)?.[1]))
    expect(await Promise.all(lists.map(follow))).toEqual(numbers)
    const [, is, se] = lists
    if (is === undefined || se === undefined) throw new Error('no pointer')
    expect(await follow({ ...se, signers: is.signers })).toBe('untrusted_signer')
    web.set(se.url, publishedList('IS').bytes)
    expect(await follow({ ...se, signers: is.signers })).toBe('wrong_list')
  })

  it('has pointers with plain http only to HU and SK, and these two lists are not fetched', async () => {
    const lists = await listsOf(LIST.bytes)
    const plain = lists.filter(({ url }) => url.startsWith('http:'))
    expect(plain.map(({ territory }) => territory)).toEqual(['HU', 'SK'])
    expect(await Promise.all(plain.map(follow))).toEqual(['forbidden', 'forbidden'])
    expect(requested).toEqual([])
    const others = await Promise.all(lists.filter((list) => !plain.includes(list)).map(follow))
    expect(new Set(others)).toEqual(new Set(['unavailable']))
    expect(requested).toHaveLength(29)
  })
})

describe('the list of lists 386, signed again', () => {
  let commission: Minted
  let successor: Minted
  let stranger: Minted
  let text: string
  beforeAll(async () => {
    ;[commission, successor, stranger] = await Promise.all([
      mintListSigner(),
      mintListSigner(),
      mintListSigner(),
    ])
    text = canonicalText('EU')
  })

  const identities = (...signers: readonly Minted[]) =>
    `<ServiceDigitalIdentities>${signers.map(({ x5c }) => `<ServiceDigitalIdentity>${digitalId(x5c)}</ServiceDigitalIdentity>`).join('')}</ServiceDigitalIdentities>`
  const IDENTITIES = /<ServiceDigitalIdentities>.*?<\/ServiceDigitalIdentities>/s
  /** Signs the list again, after a change. Its pointer to itself is the first one, and names `own`. */
  const signed = (change: TextChange, by = commission, own = commission) =>
    signXmlList(text, by, { content: (whole) => change(swap(IDENTITIES, identities(own))(whole)) })

  describe('the pointer to SE', () => {
    const ADDRESS = 'https://trustedlist.pts.se/tlv6/SE-TL.xml'
    /** Changes the pointer to SE. */
    const pointer =
      (change: TextChange): TextChange =>
      (whole) => {
        const pointers = whole.match(/<OtherTSLPointer>.*?<\/OtherTSLPointer>/gs) ?? []
        const own = pointers.find((each) => each.includes(ADDRESS)) ?? ''
        return swap(own, change(own))(whole)
      }
    const territories = ['SE', 'XX']
    const listsAfter = (change: TextChange) =>
      listsOf(signed(change), { signers: [commission.pem], territories })

    it('leads to the list of SE, which is used, if the pointer is unchanged', async () => {
      web.set(ADDRESS, publishedList('SE').bytes)
      const [se, ...others] = await listsAfter((whole) => whole)
      expect(others).toEqual([])
      expect(se && (await follow(se))).toBe(62)
    })

    it.each<[string, string, TextChange]>([
      ['plain http', 'forbidden', swap(ADDRESS, ADDRESS.replace('https', 'http'))],
      ['a private address', 'forbidden', swap('trustedlist.pts.se', '10.0.0.1')],
      ['a name without a dot', 'forbidden', swap('trustedlist.pts.se', 'trustedlist')],
      ['another port', 'forbidden', swap('trustedlist.pts.se', 'trustedlist.pts.se:8443')],
      ['the list of lists', 'untrusted_signer', swap(ADDRESS, 'https://ec.europa.eu/tools/lotl/eu-lotl.xml')],
      ['another signer', 'untrusted_signer', (own) => swap(IDENTITIES, identities(stranger))(own)],
      ['another territory', 'wrong_list', swap('SchemeTerritory>SE', 'SchemeTerritory>XX')],
    ])('leads to a list that is refused if the pointer is changed to %s', async (_, fault, change) => {
      web.set(ADDRESS, publishedList('SE').bytes)
      web.set('https://ec.europa.eu/tools/lotl/eu-lotl.xml', LIST.bytes)
      const [changed] = await listsAfter(pointer(change))
      expect(changed && (await follow(changed))).toBe(fault)
      if (fault === 'forbidden') expect(requested).toEqual([])
    })

    it.each<[string, TextChange]>([
      ['the type of a list of lists', swap('TSLType/EUgeneric', 'TSLType/EUlistofthelists')],
      ['the media type application/pdf', swap('application/vnd.etsi.tsl+xml', 'application/pdf')],
      ['a territory that is not requested', swap('SchemeTerritory>SE', 'SchemeTerritory>YY')],
    ])('leads to no list if the pointer is changed to %s', async (_, change) => {
      expect(await listsAfter(pointer(change))).toEqual([])
    })

    it('ends the trust in every list if the pointer occurs twice', async () => {
      const twice = pointer((own) => own + own)
      const verified = await verify(signed(twice), { signers: [commission.pem] })
      expect(verified).toMatchObject({ ok: true, value: { ended: 'malformed', lists: [] } })
    })
  })

  describe('its pivots', () => {
    const NUMBERS = [282, 300, 335, 341, 378]
    const addressOf = (number: number) => `https://ec.europa.eu/tools/lotl/eu-lotl-pivot-${number}.xml`
    const ADDRESSES = NUMBERS.map(addressOf)
    const uri = (address: string) => `<URI xml:lang="en">${address}</URI>`
    /** Names these pivots before the Journal, newest first, instead of the published ones. */
    const withPivots =
      (addresses: readonly string[]): TextChange =>
      (whole) => {
        const without = ADDRESSES.reduce((rest, address) => swap(uri(address), '')(rest), whole)
        return swap(uri(journal.address), [...addresses, journal.address].map(uri).join(''))(without)
      }
    const newestFirst = ADDRESSES.toReversed()
    const changed = (addresses: readonly string[] = newestFirst) => signed(withPivots(addresses), successor)
    /** Publishes the pivots. `commission` and `successor` sign in turn, and each names the other. */
    function publish(change: (number: number) => Parameters<typeof signed> | undefined = () => undefined) {
      for (const [i, number] of NUMBERS.entries()) {
        const [by, next] = i % 2 === 0 ? [commission, successor] : [successor, commission]
        const numbered = swap('SequenceNumber>386', `SequenceNumber>${number}`)
        web.set(addressOf(number), signed(...(change(number) ?? [numbered, by, next])))
      }
    }
    const pinned = () => ({ signers: [commission.pem] })

    it('are fetched from the oldest to the newest, and lead from the pinned signer to the signer of the list', async () => {
      publish()
      const verified = await verify(changed(), pinned())
      expect(verified).toMatchObject({ ok: true, value: { sequence: 386, lastPivot: { number: 378 } } })
      const learned = verified.ok ? verified.value.learnedSigners : []
      expect(learned.map(fingerprintOf)).toEqual([fingerprintOf(successor.pem)])
      expect(requested).toEqual(ADDRESSES)
    })

    it.each<[string, number, () => readonly string[]]>([
      ['a chain without the oldest pivot', 1, () => newestFirst.slice(0, -1)],
      ['a pivot that is named twice', 0, () => [...newestFirst, addressOf(378)]],
      ['nine pivots', 0, () => Array.from({ length: 9 }, (_, i) => addressOf(385 - i))],
      ['a pivot that is not there', 1, () => [...newestFirst, addressOf(200)]],
    ])('add no signer in the case of %s', async (_, fetches, addresses) => {
      publish()
      const verified = await verify(changed(addresses()), pinned())
      expect(verified).toEqual({ ok: false, error: 'untrusted_signer' })
      expect(requested).toHaveLength(fetches)
    })

    it.each<[string, () => Parameters<typeof signed>]>([
      ['signed by a stranger', () => [swap('SequenceNumber>386', 'SequenceNumber>282'), stranger, successor]],
      ['with the number of another issue', () => [swap('SequenceNumber>386', 'SequenceNumber>283')]],
      [
        'of another territory',
        () => [(whole) => swap('SchemeTerritory>EU', 'SchemeTerritory>SE')(whole).replace('>386<', '>282<')],
      ],
    ])('add no signer after an oldest pivot %s, and no later pivot is fetched', async (_, oldest) => {
      publish((number) => (number === 282 ? oldest() : undefined))
      expect(await verify(changed(), pinned())).toEqual({ ok: false, error: 'untrusted_signer' })
      expect(requested).toEqual([addressOf(282)])
    })
  })
})
