// Functions with which a wallet fetches and checks a signed request: jose and node's own X.509, without code
// of the service. Each wallet decides what it does with the parts.

import { X509Certificate } from 'node:crypto'
import { compactVerify, decodeJwt, decodeProtectedHeader, importX509, type JWK } from 'jose'
import { refuse, refuseUnless, type Surroundings } from './fake-wallet.ts'
import type { Path } from './holdings.ts'

/** Parameters of a link, decoded. */
export function parametersOf(link: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(link).searchParams)
}

type FetchResult = { readonly text: string; readonly contentType: string }

/** Fetches `request_uri`. `form` is posted if the wallet posts. */
export async function fetchRequestObject(
  requestUri: string,
  { fetch }: Surroundings,
  form?: Readonly<Record<string, string>>,
): Promise<FetchResult> {
  const response = await fetch(requestUri, {
    headers: {
      accept: 'application/oauth-authz-req+jwt',
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { method: 'POST', body: `${new URLSearchParams(form)}` }),
  })
  if (!response.ok) refuse(`request_uri: HTTP ${response.status}`)
  return { text: await response.text(), contentType: response.headers.get('content-type') ?? '' }
}

/**
 * The members of a request that the wallets use. Members come from the verifier: nothing in it is checked.
 */
export type Payload = {
  readonly client_id: string
  readonly response_type?: string
  readonly response_mode?: string
  readonly response_uri: string
  readonly redirect_uri?: string
  readonly nonce: string
  readonly state?: string
  readonly aud?: unknown
  readonly iss?: string
  readonly exp?: number
  readonly wallet_nonce?: string
  readonly expected_origins?: readonly string[]
  readonly request_uri?: string
  readonly transaction_data?: readonly string[]
  readonly dcql_query: DcqlQuery
  readonly client_metadata: ClientMetadata
  readonly [member: string]: unknown
}

export type ClientMetadata = {
  readonly jwks?: { readonly keys: readonly JWK[] }
  readonly vp_formats_supported?: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>
  readonly encrypted_response_enc_values_supported?: readonly string[]
  readonly [member: string]: unknown
}

export type DcqlQuery = {
  readonly credentials: readonly CredentialQuery[]
  readonly credential_sets?: readonly {
    readonly options: readonly (readonly string[])[]
    readonly required?: boolean
  }[]
}

export type CredentialQuery = {
  readonly id: string
  readonly format: string
  readonly meta?: { readonly vct_values?: readonly string[]; readonly doctype_value?: string }
  readonly multiple?: boolean
  readonly trusted_authorities?: readonly { readonly type: string; readonly values: readonly string[] }[]
  readonly require_cryptographic_holder_binding?: boolean
  readonly claims?: readonly ClaimsQuery[]
  readonly claim_sets?: readonly (readonly string[])[]
}

export type ClaimsQuery = {
  readonly id?: string
  readonly path: Path
  readonly values?: readonly unknown[]
  readonly intent_to_retain?: boolean
}

export type ReceivedRequest = {
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Payload
  /** Certificates of `x5c`, leaf first; empty without `x5c`. */
  readonly chain: readonly X509Certificate[]
}

/** Decodes a request object without a check of its signature. Refuses what is not a JWS. */
export function decodeRequestObject(text: string): ReceivedRequest {
  try {
    const header = decodeProtectedHeader(text) as Readonly<Record<string, unknown>>
    const x5c = (header.x5c ?? []) as readonly string[]
    const chain = x5c.map((der) => new X509Certificate(Buffer.from(der, 'base64')))
    return { header, payload: decodeJwt(text) as unknown as Payload, chain }
  } catch {
    return refuse('not a signed request object')
  }
}

/** Verifies the signature with the leaf's key. */
export async function verifySignature(
  text: string,
  [leaf]: readonly X509Certificate[],
  algorithms: readonly string[],
): Promise<void> {
  refuseUnless(leaf !== undefined, 'no x5c in the request object')
  const { alg = '' } = decodeProtectedHeader(text)
  refuseUnless(algorithms.includes(alg), `algorithm ${alg} is not supported`)
  const isSigned = await importX509(leaf.toString(), alg)
    .then((key) => compactVerify(text, key, { algorithms: [...algorithms] }))
    .then(
      () => true,
      () => false,
    )
  refuseUnless(isSigned, 'the signature of the request object does not verify')
}

/**
 * True if each certificate was issued by the next certificate, and the last certificate was issued by the
 * authority or is the authority's own.
 */
export function isChained(
  chain: readonly X509Certificate[],
  authorityPem: string,
  now = new Date(),
): boolean {
  const authority = new X509Certificate(authorityPem)
  const path = chain.at(-1)?.fingerprint256 === authority.fingerprint256 ? chain : [...chain, authority]
  return (
    chain.length > 0 &&
    path.every((certificate, index) => {
      const issuer = path[index + 1] ?? authority
      return (
        certificate.checkIssued(issuer) &&
        certificate.verify(issuer.publicKey) &&
        certificate.validFromDate <= now &&
        now <= certificate.validToDate
      )
    })
  )
}

/** DNS names of a certificate. */
export function dnsNamesOf(certificate: X509Certificate): readonly string[] {
  return (certificate.subjectAltName ?? '')
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length))
}

/** Attributes of a certificate's subject by name (`CN`, `O`, `organizationIdentifier`). */
export function subjectOf(certificate: X509Certificate): Readonly<Record<string, string>> {
  return Object.fromEntries(
    certificate.subject.split('\n').map((line) => {
      const [name = '', ...value] = line.split('=')
      return [name, value.join('=')]
    }),
  )
}
