// A verifier that uses the library, and wallets of other projects that answer it. Nothing listens on a port.

import { createRequest, type Policy, type Verifier, verifyResponse } from '../../packages/verify/src/index.ts'
import type { SigningJwk, VerificationResult, VerifyResponseInput } from '../../packages/verify/src/types.ts'
import { mintIntermediate, mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { receiveDigital, respondDigital } from '../support/people/dc-api-wallet.ts'
import { createWallet, type Presentations, type ReceivedRequest } from '../support/people/wallet.ts'

export const ORIGIN = 'https://verifier.example'
export const RESPONSE_URI = `${ORIGIN}/responses/1`
export const REQUEST_URI = `${ORIGIN}/requests/1`

export const AGE_POLICY: Policy = { credential_types: ['age_attestation'], scope: ['age_over_18'] }

const root = await mintRoot()
const authority = await mintIntermediate(root)
const leaf = await mintLeaf(authority, { altNames: [{ type: 'dns', value: 'verifier.example' }] })

/** The verifier, certified by an authority that the wallets trust. */
export const VERIFIER: Verifier = {
  signing_jwk: signingJwk(leaf.privateJwk),
  certificate_chain_pem: leaf.pem + authority.pem,
}

/** A certificate and its key as the verifier's input. */
export function signingJwk(jwk: object): SigningJwk {
  const { kty, crv, x, y, d } = jwk as SigningJwk
  return { kty, crv, x, y, d }
}

/** The authority that certified the verifier (PEM). */
export const VERIFIER_CA = root.pem

/** The request as a wallet read it, and the response that it posted. */
export type Answered = {
  readonly request: string
  readonly response: string
  /** The Request Object that the wallet fetched; null for an unsigned request. */
  readonly requestObject: string | null
}

type Answer = (request: ReceivedRequest) => Promise<Presentations>
type RedirectOptions = Partial<Parameters<typeof createRequest>[0]>

/** Makes a request, and lets a foreign wallet answer it by redirect. Returns what it posted. */
export async function answerRedirect(
  answer: Answer | 'declines',
  options: RedirectOptions = {},
): Promise<Answered> {
  const created = await createRequest({
    policy: AGE_POLICY,
    verifier: VERIFIER,
    responseUri: RESPONSE_URI,
    requestUri: REQUEST_URI,
    ...options,
  })
  let response = ''
  const wallet = createWallet({
    verifierCa: VERIFIER_CA,
    fetch: async (url, init) => {
      if (url === REQUEST_URI) {
        const headers = { 'content-type': 'application/oauth-authz-req+jwt', 'cache-control': 'no-store' }
        return new Response(created.requestObject, { headers })
      }
      response = String(init?.body)
      return Response.json({})
    },
  })
  const { protocol = 'openid4vp-1.0' } = options
  const received = await wallet.receive(created.uri, { protocol })
  if (answer === 'declines') await wallet.decline(received, 'access_denied')
  else await wallet.present(received, await answer(received))
  return { request: created.request, response, requestObject: created.requestObject }
}

/** Makes a request, and lets a foreign wallet answer it in the Digital Credentials API. */
export async function answerDigital(
  answer: (request: ReceivedRequest) => Promise<Presentations>,
  options: Partial<Parameters<typeof createRequest>[0]> & { readonly isSigned?: boolean } = {},
) {
  const { isSigned = true, ...more } = options
  const verifier = isSigned ? { verifier: VERIFIER } : {}
  const created = await createRequest({ policy: AGE_POLICY, origin: ORIGIN, ...verifier, ...more })
  const [entry] = created.digital.requests
  if (entry === undefined) throw new Error('there is no request')
  const browser = {
    origin: ORIGIN,
    verifierCa: VERIFIER_CA,
    fetch: () => Promise.reject(new Error('no fetch')),
  }
  const received = await receiveDigital(entry as never, browser)
  return {
    request: created.request,
    digital: created.digital,
    response: await respondDigital(received, await answer(received), browser),
  }
}

/** Verifies an answer. Nothing is fetched unless a test gives a `fetch`. */
export function verify(
  { request, response }: { readonly request: string; readonly response: unknown },
  anchors: readonly object[],
  more: Partial<VerifyResponseInput> = {},
): Promise<VerificationResult> {
  const fetch = () => Promise.reject(new Error('nothing is fetched here'))
  return verifyResponse({
    request,
    response,
    anchors: anchors as VerifyResponseInput['anchors'],
    fetch,
    ...more,
  })
}

/** Status and reason of a result. */
export const wordsOf = ({ status, reason }: VerificationResult) => [status, reason]
