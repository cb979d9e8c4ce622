// A wallet for large runs. It sends `direct_post` responses with an age attestation that a foreign library
// issued once. One signature binds the attestation to each request. The wallet does not check requests, as
// test/support/people/wallet.ts does.

import { randomUUID } from 'node:crypto'
import { digestOf, type Issuance, issueSdJwtVc, makeKey, signJwt } from '../people/issuer.ts'
import { AGE, type Authority } from '../people/person.ts'
import type { RequestPayload } from '../people/wallet.ts'

/** Settings of a relying party whose sessions this wallet can answer. */
export function leanSettings(authority: Authority, webhookUrl?: string): Readonly<Record<string, unknown>> {
  return {
    request_options: { response_mode: 'direct_post', request_uri_method: 'get' },
    trust_anchors: [authority.anchor()],
    ...(webhookUrl === undefined ? {} : { webhook: { url: webhookUrl } }),
  }
}

export type LeanWallet = {
  /** Returns `vp_token` and `state` of a good response. No two are equal, not even for one request. */
  readonly present: (request: RequestPayload, age?: Age) => Readonly<Record<'vp_token' | 'state', string>>
  /** Returns the form body of a good response. */
  readonly answer: (request: RequestPayload, age?: Age) => string
}

export type Age = 'adult' | 'minor'

/** Issues credentials of an adult and of a minor. `x5c`: certificates of the issuer, leaf first. */
export async function makeLeanWallet(authority: Authority, x5c?: readonly string[]): Promise<LeanWallet> {
  const holder = await makeKey()
  const issue = (isAdult: boolean) => issueAge(authority, { holder, isAdult, ...(x5c && { x5c }) })
  const credentials = { adult: await issue(true), minor: await issue(false) }
  const present: LeanWallet['present'] = (request, age = 'adult') => {
    const sdJwt = credentials[age]
    const claims = {
      iat: Math.floor(Date.now() / 1000),
      nonce: request.nonce,
      aud: request.client_id,
      sd_hash: digestOf(sdJwt),
      jti: randomUUID(),
    }
    const presentation = sdJwt + signJwt({ alg: holder.alg, typ: 'kb+jwt' }, claims, holder)
    const [query] = request.dcql_query.credentials
    return { vp_token: JSON.stringify({ [query!.id]: [presentation] }), state: request.state }
  }
  return { present, answer: (request, age) => formOf(present(request, age)) }
}

/** Decodes the claims of a Request Object without verification. */
export function readRequestObject(jws: string): RequestPayload {
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as RequestPayload
}

/** Returns a form body. */
export function formOf(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(parameters).toString()
}

/** Returns the request that posts a form body. */
export function formPost(body: string): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }
}

function issueAge(
  authority: Authority,
  { isAdult, ...issuance }: Pick<Issuance, 'holder' | 'x5c'> & { readonly isAdult: boolean },
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return issueSdJwtVc({
    issuer: authority.key,
    ...issuance,
    claims: { iss: authority.iss, vct: AGE, iat: now - 3600, exp: now + 86_400, age_over_18: isAdult },
    disclosable: { _sd: ['age_over_18'] },
  })
}
