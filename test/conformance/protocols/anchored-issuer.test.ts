// api/trust: an `iss` with an anchor of its own is checked by that anchor alone. Here another trusted
// authority certifies the issuer's name. In every protocol and spelling the session stays pending.

import { expect, it } from 'vitest'
import { mintCertificate, mintIssuerPki } from '../../support/certificates/certificates.ts'
import { madeMdocAgeOf } from '../../support/people/made-mdoc.ts'
import { makeMdocPerson } from '../../support/people/mdoc-person.ts'
import { certified, type Telling } from '../../support/people/person.ts'
import { OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { type Begun, begin, relyingPartyOf, respondWithAge, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const HOST = 'https://issuer.example'
const SPELLINGS = [
  `${HOST}/`,
  'HTTPS://issuer.example',
  `${HOST}#`,
  'https://ISSUER.example',
  `${HOST}:443`,
  `${HOST}.`,
]
const PROTOCOLS = ['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18']
const altNames = [
  { type: 'dns', value: 'issuer.example' },
  ...[HOST, ...SPELLINGS].map((value) => ({ type: 'url', value }) as const),
] as const
const pki = await mintIssuerPki({ leaf: { altNames } })
const plain = await mintIssuerPki({ leaf: { keyUsage: null } })
const authority = { name: 'some CA', credential_types: ['age_attestation'], assurance_level: 'high' }

async function outcomeOf(rp: RelyingParty, { session, request }: Begun, telling: Telling) {
  await respondWithAge(stage, request, telling)
  const { status, attempts } = await rp.poll(session.verification_id)
  return [status, attempts.at(-1)?.reason.code]
}

it.each(PROTOCOLS)(
  '%s refuses a certificate of a second trusted authority if the issuer has its own anchor, for each spelling of the issuer’s address',
  async (protocol) => {
    const own = stage.authority.anchor()
    const both = await relyingPartyOf(stage, {
      trust_anchors: [own, { ...authority, x509_ca_pem: pki.root.pem }],
    })
    const reasons = []
    for (const iss of [HOST, ...SPELLINGS]) {
      const begun = await begin(stage, { ...OVER_18, protocol }, { rp: both })
      reasons.push(await outcomeOf(both, begun, { ...certified(pki), claims: { iss } }))
    }
    const exact = protocol === 'haip-1.0' ? 'untrusted_issuer' : 'invalid_issuer_signature'
    expect(reasons).toEqual([['pending', exact], ...SPELLINGS.map(() => ['pending', 'untrusted_issuer'])])
  },
)

it.each(PROTOCOLS)(
  '%s accepts an issuer that has no anchor of its own, but a certificate of an authority with an anchor',
  async (protocol) => {
    const rp = await relyingPartyOf(stage, { trust_anchors: [{ ...authority, x509_ca_pem: pki.root.pem }] })
    const begun = await begin(stage, { ...OVER_18, protocol }, { rp })
    const telling = { ...certified(pki), claims: { iss: HOST } }
    expect(await outcomeOf(rp, begun, telling)).toEqual(['verified', undefined])
    expect((await rp.poll(begun.session.verification_id)).credentials?.[0]?.issuer).toBe(HOST)
  },
)

it.each([
  ['openid4vp-1.0', ['verified', undefined]],
  ['openid4vp-draft24', ['verified', undefined]],
  ['openid4vp-draft18', ['verified', undefined]],
  ['haip-1.0', ['pending', 'trust_anchor_in_chain']],
])(
  'with the protocol %s, a certificate chain that contains the trust anchor gives the session the status and reason %j',
  async (protocol, expected) => {
    const rp = await relyingPartyOf(stage, { trust_anchors: [{ ...authority, x509_ca_pem: pki.root.pem }] })
    const begun = await begin(stage, { ...OVER_18, protocol }, { rp })
    const telling = { ...certified(pki), x5c: [pki.leaf.x5c, pki.intermediate.x5c, pki.root.x5c] }
    expect(await outcomeOf(rp, begun, telling)).toEqual(expected)
  },
)

it.each(PROTOCOLS)(
  '%s verifies an SD-JWT VC whose signer has no key usage (RFC 5280 §4.2.1.3)',
  async (protocol) => {
    const rp = await relyingPartyOf(stage, { trust_anchors: [{ ...authority, x509_ca_pem: plain.root.pem }] })
    const begun = await begin(stage, { ...OVER_18, protocol }, { rp })
    expect(await outcomeOf(rp, begun, certified(plain))).toEqual(['verified', undefined])
  },
)

it.each(['openid4vp-1.0', 'haip-1.0'])(
  '%s verifies an mdoc whose self-signed document signer is pinned',
  async (protocol) => {
    const own = await mintCertificate({
      subject: 'CN=Myself,C=DE',
      ca: false,
      keyUsage: ['digitalSignature'],
    })
    const rp = await relyingPartyOf(stage, {
      trust_anchors: [{ ...authority, x509_certificate_pem: own.pem }],
    })
    const { session, request } = await begin(stage, { ...OVER_18, protocol, formats: ['mso_mdoc'] }, { rp })
    const made = { pki: { leaf: own, intermediate: own, root: own, chain: [own.der] } }
    const presented = await madeMdocAgeOf({ ...(await makeMdocPerson()), ...made }, request, {})
    await stage.service.wallet.present(request, presented)
    const { status, attempts } = await rp.poll(session.verification_id)
    expect([status, attempts.at(-1)?.reason.code]).toEqual(['verified', undefined])
  },
)
