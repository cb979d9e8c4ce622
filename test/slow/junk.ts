// Invalid posts to a callback. The kinds fail different checks: form, state, encryption, query, issuer, key
// binding.

import { encryptResponse, type RequestPayload } from '../support/people/wallet.ts'
import { formOf, formPost, type LeanWallet } from '../support/wallets/lean-wallet.ts'

/** A post with a number that makes it unique. */
export type Junk = (number: number) => RequestInit | Promise<RequestInit>

const HEAD = 'eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTEyOEdDTSIsImtpZCI6ImEifQ'

/** Posts by somebody who knows only the address. */
export const BLIND_JUNK: readonly Junk[] = [
  (i) => formPost(`${i}`),
  (i) => formPost(`%%%${i}=%zz&=&&`),
  (i) => formPost(formOf({ vp_token: '{}', extra: `${i}` })),
  (i) => formPost(formOf({ vp_token: `[[[[${i}`, state: `guess-${i}` })),
  (i) => formPost(`state=a&state=b${i}&vp_token=1`),
  (i) => formPost(formOf({ vp_token: '{"age_attestation":["a.b.c~"]}', state: `guess-${i}` })),
  (i) => formPost(formOf({ error: 'access_denied', state: `guess-${i}` })),
  (i) => formPost(formOf({ error: 'access_denied', error_description: `no state, ${i}` })),
  (i) => formPost(formOf({ response: `${HEAD}..AAAA.AAAA.${i}` })),
  (i) => formPost(formOf({ response: `not.a.jwe.${i}` })),
  (i) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: `{"state":"${i}"}` }),
]

export type Insight = {
  /** The session's live request, as the wallet got it. */
  readonly request: RequestPayload
  /** A live request of another session. */
  readonly other: RequestPayload
  readonly wallet: LeanWallet
  /** A wallet whose credentials name the trusted issuer, but have another signature. */
  readonly forger: LeanWallet
}

/** Posts by somebody who scanned the QR, for a session with unencrypted responses. */
export function clearJunk({ request, other, wallet, forger }: Insight): readonly Junk[] {
  const id = request.dcql_query.credentials[0]?.id
  return [
    () => formPost(forger.answer(request)),
    () => formPost(forger.answer(request, 'minor')),
    () => formPost(wallet.answer({ ...request, nonce: '0'.repeat(32) })),
    () => formPost(wallet.answer({ ...request, client_id: 'x509_hash:somebody-else' })),
    () => formPost(wallet.answer({ ...request, state: other.state })),
    () => formPost(formOf({ ...wallet.present(other), state: request.state })),
    () => formPost(wallet.answer(other)),
    () => formPost(wallet.answer({ ...request, dcql_query: { credentials: [{ id: 'pid', meta: {} }] } })),
    (i) => formPost(formOf({ vp_token: `{"${id}":"${i}"}`, state: request.state })),
    (i) => formPost(formOf({ vp_token: `{"${id}":["${i}~"]}`, state: request.state })),
    () => formPost(tampered(wallet.answer(request))),
  ]
}

/** Posts by somebody who scanned the QR, for a session with encrypted responses. */
export function encryptedJunk({ request, other, wallet, forger }: Insight): readonly Junk[] {
  const [key, othersKey] = [request, other].map(({ client_metadata }) => client_metadata.jwks!.keys[0]!)
  const sealed = async (plaintext: object, jwk = key!) =>
    formPost(formOf({ response: await encryptResponse(responseOf(plaintext), jwk) }))
  return [
    () => formPost(wallet.answer(request)), // unencrypted
    () => sealed(forger.present(request)),
    () => sealed(wallet.present({ ...request, nonce: '0'.repeat(32) })),
    () => sealed({ ...wallet.present(request), state: other.state }),
    () => sealed({ vp_token: wallet.present(request).vp_token }),
    () => sealed(wallet.present(other)),
    () => sealed(wallet.present(request), othersKey),
    () => sealed(wallet.present(request), { ...othersKey!, kid: key!.kid! }), // cannot be decrypted
    (i) => sealed({ vp_token: i, state: request.state }),
    async () => formPost(tampered(String((await sealed(wallet.present(request))).body))),
  ]
}

/** Returns the response with the token as JSON, since a JWE does not hold it as text (OpenID4VP 1.0 §8.3). */
function responseOf(parameters: object): object {
  const { vp_token, ...rest } = parameters as { readonly vp_token: unknown }
  return { vp_token: typeof vp_token === 'string' ? JSON.parse(vp_token) : vp_token, ...rest }
}

/** Changes one character in the middle. */
function tampered(body: string): string {
  const at = Math.floor(body.length / 2)
  return body.slice(0, at) + (body[at] === 'A' ? 'B' : 'A') + body.slice(at + 1)
}
