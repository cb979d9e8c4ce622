// A good VP JWT around a good VC JWT, and the world in which it is good. Tests change one thing.

import type { Json } from '../../../src/codec/json.ts'
import { jwtVcJson } from '../../../src/formats/jwt-vc-json/jwt-vc-json.ts'
import type { Context, RequestBinding } from '../../../src/formats/verification/format.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { makeKey, type SigningKey, signJwt } from '../../support/people/issuer.ts'
import { didJwkOf, signJose, CONTEXT as VCDM } from '../../support/people/jwt-vc.ts'
import { type Verification, verifyTraced } from '../contract.ts'

export const NOW = 1_790_000_000
export const ISSUER = 'https://issuer.example'
export const TYPE = 'PersonIdentificationData'

export const ISSUER_KEY = await makeKey()
export const HOLDER_KEY = await makeKey()
export const STRANGER_KEY = await makeKey()
export const HOLDER = didJwkOf(HOLDER_KEY)
export const STRANGER = didJwkOf(STRANGER_KEY)

export const EXPECTED: RequestBinding = {
  nonce: '0123456789abcdef0123456789abcdef',
  audience: 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk',
  holderBinding: true,
  requestedAt: NOW - 20,
  handover: { kind: 'redirect', responseUri: 'https://verifier.example/callback', encryptionKey: null },
}

export const ANCHOR: TrustAnchor = {
  name: 'Test issuer',
  credential_types: ['pid'],
  assurance_level: 'high',
  issuer: ISSUER,
  jwks: { keys: [ISSUER_KEY.publicJwk] },
}

/** Fetching is an error: nothing in these presentations may lead to the network. */
export const CONTEXT: Omit<Context, 'trace'> = {
  now: NOW,
  anchors: [ANCHOR],
  typeOf: (format, identifier) => (format === 'jwt_vc_json' ? TYPES[identifier] : undefined),
  fetchResource: () => Promise.reject(new Error('nothing may be fetched')),
}

const TYPES: Readonly<Record<string, { readonly name: string; readonly builtIn: boolean }>> = {
  [TYPE]: { name: 'pid', builtIn: true },
  MembershipCredential: { name: 'membership', builtIn: false },
}

export const SUBJECT = { given_name: 'Erika', birthdate: '1963-08-12', nationalities: ['DE'] }

export const VC = { '@context': [VCDM], type: ['VerifiableCredential', TYPE], credentialSubject: SUBJECT }

/** The JWT's own claims beside `vc`. */
export const CLAIMS = {
  iss: ISSUER,
  sub: HOLDER.did,
  jti: 'urn:uuid:1',
  nbf: NOW - 86_400,
  exp: NOW + 86_400,
}

/** Changes: claims of the JWT, properties of `vc` or `vp`, header parameters; `undefined` removes one. */
export type Changes = {
  readonly claims?: object
  readonly content?: object
  readonly header?: object
  readonly key?: SigningKey
}

/** Issues the credential. */
export function issue({ claims, content, header, key = ISSUER_KEY }: Changes = {}): Promise<string> {
  return signJose({ ...CLAIMS, vc: { ...VC, ...content }, ...claims }, key, header)
}

/** Presents to us, now. */
export function present(
  vc: unknown,
  { claims, content, header, key = HOLDER_KEY }: Changes = {},
): Promise<string> {
  const vp = { '@context': [VCDM], type: ['VerifiablePresentation'], verifiableCredential: [vc], ...content }
  const { nonce, audience } = EXPECTED
  const times = { nbf: NOW - 5, iat: NOW - 5, exp: NOW + 300 }
  const payload = { iss: HOLDER.did, aud: audience, nonce, ...times, vp, ...claims }
  return signJose(payload, key, { kid: HOLDER.kid, ...header })
}

/** A presentation of a credential that differs in this. */
export async function presentOf(credential: Changes, presentation: Changes = {}): Promise<string> {
  return present(await issue(credential), presentation)
}

/** A JWT with another header and the same payload, signed again whatever the header says. */
export function withHeader(jwt: string, changes: object, key: SigningKey): string {
  const [header, payload] = jwt.split('.', 2).map((part) => Buffer.from(part, 'base64url').toString())
  return signJwt({ ...JSON.parse(header ?? ''), ...changes }, payload ?? '', key)
}

/** Verifies a presentation in the good context. */
export function verifyGood(
  presentation: Json,
  changes: {
    readonly expected?: Partial<RequestBinding>
    readonly context?: Partial<Context>
    readonly isJudged?: boolean
  } = {},
): Promise<Verification> {
  const context = { ...CONTEXT, ...changes.context }
  return verifyTraced(
    jwtVcJson,
    presentation,
    { ...EXPECTED, ...changes.expected },
    context,
    changes.isJudged,
  )
}
