// api/result: the issuer that a refused credential names, in each format. It is for the staff of the relying
// party, is marked as unverified, and is in no event.

import { createHash } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { type IssuerPki, mintIssuerPki, mintLeaf } from '../../support/certificates/certificates.ts'
import { makeKey } from '../../support/people/issuer.ts'
import { didJwkOf } from '../../support/people/jwt-vc.ts'
import { type JwtVcPerson, jwtVcAgeOf, makeJwtVcPerson } from '../../support/people/jwt-vc-person.ts'
import { type MdocPerson, makeMdocPerson, mdocAgeOf } from '../../support/people/mdoc-person.ts'
import { ageOf, certified, type Telling } from '../../support/people/person.ts'
import type { Presentations, ReceivedRequest } from '../../support/people/wallet.ts'
import { OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { begin, eventsOf, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
let pki: IssuerPki
let other: IssuerPki
let mdoc: MdocPerson
let subject: JwtVcPerson
let rp: RelyingParty
beforeAll(async () => {
  ;[pki, other, mdoc, subject] = await Promise.all([
    mintIssuerPki(),
    mintIssuerPki(),
    makeMdocPerson(),
    makeJwtVcPerson(),
  ])
  rp = await relyingPartyOf(stage, {
    trust_anchors: [
      stage.authority.anchor(),
      stage.authority.anchor({ issuer: undefined, jwks: undefined, x509_ca_pem: pki.root.pem }),
    ],
    webhook: {
      url: stage.receiver.url,
      events: ['verification.response_refused', 'verification.canceled'],
    },
  })
})

const NOTHING = {
  verified: false,
  iss: null,
  subject: null,
  issuer: null,
  authority_key_identifier: null,
  certificate_sha256: null,
  certificate_pem: null,
}

/** Returns the attempt of a response that is refused. */
async function attemptOf(answer: (request: ReceivedRequest) => Promise<Presentations>, policy: object = {}) {
  const { session, request } = await begin(stage, { ...OVER_18, ...policy }, { rp })
  const sent = await stage.service.wallet.present(request, await answer(request))
  expect(sent.status).toBe(400)
  const { attempts } = await rp.poll(session.verification_id)
  const [attempt] = attempts as unknown as { reason: { code: string }; claimed_issuer: object | null }[]
  return { id: session.verification_id, reason: attempt?.reason.code, claimed: attempt?.claimed_issuer }
}

const attemptWith = (telling: Telling) => attemptOf((request) => ageOf(stage.person, request, telling))

/** Returns the description of a leaf as the test reads it. */
function describeLeaf({ leaf }: Pick<IssuerPki, 'leaf'>) {
  const hash = createHash('sha256').update(Buffer.from(leaf.x5c, 'base64')).digest('hex')
  return {
    ...NOTHING,
    subject: 'CN=Test Document Signer,O=Test Issuer,C=DE',
    issuer: expect.stringContaining('CN='),
    certificate_sha256: hash,
    certificate_pem: `-----BEGIN CERTIFICATE-----\n${leaf.x5c}\n-----END CERTIFICATE-----\n`,
  }
}

it('api/result: an attempt names the iss of an untrusted SD-JWT VC, and marks the iss as not verified', async () => {
  const { reason, claimed } = await attemptWith({ claims: { iss: 'https://other.example' } })
  expect(reason).toBe('untrusted_issuer')
  expect(claimed).toEqual({ ...NOTHING, iss: 'https://other.example' })
})

it('api/result: an attempt describes the certificate of an untrusted SD-JWT VC', async () => {
  const value = Uint8Array.of(0x30, 0x16, 0x80, 0x14, ...new Uint8Array(20).fill(0xa5))
  const extensions = [{ oid: '2.5.29.35', critical: false, value }]
  const leaf = await mintLeaf(other.intermediate, { extensions, keys: other.leaf.keys })
  const { reason, claimed } = await attemptWith(certified({ ...other, leaf }))
  expect(reason).toBe('invalid_certificate_path')
  expect(claimed).toEqual({ ...describeLeaf({ leaf }), authority_key_identifier: 'a5'.repeat(20) })
})

it('api/result: an attempt describes the certificate of an untrusted mdoc', async () => {
  const { reason, claimed } = await attemptOf((request) => mdocAgeOf(mdoc, request), {
    formats: ['mso_mdoc'],
  })
  expect(reason).toBe('invalid_certificate_path')
  expect(claimed).toEqual(describeLeaf(mdoc.pki))
})

it('api/result: an attempt names the iss of an untrusted jwt_vc_json, with 300 characters at most', async () => {
  const { reason, claimed } = await attemptOf((request) => jwtVcAgeOf(subject, request), {
    formats: ['jwt_vc_json'],
  })
  expect(reason).toBe('untrusted_issuer')
  expect(claimed).toEqual({ ...NOTHING, iss: didJwkOf(subject.issuer).did.slice(0, 300) })
})

it('api/result: an attempt names the claimed issuer also with the reason certificate_expired, invalid_issuer_signature or issuer_key_not_found', async () => {
  const leaf = await mintLeaf(pki.intermediate, {
    notAfter: new Date(Date.now() - 86_400_000),
    keys: pki.leaf.keys,
  })
  const expired = await attemptWith(certified({ ...pki, leaf }))
  expect(expired.reason).toBe('certificate_expired')
  expect(expired.claimed).toEqual(describeLeaf({ leaf }))

  const forged = await attemptWith({ issuer: await makeKey() })
  expect(forged.reason).toBe('invalid_issuer_signature')
  expect(forged.claimed).toEqual({ ...NOTHING, iss: stage.authority.iss })

  const unfit = await attemptWith({ issuer: await makeKey('ES384') })
  expect(unfit.reason).toBe('issuer_key_not_found')
  expect(unfit.claimed).toEqual({ ...NOTHING, iss: stage.authority.iss })
})

it('api/result: an attempt names no issuer if the response failed before the issuer was read', async () => {
  const { reason, claimed } = await attemptWith({ claims: { vct: 'urn:other:1' } })
  expect([reason, claimed]).toEqual(['unknown_credential_type', null])
})

it('api/result: the iss of a claimed issuer is shortened, and its invisible characters are replaced', async () => {
  const { claimed } = await attemptWith({ claims: { iss: `https://a\u202eb\u0000\n${'é'.repeat(2000)}` } })
  expect(claimed).toEqual({ ...NOTHING, iss: `https://a\ufffdb\ufffd\ufffd${'é'.repeat(287)}` })
})

it('api/result: an attempt describes a certificate of more than 2,048 bytes, but does not contain the certificate', async () => {
  const value = new Uint8Array(2000).fill(1)
  value.set([0x04, 0x82, 0x07, 0xcc])
  const extensions = [{ oid: '1.2.3.4', critical: false, value }]
  const leaf = await mintLeaf(other.intermediate, { extensions, keys: other.leaf.keys })
  const { claimed } = await attemptWith(certified({ ...other, leaf }))
  expect(claimed).toEqual({ ...describeLeaf({ leaf }), certificate_pem: null })
})

it('api/webhooks: no event contains the claimed issuer', async () => {
  const { id, claimed } = await attemptWith(certified(other))
  expect(claimed).not.toBeNull()
  await rp.call('POST', `/v1/verify/${id}/cancel`)
  const events = await eventsOf(stage, id, 2)
  for (const { post } of events) expect(String(post.body)).not.toMatch(/Document Signer|CERTIFICATE|claimed/)
})
