// A good SD-JWT VC presentation, made by foreign libraries, and the world in which it is good. Tests change
// one thing.

import type { Json } from '../../../src/codec/json.ts'
import { sdJwtVc } from '../../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { Context, RequestBinding } from '../../../src/formats/verification/format.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { issueSdJwtVc, makeKey, type Presentation, presentSdJwtVc } from '../../support/people/issuer.ts'
import { type Verification, verifyTraced } from '../contract.ts'

export const NOW = 1_790_000_000
export const ISSUER = 'https://issuer.example'
export const VCT = 'urn:eudi:pid:1'

export const ISSUER_KEY = await makeKey()
export const HOLDER_KEY = await makeKey()
export const STRANGER_KEY = await makeKey()

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
  typeOf: (format, identifier) =>
    format === 'dc+sd-jwt' && identifier === VCT ? { name: 'pid', builtIn: true } : undefined,
  fetchResource: () => Promise.reject(new Error('nothing may be fetched')),
}

export const CLAIMS = {
  iss: ISSUER,
  vct: VCT,
  iat: NOW - 86_400,
  exp: NOW + 86_400,
  given_name: 'Erika',
  family_name: 'Mustermann',
  birthdate: '1963-08-12',
  address: { locality: 'Köln', country: 'DE', street_address: 'Heidestraße 17' },
  nationalities: ['DE', 'FR', 'NL'],
  age_equal_or_over: { 12: true, 18: true, 65: false },
}

export const DISCLOSABLE = {
  _sd: ['given_name', 'family_name', 'birthdate', 'address', 'age_equal_or_over'],
  address: { _sd: ['locality', 'street_address'] },
  nationalities: { _sd: [0, 1, 2] },
  age_equal_or_over: { _sd: ['12', '18', '65'] },
}

/** Issues the credential, with other claims if given (`undefined` leaves one out). */
export function issueGood(changes: Record<string, unknown> = {}, header: object = {}): Promise<string> {
  const claims = Object.fromEntries(
    Object.entries({ ...CLAIMS, ...changes }).filter(([, value]) => value !== undefined),
  )
  return issueSdJwtVc({ issuer: ISSUER_KEY, holder: HOLDER_KEY, claims, disclosable: DISCLOSABLE, header })
}

/** Presents to us, now, with everything disclosed unless `how` says otherwise. */
export function presentGood(sdJwt: string, how: Partial<Presentation> = {}): Promise<string> {
  const { nonce, audience } = EXPECTED
  return presentSdJwtVc(sdJwt, { holder: HOLDER_KEY, nonce, audience, iat: NOW - 5, ...how })
}

/** The good presentation itself. */
export const GOOD = await presentGood(await issueGood())

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
  return verifyTraced(sdJwtVc, presentation, { ...EXPECTED, ...changes.expected }, context, changes.isJudged)
}
