// Keys and certificates of the sandbox issuer, made by make-identities.mjs. The keys are public,
// so their signatures prove nothing. Only test mode accepts them.

import data from '../../assets/sandbox/identities.json' with { type: 'json' }

/** `good` is accepted. Each other identity differs from it in one property. */
export type IdentityName = keyof typeof data.identities

export type PrivateKey = {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly d: string
}

/** A key and its certificate (standard base64 of its DER, as in `x5c`). */
export type Identity = { readonly jwk: PrivateKey; readonly certificate: string }

export const IDENTITIES: Readonly<Record<IdentityName, Identity>> = data.identities

/** The trust anchor. A correct chain leaves it out. */
export const ROOT_CERTIFICATE = data.root

/** The certificate revocation list of the root: standard base64 of its DER. */
export const REVOCATION_LIST = data.crl

/**
 * Origin of the issuer. The name never resolves (RFC 6761 §6.4). In test mode the verifier reaches it by its
 * binding.
 */
export const ISSUER = 'https://sandbox.invalid'
