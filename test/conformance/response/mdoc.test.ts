// `mso_mdoc` over HTTP (api/outcome and api/protocols, OpenID4VP 1.0 B.2): created by @owf/mdoc, sent by a
// foreign wallet. Device MACs are made by node:crypto, since that library labels them as signatures.

import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto'
import { compactDecrypt, decodeJwt } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { useJudge } from '../../support/judge/responses.ts'
import { encryptionKeyOf, madeMdocAgeOf } from '../../support/people/made-mdoc.ts'
import { fullDate, MDOC_SIGNER } from '../../support/people/mdoc.ts'
import {
  MDOC_AGE,
  type MdocPerson,
  type MdocTelling,
  makeDevice,
  makeMdocPerson,
  mdocAgeOf,
  mdocOf,
} from '../../support/people/mdoc-person.ts'
import { queryFor } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
useJudge(stage)
let person: MdocPerson
let rp: RelyingParty
beforeAll(async () => {
  person = await makeMdocPerson()
  rp = await relyingPartyOf(stage, { trust_anchors: [person.anchor()] })
})

const DAY = 86_400_000
const BY_MDOC = { ...OVER_18, formats: ['mso_mdoc'] }

/** Responds to a policy. Resolves to the poll and the status of the wallet's request. */
async function outcomeOf(answer: (request: ReceivedRequest) => Promise<object>, policy: object = BY_MDOC) {
  const { session, request } = await begin(stage, policy, { rp })
  const response = await stage.service.wallet.present(request, (await answer(request)) as never)
  return { status: response.status, poll: await rp.poll(session.verification_id) }
}

it('api/result: the service verifies an mdoc, and cites the clauses of mdocs in the trace', async () => {
  const { poll } = await outcomeOf((request) => mdocAgeOf(person, request))
  expect(poll).toMatchObject({
    status: 'verified',
    checks: { age_over_18: true },
    assurance_level: 'substantial',
    format: 'mso_mdoc',
    issuer: 'CN=Test Document Signer,O=Test Issuer,C=DE',
  })
  const { trace } = poll as unknown as { trace: readonly { id: string; clause: string; result: string }[] }
  expect(trace.find(({ id }) => id === 'disclosures')).toEqual({
    id: 'disclosures',
    clause: 'ISO/IEC 18013-5 §9.1.2.5',
    result: 'pass',
  })
  expect(JSON.stringify(trace)).not.toMatch(/RFC 9901|SD-JWT/)
})

/** Authentic responses that no policy here accepts. */
const REJECTED: readonly (readonly [string, MdocTelling, string])[] = [
  ['contains false', { nameSpaces: { [MDOC_AGE]: { age_over_18: false } } }, 'predicate_false'],
  [
    'has expired',
    { signed: new Date(Date.now() - 2 * DAY), validUntil: new Date(Date.now() - DAY) },
    'credential_expired',
  ],
  ['is not valid yet', { validFrom: new Date(Date.now() + DAY / 2) }, 'credential_not_yet_valid'],
]

it.each(REJECTED)(
  'api/outcome: the service ends the session as rejected if the mdoc %s',
  async (_, telling, code) => {
    const { status, poll } = await outcomeOf((request) => mdocAgeOf(person, request, telling))
    expect([status, poll.status, poll.reason?.code]).toEqual([200, 'rejected', code])
  },
)

const otherPki = await mintIssuerPki({
  root: { subject: 'C=DE,O=Other Trust,CN=Other Root CA' },
  leaf: { extendedKeyUsage: [MDOC_SIGNER] },
})

/** Responses that are not authentic. */
const REFUSED: readonly (readonly [string, MdocTelling, string])[] = [
  ['made for another nonce', { answering: { nonce: 'f'.repeat(32) } }, 'invalid_holder_signature'],
  ['made for another verifier', { answering: { client_id: 'x509_hash:AAAA' } }, 'invalid_holder_signature'],
  [
    'made for another response_uri',
    { answering: { response_uri: 'https://verifier.example/elsewhere' } },
    'invalid_holder_signature',
  ],
  ['made for an unencrypted response', { answering: { client_metadata: {} } }, 'invalid_holder_signature'],
  ['signed by another device', { holder: makeDevice() }, 'invalid_holder_signature'],
  ['of an untrusted authority', { pki: otherPki }, 'untrusted_issuer'],
]

it.each(REFUSED)(
  'api/outcome: the service refuses an mdoc %s with 400 and records an attempt',
  async (_, telling, reason) => {
    const { status, poll } = await outcomeOf((request) => mdocAgeOf(person, request, telling))
    expect([status, poll.status, poll.attempts.map(({ reason: { code } }) => code)]).toEqual([
      400,
      'pending',
      [reason],
    ])
  },
)

it.each(['org.iso.23220.photoid.1', 'org.iso.23220.photoID.1'])(
  'api/types: the service verifies a photo_id with the docType %s',
  async (docType) => {
    const policy = { credential_types: ['photo_id'], scope: ['family_name', 'person_id'] }
    const nameSpaces = { 'org.iso.23220.1': { family_name: 'Mustermann' }, [docType]: { person_id: '1' } }
    const { poll } = await outcomeOf(
      async (request) => ({
        [queryFor(request, docType)]: [await mdocOf(person, docType, nameSpaces, request)],
      }),
      policy,
    )
    expect([poll.status, poll.checks]).toEqual(['verified', { family_name: true, person_id: true }])
  },
)

it.each<[string, object, string]>([
  ['without a mask', {}, 'verified'],
  ['with a masked day that does not matter', { approximate_mask: '00000011' }, 'verified'],
  ['with a masked year', { approximate_mask: '11110000' }, 'rejected'],
])(
  'api/result: the service derives an age from the birth_date map of a photo_id, unless the mask hides the age: %s',
  async (_, mask, status) => {
    const docType = 'org.iso.23220.photoid.1'
    const policy = { credential_types: ['photo_id'], scope: ['age_over_18'], allow_derived: true }
    const nameSpaces = { 'org.iso.23220.1': { birth_date: { birth_date: fullDate('1963-08-12'), ...mask } } }
    const { poll } = await outcomeOf(
      async (request) => ({
        [queryFor(request, docType)]: [await mdocOf(person, docType, nameSpaces, request)],
      }),
      policy,
    )
    expect([poll.status, poll.checks]).toEqual([status, { age_over_18: status === 'verified' }])
  },
)

it('api/result: the service encrypts the elements to the relying party: a portrait as base64url, dates as text', async () => {
  const key = createPrivateKey({ key: makeDevice(), format: 'jwk' })
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' })
  const policy = {
    credential_types: ['mdl'],
    scope: ['portrait', 'birthdate', 'age_over_18'],
    claims_encryption_jwk: { kty, crv, x, y, kid: 'rp', use: 'enc', alg: 'ECDH-ES' },
  }
  const docType = 'org.iso.18013.5.1.mDL'
  const portrait = new Uint8Array(3000).fill(0xfb)
  const elements = {
    portrait,
    birth_date: fullDate('1963-08-12'),
    age_over_18: true,
    family_name: 'Mustermann',
  }
  const { poll } = await outcomeOf(
    async (request) => ({
      [queryFor(request, docType)]: [
        await mdocOf(person, docType, { 'org.iso.18013.5.1': elements }, request),
      ],
    }),
    policy,
  )
  expect(JSON.stringify(poll)).not.toMatch(/-_v7|1963-08-12|Mustermann/)
  const { encrypted_claims } = poll as unknown as { encrypted_claims: string }
  const { plaintext } = await compactDecrypt(encrypted_claims, key)
  expect(decodeJwt(Buffer.from(plaintext).toString())).toMatchObject({
    credentials: [
      {
        claims: {
          portrait: Buffer.from(portrait).toString('base64url'),
          birthdate: '1963-08-12',
          age_over_18: true,
        },
      },
    ],
  })
})

it('OpenID4VP 1.0 B.2.2: the service accepts a device MAC whose key is derived with the encryption key of the request', async () => {
  const { poll } = await outcomeOf((request) =>
    madeMdocAgeOf(person, request, { macWith: encryptionKeyOf(request) as JsonWebKey }),
  )
  expect(poll).toMatchObject({ status: 'verified', format: 'mso_mdoc' })
})

it.each([
  ['agreed with another key', {}, 'invalid_holder_signature'],
  [
    'in an unencrypted response',
    { request_options: { response_mode: 'direct_post' } },
    'unsupported_algorithm',
  ],
])('OpenID4VP 1.0 B.2.2: the service refuses a device MAC %s', async (_, options, reason) => {
  const answer = (request: ReceivedRequest) => madeMdocAgeOf(person, request, { macWith: makeDevice() })
  const { status, poll } = await outcomeOf(answer, { ...BY_MDOC, ...options })
  expect([status, poll.attempts.map(({ reason: { code } }) => code)]).toEqual([400, [reason]])
})
