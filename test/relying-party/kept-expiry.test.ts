// Expiry of the root, the attestation and the registrations of an identity. Members that the same identity
// already has may have expired, so that they do not prevent the change of another identity.

import { describe, expect, it } from 'vitest'
import { creationSchema, patchSchema } from '../../src/relying-party/settings/settings-schema.ts'
import { mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { makeAttester } from '../support/people/attester.ts'
import { identityOf } from '../support/wallets/good-request.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const SECONDS = NOW / 1000
const LATER = NOW + 1000
const rulesAt = (now: number) => ({
  now,
  baseUrl: 'https://verifier.example',
  allowLoopback: false,
  trustLists: [],
})

const expiry = new Date(LATER - 1)
const root = await mintRoot({ notAfter: expiry })
const otherRoot = await mintRoot()
const [ownLeaf, apple, added] = (
  await Promise.all([root, otherRoot, otherRoot].map((one) => mintLeaf(one)))
).map(identityOf) as [Identity, Identity, Identity]
type Identity = ReturnType<typeof identityOf>
const attester = await makeAttester()

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const registration = (exp: number) => ({
  certificate: `${part({ alg: 'ES256', typ: 'rc-wrp+jwt' })}.${part({ exp })}.c2lnbmF0dXJl`,
  dataset: { identifier: 'VATDE-1' },
})
const certified = (exp: number) => ({
  registration: registration(exp),
  uses: [{ intended_use: 'wine', ...registration(exp) }],
})
const attest = (exp: number) => attester.attest(ownLeaf.signing_jwk, { exp })
const END = SECONDS + 1
const OWN = {
  ...ownLeaf,
  root_certificate_pem: root.pem,
  attestation_jwt: await attest(END),
  ...certified(END),
}
const APPLE = { ...apple, ...certified(END) }
const bare = <One extends { readonly signing_jwk: unknown }>({ signing_jwk: _, ...shown }: One) => shown

async function errorsAt(now: number, verifier: object, stored?: readonly [typeof OWN, ...(typeof APPLE)[]]) {
  const rules = rulesAt(now)
  const [own, ...further_verifiers] = stored ?? []
  const current = { livemode: false, verifier: own ?? null, further_verifiers } as never
  const schema = stored ? patchSchema(rules, current) : creationSchema(rules)
  const parsed = await schema.safeParseAsync({ ...(!stored && { name: 'Shop' }), verifier })
  return parsed.error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`) ?? []
}

const EXPIRED = [
  '/verifier/root_certificate_pem must be valid now',
  '/verifier/attestation_jwt must not have expired',
  '/verifier/registration/certificate must not have expired',
  '/verifier/uses/0/certificate must not have expired',
]
const EXPIRED_FURTHER = EXPIRED.slice(2).map((error) => error.replace('/verifier', '/verifier/further/0'))

describe('an expired root, attestation or registration', () => {
  it('is refused in a creation, from the second in which it expires', async () => {
    const verifier = { ...OWN, further: [APPLE] }
    expect(await errorsAt(NOW, verifier)).toEqual([])
    expect(await errorsAt(LATER, verifier)).toEqual([...EXPIRED_FURTHER, ...EXPIRED])
  })

  it('is accepted in a change if the same identity already has it, with or without `signing_jwk` in the change', async () => {
    const stored = [OWN, APPLE] as const
    expect(await errorsAt(LATER, { ...bare(OWN), further: [bare(APPLE), added] }, stored)).toEqual([])
    expect(await errorsAt(LATER, { ...OWN, further: [APPLE, added] }, stored)).toEqual([])
  })

  it('is refused in a change if its text differs from the stored text, or if the identity does not have it yet', async () => {
    const later = { ...bare(OWN), ...certified(SECONDS), attestation_jwt: await attest(SECONDS) }
    expect(await errorsAt(LATER, later, [OWN])).toEqual(EXPIRED.slice(1))
    const { root_certificate_pem: _, ...rootless } = OWN
    expect(await errorsAt(LATER, bare(OWN), [rootless as typeof OWN])).toEqual(EXPIRED.slice(0, 1))
    const { registration: _own, uses: _uses, ...unregistered } = APPLE
    const swapped = { ...bare(OWN), further: [bare(APPLE)] }
    expect(await errorsAt(LATER, swapped, [OWN, unregistered as typeof APPLE])).toEqual(EXPIRED_FURTHER)
  })
})
