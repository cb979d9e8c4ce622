// Resources that the sandbox issuer publishes. Any other path gets 404. For example, the metadata below
// `/down` are unavailable.

import { certificateBytes } from './cose.ts'
import { IDENTITIES, REVOCATION_LIST } from './identities.ts'
import { publicKey } from './sign.ts'
import { statusList } from './status.ts'

/** Returns the resource at a path, `undefined` for an unknown path. `now` in Unix seconds. */
export async function issuerResource(path: string, now: number): Promise<Response | undefined> {
  const [, place, name = ''] = path.match(/^\/([^/]+)\/(.+)$/) ?? []
  if (place === 'status') return statusList(name, now)
  if (path === '/crl/revoked') {
    const headers = { 'content-type': 'application/pkix-crl' }
    return new Response(certificateBytes(REVOCATION_LIST), { headers })
  }
  // SD-JWT VC §4: invalid, since the metadata names another issuer.
  if (path === '/.well-known/jwt-vc-issuer/broken') {
    return Response.json({
      issuer: 'https://other.invalid',
      jwks: { keys: [publicKey(IDENTITIES.good.jwk)] },
    })
  }
  return undefined
}
