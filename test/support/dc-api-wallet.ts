// A wallet behind the Digital Credentials API that nobody here wrote: `@openid4vc/openid4vp` takes the request the browser would
// hand over and makes the `data` of the credential. Every request it meets is held to the rules of OpenID4VP 1.0 Appendix A.

import { randomBytes, X509Certificate } from 'node:crypto'
import { Openid4vpClient } from '@openid4vc/openid4vp'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, type JWK } from 'jose'
import { callbacks, JWE, type Presentations, type ReceivedRequest } from './wallet.ts'

/** An entry of `digital.requests`. */
export type DigitalRequest = { readonly protocol: string; readonly data: Readonly<Record<string, unknown>> }

/** Takes a request as a browser on `origin` hands it over. Throws where it breaks a rule. */
export async function receiveDigital(
  request: DigitalRequest,
  { origin, verifierCa }: { readonly origin: string; readonly verifierCa: string },
): Promise<ReceivedRequest> {
  const client = new Openid4vpClient({
    callbacks: { ...callbacks({ verifierCa, fetch: noFetch }), fetch: noFetch },
  })
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: request.data as never, // as a page hands it over
    origin,
  })
  const jws = request.data.request as string | undefined
  const claims = (jws === undefined ? request.data : decodeJwt(jws)) as Record<string, never>
  const faults = await faultsOf(request, claims, origin)
  if (faults.length > 0) throw new Error(`the request breaks rules: ${faults.join('; ')}`)
  const payload = resolved.authorizationRequestPayload as unknown as ReceivedRequest['payload']
  return { uri: request.protocol, requestObject: jws ?? '', payload, mdocNonce: '' }
}

/** What the browser gives back to the page. */
export async function answerDigital(
  request: ReceivedRequest,
  presentations: Presentations,
  { origin, verifierCa }: { readonly origin: string; readonly verifierCa: string },
) {
  const client = new Openid4vpClient({
    callbacks: { ...callbacks({ verifierCa, fetch: noFetch }), fetch: noFetch },
  })
  const encrypted = (request.payload.response_mode as string) === 'dc_api.jwt'
  const answer = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request.payload as never, // what the library itself parsed
    authorizationResponsePayload: { vp_token: presentations as never },
    origin,
    ...(encrypted
      ? { jarm: { encryption: { nonce: randomBytes(12).toString('hex') }, serverMetadata: JWE } }
      : {}),
  })
  const data =
    answer.jarm === undefined ? answer.authorizationResponsePayload : { response: answer.jarm.responseJwt }
  return { protocol: request.uri, data }
}

const noFetch = () => Promise.reject(new Error('nothing is fetched in this flow'))

const PARAMETERS = [
  'response_type',
  'response_mode',
  'nonce',
  'dcql_query',
  'client_metadata',
  'transaction_data',
]
const SIGNED = [...PARAMETERS, 'client_id', 'expected_origins', 'verifier_info', 'aud', 'iat', 'exp']

/** OpenID4VP 1.0 Appendix A.1 and A.2, and what §5.1 and §8.3 say of client metadata. */
async function faultsOf(
  { protocol, data }: DigitalRequest,
  // biome-ignore lint/suspicious/noExplicitAny: claims of whatever shape are looked at here
  claims: Record<string, any>,
  origin: string,
): Promise<readonly string[]> {
  const signed = protocol === 'openid4vp-v1-signed'
  const allowed = signed ? SIGNED : PARAMETERS
  const header = signed ? decodeProtectedHeader(data.request as string) : undefined
  const leaf = header?.x5c?.[0] && new X509Certificate(Buffer.from(header.x5c[0], 'base64'))
  const key = claims.client_metadata?.jwks?.keys?.[0]
  const rules: readonly (readonly [string, boolean])[] = [
    ['A.1: a known exchange protocol', signed || protocol === 'openid4vp-v1-unsigned'],
    ['A.2: a signed request is `request` alone', !signed || Object.keys(data).join() === 'request'],
    ['A.2: no other parameters', Object.keys(claims).every((name) => allowed.includes(name))],
    [
      'A.2: expected_origins',
      !signed || JSON.stringify(claims.expected_origins) === JSON.stringify([origin]),
    ],
    ['§5: typ', !signed || header?.typ === 'oauth-authz-req+jwt'],
    ['HAIP §5: not self-signed', !leaf || leaf.issuer !== leaf.subject],
    ['§5.2: nonce', /^[A-Za-z0-9._~-]{16,43}$/.test(claims.nonce)],
    [
      '§8.3: one encryption key',
      claims.response_mode === 'dc_api' || (key?.use === 'enc' && key?.alg === 'ECDH-ES'),
    ],
    ['§8.3: no key where nothing is encrypted', claims.response_mode !== 'dc_api' || key === undefined],
    [
      '§5.1: the key does not sign',
      !key || !leaf || (await thumbprintOf(leaf)) !== (await calculateJwkThumbprint(key)),
    ],
  ]
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule)
}

function thumbprintOf({ publicKey }: X509Certificate): Promise<string> {
  return calculateJwkThumbprint(publicKey.export({ format: 'jwk' }) as JWK)
}
