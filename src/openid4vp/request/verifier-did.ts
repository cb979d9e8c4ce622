// The verifier as a did:web at our own address (OpenID4VP 1.0 §5.9.3, `decentralized_identifier`). The
// service is `did:web:<host>`. A relying party with its own key is `did:web:<host>:rp:<id>`, so neither can
// sign as the other.

import { encodeBase64url } from '../../codec/base64url.ts'
import type { JsonObject } from '../../codec/json.ts'
import { jwkThumbprint, type PublicJwk } from '../../crypto/jwk.ts'
import { isAddress } from './client-identifier.ts'

/** Path segment of relying parties' documents: `/rp/<id>/did.json`. */
export const RELYING_PARTY_SEGMENT = 'rp'

/**
 * Returns the DID of the service (`relyingParty` null), or of a relying party by its id without `rp_`.
 * Returns `undefined` if our host is an IP address, which did:web does not allow (did:web §3.1).
 *
 * @example
 * verifierDid('https://verifier.example:8443', null) // 'did:web:verifier.example%3A8443'
 */
export function verifierDid(baseUrl: string, relyingParty: string | null): string | undefined {
  const { hostname, port } = new URL(baseUrl)
  if (isAddress(hostname)) return undefined
  const host = port === '' ? hostname : `${hostname}%3A${port}`
  const path = relyingParty === null ? '' : `:${RELYING_PARTY_SEGMENT}:${relyingParty}`
  return `did:web:${host}${path}`
}

/** Returns the DID URL of a key, named by its thumbprint (RFC 7638) so that the name never changes. */
export async function deriveVerificationMethod(did: string, jwk: PublicJwk): Promise<string> {
  return `${did}#${encodeBase64url(await jwkThumbprint(jwk))}`
}

/**
 * Builds `did.json` (DID Core 1.0 §5). `keys`: public halves of the current, earlier and later signing keys.
 */
export async function buildDidDocument(did: string, keys: readonly PublicJwk[]): Promise<JsonObject> {
  const namedKeys = await Promise.all(
    keys.map(async (jwk) => ({ id: await deriveVerificationMethod(did, jwk), jwk })),
  )
  // A key may be passed twice, but a document lists the key once (§5.2).
  const methods = [...new Map(namedKeys.map((method) => [method.id, method])).values()]
  const names = methods.map(({ id }) => id)
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: methods.map(({ id, jwk: { kty, crv, x, y = '' } }) => {
      return { id, type: 'JsonWebKey2020', controller: did, publicKeyJwk: { kty, crv, x, y } }
    }),
    authentication: names,
    assertionMethod: names,
  }
}
