// The verifier as a did:web (OpenID4VP 1.0 §5.9.3, `decentralized_identifier`): whom wallets find at our own address. The
// service is `did:web:<host>`; a relying party with a key of its own is `did:web:<host>:rp:<id>`, so that neither signs as the other.

import { encodeBase64url } from '../../codec/base64url.ts'
import type { JsonObject } from '../../codec/json.ts'
import { jwkThumbprint, type PublicJwk } from '../../crypto/jwk.ts'
import { isAddress } from './client-identifier.ts'

/** The path below which relying parties' documents stand: `/rp/<id>/did.json`. */
export const RELYING_PARTY_SEGMENT = 'rp'

/**
 * The DID of the service (`relyingParty` null), or of a relying party by its id without `rp_`; `undefined` where our host is an
 * IP address, which did:web does not have (did:web §3.1).
 */
export function verifierDid(baseUrl: string, relyingParty: string | null): string | undefined {
  const { hostname, port } = new URL(baseUrl)
  if (isAddress(hostname)) return undefined
  const host = port === '' ? hostname : `${hostname}%3A${port}`
  const path = relyingParty === null ? '' : `:${RELYING_PARTY_SEGMENT}:${relyingParty}`
  return `did:web:${host}${path}`
}

/** The DID URL of a key. It is named by its thumbprint (RFC 7638): a key has the same name before and after its time. */
export async function verificationMethodOf(did: string, jwk: PublicJwk): Promise<string> {
  return `${did}#${encodeBase64url(await jwkThumbprint(jwk))}`
}

/** `did.json` (DID Core 1.0 §5): every key that signs now, signed for a session that may still run, or will sign. */
export async function buildDidDocument(did: string, keys: readonly PublicJwk[]): Promise<JsonObject> {
  const named = await Promise.all(
    keys.map(async (jwk) => ({ id: await verificationMethodOf(did, jwk), jwk })),
  )
  // A key may be listed for two reasons; a document names it once (§5.2).
  const methods = [...new Map(named.map((method) => [method.id, method])).values()]
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
