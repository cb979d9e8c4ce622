// What the sandbox issuer publishes below its origin. Whatever is not here cannot be had: a status list, issuer metadata or a DID
// document whose place is below /down is one that its publisher fails to serve.

import { certificateBytes } from './cose.ts'
import { IDENTITIES, REVOCATION_LIST } from './identities.ts'
import { publicKey } from './sign.ts'
import { statusList } from './status.ts'

/** The resource at a path; `undefined` where there is none. `now` in Unix seconds. */
export async function issuerResource(path: string, now: number): Promise<Response | undefined> {
  const [, place, name = ''] = path.match(/^\/([^/]+)\/(.+)$/) ?? []
  if (place === 'status') return statusList(name, now)
  if (path === '/crl/revoked') {
    const headers = { 'content-type': 'application/pkix-crl' }
    return new Response(certificateBytes(REVOCATION_LIST), { headers })
  }
  // SD-JWT VC §4: what stands there speaks for another issuer.
  if (path === '/.well-known/jwt-vc-issuer/broken') {
    return Response.json({
      issuer: 'https://other.invalid',
      jwks: { keys: [publicKey(IDENTITIES.good.jwk)] },
    })
  }
  return undefined
}
