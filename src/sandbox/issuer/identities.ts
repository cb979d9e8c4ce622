// The sandbox issuer's keys and certificates, made by scripts/sandbox-certificates.mjs. They are public: what they sign proves nothing
// about anybody, and only test mode takes it for a credential.

import data from './identities.json' with { type: 'json' }

/** The one whose credentials are accepted, and those that differ from it in one thing. */
export type IdentityName = keyof typeof data.identities

export type PrivateKey = {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly d: string
}

/** A key, and the certificate for it (standard base64 of its DER, as in `x5c`). */
export type Identity = { readonly jwk: PrivateKey; readonly certificate: string }

export const IDENTITIES: Readonly<Record<IdentityName, Identity>> = data.identities

/** The trust anchor, which a chain leaves out. */
export const ROOT_CERTIFICATE = data.root

/** The certificate revocation list of the root: standard base64 of its DER. */
export const REVOCATION_LIST = data.crl

/** Where the issuer publishes. The name never resolves (RFC 6761 §6.4): the verifier's binding leads there in test mode. */
export const ISSUER = 'https://sandbox.invalid'
