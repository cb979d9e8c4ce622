// A wallet of another project behind the Digital Credentials API: `@openid4vc/openid4vp` receives the
// browser's request and creates `data` of the credential. Every request is linted by the rules of OpenID4VP
// 1.0 Appendix A.

import { randomBytes } from 'node:crypto'
import { Openid4vpClient } from '@openid4vc/openid4vp'
import { resolveDidWeb, type VerifierTrust } from '../certificates/verifier-key.ts'
import { type DigitalRequest, lintDigitalRequest } from '../linters/dc-api-linter.ts'
import { callbacks, JWE, type Presentations, type ReceivedRequest } from './wallet.ts'

/** The page, and the dependencies of the wallet: `fetch` finds DID documents only. */
export type Browser = VerifierTrust & { readonly origin: string }

/** Receives a request as a browser on `origin` passes it on. Throws if the request breaks a rule. */
export async function receiveDigital(
  request: DigitalRequest,
  { origin, ...trust }: Browser,
): Promise<ReceivedRequest> {
  const client = new Openid4vpClient({
    callbacks: { ...callbacks(trust), fetch: noFetch },
  })
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: request.data as never, // as a page hands it over
    origin,
  })
  const jws = request.data.request as string | undefined
  const payload = resolved.authorizationRequestPayload as unknown as ReceivedRequest['payload']
  const did = /^decentralized_identifier:(.*)$/.exec(payload.client_id ?? '')?.[1]
  const faults = await lintDigitalRequest(request, {
    origin,
    now: Math.floor(Date.now() / 1000),
    ...(did === undefined ? {} : { didDocument: await resolveDidWeb(did, trust.fetch) }),
  })
  if (faults.length > 0) throw new Error(`the request breaks rules: ${faults.join('; ')}`)
  return { uri: request.protocol, requestObject: jws ?? '', payload, mdocNonce: '' }
}

/** The result that the browser returns to the page. */
export async function respondDigital(
  request: ReceivedRequest,
  presentations: Presentations,
  { origin, ...trust }: Browser,
) {
  const client = new Openid4vpClient({
    callbacks: { ...callbacks(trust), fetch: noFetch },
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
