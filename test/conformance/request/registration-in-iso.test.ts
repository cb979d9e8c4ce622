// ETSI TS 119 472-2 §5.3: the registration certificate in `requestInfo` of an ISO request. The wallet is a
// strict fake of EUDI's reader. It refuses each hostile change, and reads the good request after it.

import { type JsonWebKey, sign } from 'node:crypto'
import { encode } from 'cborg'
import { decodeJwt, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { openEnvelope, verifyContainer } from '../../../packages/evidence/src/evidence.ts'
import { mintLeaf, mintRoot } from '../../support/certificates/certificates.ts'
import { answerAnnexC } from '../../support/people/annex-c-person.ts'
import {
  type AnnexCRequest,
  type ReceivedAnnexC,
  receiveAnnexC,
  requestHashOf,
} from '../../support/people/annex-c-wallet.ts'
import { makeMdocPerson } from '../../support/people/mdoc-person.ts'
import { fetchEvidence, newKeeper } from '../../support/service/evidence.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf, useStage } from '../../support/service/stage.ts'
import { readRegistration, SOURCES } from '../../support/wallets/eu/registered-request.ts'
import { identityOf } from '../../support/wallets/good-request.ts'

const stage = useStage()
const SHOP = 'https://shop.example'
const ID = 'NTRNL-12345678'
const person = await makeMdocPerson()
const [access, registrarCa] = await Promise.all([mintRoot(), mintRoot({ subject: 'CN=Registrar' })])
const leaf = await mintLeaf(access, { subject: `CN=Shop,2.5.4.97=${ID}` })
const registrar = await mintLeaf(registrarCa)
const readerOf = (subject: string) => mintLeaf(access, { subject, extendedKeyUsage: ['1.0.18013.5.1.6'] })
const [reader, unnamed] = await Promise.all([`CN=Reader,2.5.4.97=${ID}`, 'CN=Reader'].map(readerOf))

const AGE = {
  format: 'mso_mdoc',
  meta: { doctype_value: 'eu.europa.ec.av.1' },
  claim: [{ path: ['eu.europa.ec.av.1', 'age_over_18'] }],
}
const STATUS = { status_list: { idx: 1, uri: 'https://registrar.example/status' } }
const certify = (claims: object) =>
  new SignJWT({ sub: ID, credentials: [AGE], status: STATUS, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'rc-wrp+jwt', x5c: [registrar.x5c] })
    .sign(registrar.keys.privateKey)
const CERTIFICATE = await certify({})

/** A CWT with the same claims, which the registrar signs. */
function certifyCwt(claims: object = {}, typ = 'rc-wrp+cwt', signer = registrar): string {
  const header = encode(
    new Map<number, unknown>([
      [1, -7],
      [16, typ],
    ]),
  )
  const payload = encode({ sub: ID, credentials: [AGE], status: STATUS, ...claims })
  const covered = encode(['Signature1', header, new Uint8Array(), payload])
  const key = {
    key: { ...signer.privateJwk } as JsonWebKey,
    format: 'jwk',
    dsaEncoding: 'ieee-p1363',
  } as const
  const signature = Uint8Array.from(sign('sha256', covered, key))
  const chain = new Map([[33, Uint8Array.from(registrar.der)]])
  return Buffer.from(encode([header, chain, payload, signature])).toString('base64url')
}
const CWT = certifyCwt()

const ALONE = { ...OVER_18, protocol: 'iso-18013-7-c' }
const wallet = { platform: 'android', registrarCa: registrarCa.pem, now: Date.now() / 1000 } as const

function shop({
  certificate = CERTIFICATE,
  domain = 'shop.example',
  by = reader,
  uses = undefined as readonly object[] | undefined,
  settings = {},
} = {}): Promise<RelyingParty> {
  const registration = { certificate, dataset: { identifier: ID } }
  const reader_certificates = [{ ...identityOf(by!), domains: [domain] }]
  const verifier = { ...identityOf(leaf), registration, reader_certificates, ...(uses && { uses }) }
  return relyingPartyOf(stage, { origins: [SHOP], trust_anchors: [person.anchor()], verifier, ...settings })
}

async function ask(rp: RelyingParty, creation: object = ALONE) {
  const created = await rp.create(creation)
  const id = created.verification_id
  const asked = await rp.call('POST', `/v1/verify/${id}/dc-api/request`, { body: {} })
  const { digital } = (await expectStatus(asked, 200)) as { digital: { requests: AnnexCRequest[] } }
  const entry = digital.requests.find(({ protocol }) => protocol === 'org-iso-mdoc')
  if (entry === undefined) throw new Error('no org-iso-mdoc')
  const { warnings } = created as unknown as { warnings: readonly { code: string; pointer: string }[] }
  return { id, warnings, entry, request: receiveAnnexC(entry, SHOP) }
}

const respond = async (rp: RelyingParty, id: string, request: ReceivedAnnexC) =>
  rp.call('POST', `/v1/verify/${id}/dc-api`, { body: await answerAnnexC(person, request) })

describe('the org-iso-mdoc request of a registered relying party', () => {
  it('has a registration certificate that the wallet accepts on Android and iOS, and the response verifies', async () => {
    const rp = await shop()
    const { id, request, warnings } = await ask(rp)
    const read = { registered: { sub: ID }, failure: null, beyond: [] }
    expect(await readRegistration(request, wallet)).toMatchObject(read)
    expect(await readRegistration(request, { ...wallet, platform: 'ios' })).toMatchObject(read)
    expect(warnings).toEqual([])
    expect(await expectStatus(await respond(rp, id, request), 200)).toMatchObject({ status: 'verified' })
  })

  it('has only the certificate of the intended use that the create request names', async () => {
    const other = await certify({ purpose: [{ lang: 'en', value: 'Delivery' }] })
    const uses = [{ intended_use: 'delivery', certificate: other, dataset: { identifier: ID } }]
    const rp = await shop({ uses })
    const sent = async (members: object) => {
      const { registrations } = (await ask(rp, { ...ALONE, ...members })).request
      return new Set(registrations.map((one) => Buffer.from(one).toString()))
    }
    expect(await sent({ intended_use: 'delivery' })).toEqual(new Set([other]))
    expect(await sent({})).toEqual(new Set([CERTIFICATE]))
  })

  it('lets the wallet find the unregistered element that the create response also warns of', async () => {
    const { request, warnings } = await ask(await shop(), { ...ALONE, scope: ['age_over_18', 'age_over_21'] })
    expect(await readRegistration(request, wallet)).toMatchObject({ beyond: ['age_over_21'] })
    expect(warnings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['not_registered /scope/1'])
  })

  it('has no registration certificate if it has no reader authentication, and the response verifies', async () => {
    const rp = await shop({ domain: 'elsewhere.example' })
    const { id, request } = await ask(rp)
    expect([request.readers, request.registrations]).toEqual([[], []])
    expect(await readRegistration(request, wallet)).toMatchObject({ failure: 'CERTIFICATE_ABSENT' })
    expect(await readRegistration(request, { ...wallet, platform: 'ios' })).toBeNull()
    expect(await expectStatus(await respond(rp, id, request), 200)).toMatchObject({ status: 'verified' })
  })

  it('contains a registration certificate in CWT form as a byte string, which the wallet can read on Android but not on iOS', async () => {
    const { request } = await ask(await shop({ certificate: CWT }))
    expect(Buffer.from(request.registrations[0] ?? []).toString('base64url')).toBe(CWT)
    const read = { registered: { sub: ID }, failure: null, beyond: [] }
    expect(await readRegistration(request, wallet)).toMatchObject(read)
    expect(await readRegistration(request, { ...wallet, platform: 'ios' })).toMatchObject({
      failure: 'other',
    })
  })

  it('has the same hash in the receipt as in the wallet, even if the registration was removed before the response', async () => {
    const rp = await shop()
    const { id, request, entry } = await ask(rp)
    await expectStatus(await rp.call('PATCH', '/v1/relying_party', { body: { verifier: null } }), 200)
    await expectStatus(await respond(rp, id, request), 200)
    const receipt = await (await rp.call('GET', `/v1/verify/${id}/receipt`)).text()
    expect(decodeJwt(receipt).request_hash).toBe(requestHashOf(entry, SHOP))
  })
})

it('the offline verifier confirms the request_hash of a request with a registration certificate, and no check of the evidence fails', async () => {
  const keeper = await newKeeper(stage.service, (settings) => shop({ settings }))
  const { id, request } = await ask(keeper.rp, { ...ALONE, evidence: true })
  await expectStatus(await respond(keeper.rp, id, request), 200)
  const { envelope } = await fetchEvidence(keeper, id)
  const { zip } = await openEnvelope(JSON.stringify(envelope), [keeper.recipient.privateJwk])
  const { checks } = (await verifyContainer(zip)).report
  expect(checks.find((check) => check.id === 'request_hash')).toMatchObject({ result: 'pass' })
  expect(checks.filter(({ result }) => result === 'fail')).toEqual([])
})

describe('the strict wallet', async () => {
  const good = async () => (await ask(await shop())).request
  const stranger = await mintLeaf(await mintRoot({ subject: 'CN=Stranger' }))
  type Wallet = Parameters<typeof readRegistration>[1]
  type Hostile = {
    readonly request?: (request: ReceivedAnnexC) => object
    readonly certificate?: string
    readonly status?: Wallet['status']
  }
  const signedBy = async (claims: object, typ = 'rc-wrp+jwt', by = registrar) =>
    new SignJWT({ sub: ID, credentials: [AGE], status: STATUS, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ, x5c: [by.x5c] })
      .sign(by.keys.privateKey)
  const [EXPIRED, OTHER_TYPE, UNTRUSTED, INTERMEDIARY, NO_STATUS] = await Promise.all([
    signedBy({ exp: Math.floor(Date.now() / 1000) - 1 }),
    signedBy({}, 'JWT'),
    signedBy({}, 'rc-wrp+jwt', stranger),
    signedBy({ intermediary: { sub: 'NTRNL-87654321' } }),
    signedBy({ status: undefined }),
  ])
  const HOSTILE: readonly (readonly [name: string, hostile: Hostile, android: string, ios: string])[] = [
    [
      'no reader authentication',
      { request: () => ({ readers: [] }) },
      'NOT_BOUND_TO_REQUESTER',
      'accessCertificateUnavailable',
    ],
    [
      'a reader certificate that lacks the identifier',
      { request: () => ({ readers: ['CN=Reader'] }) },
      'NOT_BOUND_TO_REQUESTER',
      'notBoundToAccessCertificate',
    ],
    [
      'the identifier of an intermediary that is not the reader',
      { certificate: INTERMEDIARY },
      'NOT_BOUND_TO_REQUESTER',
      'notBoundToAccessCertificate',
    ],
    [
      'a changed signature',
      { certificate: `${CERTIFICATE.slice(0, -4)}AAAA` },
      'SIGNATURE_INVALID',
      'trustError',
    ],
    ['a registrar that is on no list', { certificate: UNTRUSTED }, 'UNTRUSTED_PROVIDER', 'trustError'],
    ['the typ JWT', { certificate: OTHER_TYPE }, 'MALFORMED', 'invalidType'],
    ['an exp in the past', { certificate: EXPIRED }, 'EXPIRED', 'expired'],
    ['no status', { certificate: NO_STATUS }, 'STATUS_MISSING', 'statusMissing'],
    ['a revoked status', { status: () => 'revoked' }, 'REVOKED', 'statusRevoked'],
    [
      'an unavailable status list',
      { status: () => 'unknown' },
      'REVOCATION_STATUS_UNKNOWN',
      'statusRetrievalFailed',
    ],
  ]

  it.each(HOSTILE)(
    'ignores a registration with %s, and accepts the good request after it',
    async (_, { request: change, certificate, status }, android, ios) => {
      const request = await good()
      const registrations = certificate === undefined ? {} : { registrations: [Buffer.from(certificate)] }
      const hostile = { ...request, ...registrations, ...change?.(request) } as ReceivedAnnexC
      for (const [platform, failure] of Object.entries({ android, ios })) {
        const reader = { ...wallet, platform: platform as Wallet['platform'] }
        expect(await readRegistration(hostile, { ...reader, ...(status && { status }) })).toMatchObject({
          failure,
        })
        expect(await readRegistration(request, reader)).toMatchObject({ failure: null })
      }
    },
  )

  it.each([
    ['a changed signature', certifyCwt({}, 'rc-wrp+cwt', stranger), 'SIGNATURE_INVALID'],
    ['the typ cwt', certifyCwt({}, 'cwt'), 'MALFORMED'],
    ['an exp in the past', certifyCwt({ exp: 1 }), 'EXPIRED'],
    ['no status', certifyCwt({ status: undefined }), 'STATUS_MISSING'],
    [
      'bytes after its end',
      Buffer.concat([Buffer.from(CWT, 'base64url'), Buffer.from([0])]).toString('base64url'),
      'MALFORMED',
    ],
  ])('ignores a registration in CWT form with %s', async (_, certificate, failure) => {
    const request = await good()
    const registrations = [Uint8Array.from(Buffer.from(certificate, 'base64url'))]
    expect(await readRegistration({ ...request, registrations }, wallet)).toMatchObject({ failure })
  })

  it('accepts a registration whose intermediary is the reader', async () => {
    const certificate = await signedBy({ sub: 'NTRNL-87654321', intermediary: { sub: ID } })
    const request = { ...(await good()), registrations: [Buffer.from(certificate)] }
    expect(await readRegistration(request, wallet)).toMatchObject({ failure: null })
  })

  it('ignores a registration on iOS, but not on Android, if a document request lacks the registration', async () => {
    const request = await good()
    const documents = [...request.documents, ...request.documents]
    const ends = await Promise.all(
      (['android', 'ios'] as const).map((platform) =>
        readRegistration({ ...request, documents }, { ...wallet, platform }),
      ),
    )
    expect(ends.map((end) => end?.failure)).toEqual([null, 'wrprcNotRepeated'])
  })

  it('names a commit for each of the wallet sources whose behaviour it copies', () => {
    expect(SOURCES.every((one) => 'commit' in one && /^[0-9a-f]{40}$/.test(one.commit))).toBe(true)
  })

  it('refuses a request with two different copies of the registration', async () => {
    const request = await good()
    const { documents, registrations } = request
    const two = {
      documents: [...documents, ...documents],
      registrations: [...registrations, Buffer.from('a')],
    }
    await expect(readRegistration({ ...request, ...two }, wallet)).rejects.toThrow('differ')
  })
})

it('the settings warn of a registration that no reader certificate names, and the wallet ignores this registration', async () => {
  const rp = await shop({ by: unnamed })
  const { request } = await ask(rp)
  expect(await readRegistration(request, wallet)).toMatchObject({ failure: 'NOT_BOUND_TO_REQUESTER' })
  const warnings = async (one: RelyingParty) =>
    (
      (await expectStatus(await one.call('GET', '/v1/relying_party'), 200)) as {
        warnings: { code: string }[]
      }
    ).warnings
  const code = 'registration_other_subject'
  expect(await warnings(rp)).toMatchObject([{ code, pointer: '/verifier/reader_certificates' }])
  expect(await warnings(await shop())).toEqual([])
})
