// Status lists, revocation lists and trust lists in the library: what it fetches, and what it does if a list
// is missing or stale.

import { describe, expect, it } from 'vitest'
import {
  readTrustList,
  type TrustListInput,
  type XmlTrustListInput,
} from '../../packages/verify/src/index.ts'
import { mintIssuerPki } from '../support/certificates/certificates.ts'
import { makeCrl } from '../support/certificates/crl.ts'
import { publishedList } from '../support/certificates/published-lists.ts'
import { lotePayload, mintListSigner, PID_ISSUANCE, signLote } from '../support/certificates/trust-lists.ts'
import {
  AGE_LIST_TYPE,
  DEPRECATED,
  PAA,
  RECOGNIZED,
  signXmlList,
  TL_TYPE,
  type XmlListOptions,
  xmlList,
} from '../support/certificates/xml-lists.ts'
import { signJwt } from '../support/people/issuer.ts'
import { AGE, ageOf, certified, makeAuthority, makePerson, type Telling } from '../support/people/person.ts'
import { deflate } from '../trust/status/status-fixtures.ts'
import { answerRedirect, verify, wordsOf } from './stage.ts'

const URI = 'https://status.example.org/lists/1'
const authority = await makeAuthority()
const person = await makePerson(authority)
const now = () => Math.floor(Date.now() / 1000)

const answer = (telling: Telling) => answerRedirect((request) => ageOf(person, request, telling))

/** A status list whose entries are 0 (valid), 1 (revoked) and 2 (suspended), signed by the issuer. */
function statusList(): string {
  const lst = Buffer.from(deflate(Uint8Array.of(0b100100))).toString('base64url')
  const claims = { iss: authority.iss, sub: URI, iat: now(), ttl: 600, status_list: { bits: 2, lst } }
  return signJwt({ alg: 'ES256', typ: 'statuslist+jwt' }, claims, authority.key)
}

const withStatus = (idx: number, uri = URI) => answer({ claims: { status: { status_list: { idx, uri } } } })

/** A `fetch` with one resource. */
function web(url: string, body: string | Uint8Array<ArrayBuffer>) {
  const asked: string[] = []
  return {
    asked,
    fetch: async (address: string) => {
      asked.push(address)
      return address === url ? new Response(body) : new Response(null, { status: 404 })
    },
  }
}

describe('the status of a credential', () => {
  it.each([
    [0, 'verified', null],
    [1, 'rejected', 'credential_revoked'],
    [2, 'rejected', 'credential_suspended'],
  ])(
    'the value %i in the status list gives the result %s with the reason %s',
    async (idx, status, reason) => {
      const { fetch, asked } = web(URI, statusList())
      expect(wordsOf(await verify(await withStatus(idx), [authority.anchor()], { fetch }))).toEqual([
        status,
        reason,
      ])
      expect(asked).toEqual([URI])
    },
  )

  it('that cannot be fetched causes a refusal, or the level low if the caller accepts an unavailable status', async () => {
    const { fetch } = web('https://other.example', '')
    const answered = await withStatus(0)
    const strict = await verify(answered, [authority.anchor()], { fetch })
    expect(wordsOf(strict)).toEqual(['refused', 'status_unavailable'])
    const lenient = await verify(answered, [authority.anchor()], { fetch, statusUnavailable: 'accept' })
    expect(lenient).toMatchObject({ status: 'verified', assurance_level: 'low' })
  })

  it.each([
    'http://status.example.org:8080/1',
    'https://127.0.0.1/1',
    'https://localhost/1',
    'https://10.0.0.1/1',
  ])('is not fetched from %s', async (uri) => {
    const { fetch, asked } = web(uri, statusList())
    const result = await verify(await withStatus(0, uri), [authority.anchor()], { fetch })
    expect(wordsOf(result)).toEqual(['refused', 'status_unavailable'])
    expect(asked).toEqual([])
  })

  it('is fetched once for several responses if the caller passes the same fetch function', async () => {
    const { fetch, asked } = web(URI, statusList())
    for (let i = 0; i < 3; i++) await verify(await withStatus(0), [authority.anchor()], { fetch })
    expect(asked).toEqual([URI])
  })

  it('is unavailable if the fetch takes longer than the timeout, and the response is refused', async () => {
    const fetch = () => new Promise<Response>(() => undefined)
    const result = await verify(await withStatus(0), [authority.anchor()], { fetch, timeout: 20 })
    expect(wordsOf(result)).toEqual(['refused', 'status_unavailable'])
  })
})

describe('the revocation of a certificate of the issuer', () => {
  const CRL = 'http://crl.example.org/1.crl'

  it('is checked only if the caller requires the check, and a response with a revoked signer is refused', async () => {
    const pki = await mintIssuerPki({ leaf: { crls: [CRL], serialNumber: '2b' } })
    const {
      issuer: _,
      jwks: __,
      ...anchor
    } = { ...authority.anchor(), x509_ca_pem: pki.root.pem } as Record<string, unknown>
    const answered = await answer(certified(pki))
    expect(wordsOf(await verify(answered, [anchor]))).toEqual(['verified', null])
    const missing = await verify(answered, [anchor], { certificateRevocation: 'require' })
    expect(wordsOf(missing)).toEqual(['refused', 'certificate_status_unavailable'])
    const crl = await makeCrl(pki.intermediate, now(), { revoked: ['2b'] })
    const { fetch } = web(CRL, new Uint8Array(crl))
    const revoked = await verify(answered, [anchor], { certificateRevocation: 'require', fetch })
    expect(wordsOf(revoked)).toEqual(['refused', 'certificate_revoked'])
  })
})

const pki = await mintIssuerPki()
const listSigner = await mintListSigner()

async function trustList(changes: Partial<TrustListInput> = {}, sequence = 7) {
  const nextUpdate = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+/, '')
  const issued = new Date(Date.now() - 86_400_000).toISOString().replace(/\.\d+/, '')
  const services = [{ type: PID_ISSUANCE, certificates: [pki.root.x5c] }]
  const body = await signLote(listSigner, {
    payload: lotePayload({ sequence, services, nextUpdate, issued }),
    header: { iat: now() - 86_400 },
  })
  return readTrustList({
    name: 'eu',
    kind: 'etsi_lote',
    body,
    signers: [{ x509_certificate_pem: listSigner.pem }],
    services: [{ type: PID_ISSUANCE, credential_types: ['age_attestation'], assurance_level: 'high' }],
    ...changes,
  })
}

async function goodList(changes: Partial<TrustListInput> = {}) {
  const result = await trustList(changes)
  if (!result.ok) throw new Error(result.reason)
  return result.list
}

describe('a trust list', () => {
  it('gives anchors, and the result names the list of the anchor that was used', async () => {
    const result = await verify(await answer(certified(pki)), [await goodList()])
    expect(result).toMatchObject({ status: 'verified', assurance_level: 'high' })
    expect(JSON.stringify(result)).toContain('"list":{"name":"eu","sequence":7')
  })

  it('a stale trust list causes trust_list_unavailable for the issuers in the list, but not for an issuer with another anchor', async () => {
    const list = await goodList()
    const now = new Date(Date.now() + 120_000)
    const stale = { ...list, usableUntil: new Date(now.getTime() - 2000) }
    const usableUntil = Object.defineProperty(list, 'usableUntil', { value: stale.usableUntil })
    const listed = await verify(await answer(certified(pki)), [usableUntil], { now })
    expect(wordsOf(listed)).toEqual(['refused', 'trust_list_unavailable'])
    const own = await verify(await answer({}), [usableUntil, authority.anchor()], { now })
    expect(wordsOf(own)).toEqual(['verified', null])
  })

  it('is accepted only as the object that readTrustList returned, not as a copy', async () => {
    const copy = JSON.parse(JSON.stringify(await goodList()))
    await expect(verify(await answer(certified(pki)), [copy])).rejects.toThrow('/anchors/0')
  })

  it.each<[string, () => Promise<unknown>]>([
    ['untrusted_signer', async () => trustList({ signers: [{ x509_certificate_pem: pki.leaf.pem }] })],
    ['wrong_list_type', () => trustList({ listType: 'http://uri.etsi.org/19602/LoTEType/Other' })],
    ['rolled_back', () => trustList({ previous: { sequence: 8, issuedAt: null } })],
    ['expired', () => trustList({ now: new Date(Date.now() + 2 * 86_400_000) })],
    [
      'nothing_usable',
      () => trustList({ services: [{ type: 'x', credential_types: ['pid'], assurance_level: 'low' }] }),
    ],
  ])('is refused as %s', async (reason, read) => {
    expect(await read()).toEqual({ ok: false, reason })
  })
})

const LIST_URL = 'https://lists.example.eu/list'

/** A response to a query that accepts issuers of one list alone. */
const answerToQuery = (values: readonly string[]) =>
  answerRedirect((request) => ageOf(person, request, certified(pki)), {
    policy: {
      dcql_query: {
        credentials: [
          {
            id: 'age',
            format: 'dc+sd-jwt',
            meta: { vct_values: [AGE] },
            claims: [{ path: ['age_over_18'] }],
            trusted_authorities: [{ type: 'etsi_tl', values: [...values] }],
          },
        ],
      },
    },
  })

describe('a query with trusted_authorities of type etsi_tl', () => {
  it.each<[string, () => Promise<object>]>([
    ['in JSON', () => goodList({ url: LIST_URL })],
    ['in XML', () => goodXmlList({ url: LIST_URL })],
  ])(
    'accepts an issuer of the named list, and refuses an issuer of another list: list %s',
    async (_, read) => {
      const list = await read()
      expect(wordsOf(await verify(await answerToQuery([LIST_URL]), [list]))).toEqual(['verified', null])
      const other = await verify(await answerToQuery([`${LIST_URL}/2`]), [list])
      expect(other.status).toBe('refused')
    },
  )
})

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const [since, issued, nextUpdate] = [day(-2), day(-1), day(30)]

/** The EU's age verification list with one issuer. */
function ageList(options: XmlListOptions = {}, status = RECOGNIZED) {
  const services = [{ type: PAA, status, certificates: [pki.root.x5c], since }]
  const times = { issued, nextUpdate }
  return signXmlList(
    xmlList({ type: AGE_LIST_TYPE, territory: 'EU', services, ...times, ...options }),
    listSigner,
  )
}

const xmlTrustList = (changes: Partial<XmlTrustListInput> = {}) =>
  readTrustList({
    name: 'eu_age',
    kind: 'etsi_tl',
    body: ageList(),
    signers: [{ x509_certificate_pem: listSigner.pem }],
    schemes: 'eu_age_verification',
    assuranceLevel: 'substantial',
    ...changes,
  })

async function goodXmlList(changes: Partial<XmlTrustListInput> = {}) {
  const result = await xmlTrustList(changes)
  if (!result.ok) throw new Error(result.reason)
  return result.list
}

/** Members of the anchors of a list that callers do not see. */
type Listed = { readonly service: { readonly type: string } }

describe('a trust list in XML', () => {
  it('gives anchors with the assurance level that the caller sets, and the result names list, service and status', async () => {
    const list = await goodXmlList()
    expect(list).toMatchObject({ sequence: 7, leftOut: 0, anchors: [{}] })
    const result = await verify(await answer(certified(pki)), [list])
    expect(result).toMatchObject({ status: 'verified', assurance_level: 'substantial' })
    const derivation = JSON.stringify(result)
    expect(derivation).toContain('"list":{"name":"eu_age","sequence":7')
    expect(derivation).toContain(`"service":{"type":"${PAA}","status":"${RECOGNIZED}"}`)
  })

  it('a trust list in XML whose only service is deprecated has no anchors, and its issuer is untrusted', async () => {
    const list = await goodXmlList({ body: ageList({ sequence: 8 }, DEPRECATED) })
    expect(list.anchors).toEqual([])
    expect(wordsOf(await verify(await answer(certified(pki)), [list]))).toEqual([
      'refused',
      'untrusted_issuer',
    ])
  })

  it('a trust list of a Member State gives anchors for the services and statuses that the caller names', async () => {
    const { bytes, signer } = publishedList('SE')
    const type = 'http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST'
    const service = { type, credential_types: ['pid'], assurance_level: 'low' } as const
    const published: XmlTrustListInput = {
      name: 'se',
      kind: 'etsi_tl',
      body: bytes,
      signers: [{ x509_certificate_pem: signer }],
      listType: TL_TYPE,
      territory: 'SE',
      now: new Date('2026-08-25T12:00:00Z'),
    }
    const read = await readTrustList({ ...published, services: [service] })
    expect(read).toMatchObject({ list: { sequence: 62, usableUntil: new Date('2027-02-19T14:56:19Z') } })
    const types =
      read.ok && read.list.anchors.map((anchor) => (anchor as typeof anchor & Listed).service.type)
    expect(new Set(types || [])).toEqual(new Set([type]))
    const other = [{ ...service, statuses: [RECOGNIZED] }]
    expect(await readTrustList({ ...published, services: other })).toMatchObject({ list: { anchors: [] } })
    expect(await readTrustList({ ...published, services: [service], territory: 'DE' })).toEqual({
      ok: false,
      reason: 'wrong_list',
    })
  })

  it('replaces the previous list, except with a lower number, or with the same number and different content', async () => {
    const previous = await goodXmlList()
    expect((await goodXmlList({ previous })).sequence).toBe(7)
    expect((await goodXmlList({ previous, body: ageList({ sequence: 8 }) })).sequence).toBe(8)
    for (const body of [ageList({ sequence: 6 }), ageList({}, DEPRECATED)])
      expect(await xmlTrustList({ previous, body })).toEqual({ ok: false, reason: 'rolled_back' })
  })

  it.each<[object, () => Promise<unknown>]>([
    [
      { reason: 'untrusted_signer' },
      () => xmlTrustList({ signers: [{ x509_certificate_pem: pki.leaf.pem }] }),
    ],
    [{ reason: 'wrong_list' }, () => xmlTrustList({ body: ageList({ type: TL_TYPE }) })],
    [{ reason: 'too_large' }, () => xmlTrustList({ body: new Uint8Array(8_388_609) })],
    [{ reason: 'closed', ended: true }, () => xmlTrustList({ body: ageList({ nextUpdate: null }) })],
    [{ reason: 'expired', ended: true }, () => xmlTrustList({ now: new Date(Date.now() + 31 * 86_400_000) })],
  ])('is refused with %j', async (refusal, read) => {
    expect(await read()).toEqual({ ok: false, ...refusal })
  })
})
