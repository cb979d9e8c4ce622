// A wallet of another project: `@openid4vc/openid4vp` resolves requests and creates responses, `jose` does
// its cryptography. It uses the `fetch` that it is given, and lints every request. The caller creates the
// presentations.

import { createHash, randomBytes } from 'node:crypto'
import type { CallbackContext } from '@openid4vc/oauth2'
import { Openid4vpClient, type WalletMetadata } from '@openid4vc/openid4vp'
import { CompactEncrypt, importJWK, type JWK } from 'jose'
import { makeRequestKey } from '../certificates/request-key.ts'
import {
  type AttestationIssuer,
  readCertificate,
  requestVerifier,
  resolveDidWeb,
  type VerifierTrust,
} from '../certificates/verifier-key.ts'
import { createRequestLinter } from '../linters/request-linter.ts'
import { createByValueLinter } from '../linters/unsigned-rules.ts'

export type WalletOptions = {
  /** The transport. It may send calls to `https://verifier.example` to a loopback port, or to a function. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** The authority (PEM) whose verifier certificates this wallet trusts. */
  readonly verifierCa: string
  /** Issuers whose Verifier Attestations this wallet trusts. */
  readonly attestationIssuer?: AttestationIssuer
  /** Unix seconds; the library itself reads the platform's clock. */
  readonly now?: () => number
}

export type ReceiveOptions = {
  /**
   * Posted to `request_uri` if the request says `post`; by default standard base64, as some wallets send it.
   */
  readonly walletNonce?: string | undefined
  /** A wallet that does not know `request_uri_method` fetches by GET (§5.10). */
  readonly getOnly?: boolean
  /** Members of `wallet_metadata` that replace the members of this wallet. */
  readonly metadata?: object
  /** Demands an encrypted request, with this content encryption. */
  readonly encryptedWith?: string
  /** Protocol of the session, which the library must infer too. Default: `openid4vp-1.0`. */
  readonly protocol?: string
  /** True if the relying party requested a confirmation. */
  readonly asksTransactionData?: boolean
}

/** The versions that the library may infer. Drafts with equal requests share one number. */
const VERSIONS: Readonly<Record<string, readonly number[]>> = {
  'openid4vp-1.0': [100],
  'haip-1.0': [100],
  'openid4vp-draft24': [25, 26],
  'openid4vp-draft18': [21],
}

export type ReceivedRequest = {
  readonly uri: string
  /** The compact JWS as served; empty if the request was passed by value. */
  readonly requestObject: string
  /** The verified claims. */
  readonly payload: RequestPayload
  /** Salt of the wallet for the session of an mdoc, in the drafts: `apu` of its response. */
  readonly mdocNonce: string
}

/** The claims this wallet uses. */
export type RequestPayload = {
  readonly client_id: string
  readonly response_uri: string
  readonly response_mode: 'direct_post' | 'direct_post.jwt'
  readonly nonce: string
  readonly state: string
  readonly dcql_query: {
    readonly credentials: readonly { readonly id: string; readonly meta: Readonly<Record<string, unknown>> }[]
  }
  readonly transaction_data?: readonly string[]
  /** In place of `dcql_query`, in the drafts. */
  readonly presentation_definition?: Definition
  readonly client_metadata: {
    readonly jwks?: { readonly keys: readonly JWK[] }
    /** Only in the drafts. */
    readonly vp_formats?: unknown
  }
}

/** A presentation definition, as far as this wallet reads it. */
export type Definition = {
  readonly id: string
  readonly input_descriptors: readonly {
    readonly id: string
    readonly format: Readonly<Record<string, unknown>>
    readonly constraints: { readonly fields: readonly Field[] }
  }[]
}
type Field = { readonly path: readonly string[]; readonly filter?: OneOf & { readonly contains?: OneOf } }
type OneOf = { readonly enum?: readonly unknown[] }

/** Presentations by credential query id, or by input descriptor id. */
export type Presentations = Readonly<Record<string, readonly (string | object)[]>>

export type Wallet = {
  /**
   * Takes the URI of a QR or link, fetches and verifies the Request Object. Throws if the request breaks a
   * rule.
   */
  readonly receive: (uri: string, options?: ReceiveOptions) => Promise<ReceivedRequest>
  /** Sends a response in the response mode of the request. */
  readonly present: (request: ReceivedRequest, presentations: Presentations) => Promise<Response>
  /** Sends an error, unencrypted or inside the JWE. */
  readonly decline: (
    request: ReceivedRequest,
    error: string,
    options?: { encrypted?: boolean },
  ) => Promise<Response>
}

/** Makes a wallet. */
export function createWallet(options: WalletOptions): Wallet {
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  return {
    receive: (uri, receiving = {}) => receive(uri, { ...options, now: now() }, receiving),
    present: (request, presentations) => present(request, presentations, options),
    decline: (request, error, { encrypted = false } = {}) => {
      const parameters = { error, error_description: 'from the wallet', state: request.payload.state }
      return encrypted ? postEncrypted(request, parameters, options) : post(request, parameters, options)
    },
  }
}

const lint = createRequestLinter()
const lintByValue = createByValueLinter()

async function receive(
  uri: string,
  { now, ...trust }: Omit<WalletOptions, 'now'> & { readonly now: number },
  {
    walletNonce = randomBytes(16).toString('base64'),
    getOnly = false,
    metadata = {},
    encryptedWith,
    protocol = 'openid4vp-1.0',
    asksTransactionData = false,
  }: ReceiveOptions,
): Promise<ReceivedRequest> {
  const { fetch } = trust
  const met = getOnly ? uri.replace(/&request_uri_method=post$/, '') : uri
  const posts = new URL(met).searchParams.get('request_uri_method') === 'post'
  const key = encryptedWith === undefined ? undefined : await makeRequestKey(encryptedWith)
  const wallet_metadata = JSON.stringify({ ...METADATA, ...metadata, ...key?.metadata })
  let served: { readonly text: string; readonly response: Response } | undefined
  // The library posts its metadata without `wallet_metadata` and `wallet_nonce`, so the form of §5.10 is made
  // here.
  const fetchRequest = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const body = new URLSearchParams({ wallet_metadata, wallet_nonce: walletNonce })
    const headers = { accept: 'application/oauth-authz-req+jwt' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = posts
      ? { method: 'POST', headers: { ...headers, ...form }, body: `${body}` }
      : { headers }
    if (init.method?.toUpperCase() !== (posts ? 'POST' : 'GET'))
      throw new Error('the library chose another method')
    const response = await fetch(String(url), request)
    if (key === undefined || !response.ok) {
      served = { text: await response.clone().text(), response }
      return response
    }
    // The request is decrypted here, because the library expects JSON in such a JWE.
    served = { text: await key.open(await response.text()), response }
    return new Response(served.text, response)
  }
  const client = new Openid4vpClient({
    callbacks: {
      ...callbacks(trust),
      fetch: fetchRequest,
    },
  })
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: met })
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: params,
    wallet: { metadata: METADATA, ...(posts ? { expectedNonce: walletNonce } : {}) },
  })
  if (!VERSIONS[protocol]?.includes(resolved.version))
    throw new Error(`not a request of ${protocol}, but of version ${resolved.version}`)
  // The library's own type for it has every member of every version optional.
  const payload = resolved.authorizationRequestPayload as unknown as RequestPayload
  const did = /^decentralized_identifier:(.*)$/.exec(payload.client_id)?.[1]
  const violations = await (served === undefined
    ? lintByValue({ uri: met, now, protocol, asksTransactionData })
    : lint({
        uri: met,
        ...(did === undefined ? {} : { didDocument: await resolveDidWeb(did, fetch) }),
        requestObject: served.text,
        http: { status: served.response.status, headers: served.response.headers },
        walletNonce: posts ? walletNonce : undefined,
        now,
        protocol,
        asksTransactionData,
      }))
  if (violations.length > 0) throw new Error(`the request breaks rules: ${JSON.stringify(violations)}`)
  return {
    uri: met,
    requestObject: served?.text ?? '',
    payload,
    mdocNonce: randomBytes(16).toString('base64url'),
  }
}

async function present(
  request: ReceivedRequest,
  presentations: Presentations,
  options: WalletOptions,
): Promise<Response> {
  const client = new Openid4vpClient({
    callbacks: { ...callbacks(options), fetch: toFetch(options) },
  })
  const encrypted = request.payload.response_mode === 'direct_post.jwt'
  const authorizationRequestPayload = request.payload as never // what the library itself parsed
  const answer = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload,
    authorizationResponsePayload: responseOf(request.payload, presentations) as never,
    ...(encrypted ? { jarm: { encryption: { nonce: request.mdocNonce }, serverMetadata: JWE } } : {}),
  })
  const { response } = await client.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload,
    authorizationResponsePayload: answer.authorizationResponsePayload,
    ...(answer.jarm === undefined ? {} : { jarm: answer.jarm }),
  })
  return response
}

/** Presentations in the form of the request's version: by query id, or with a presentation submission. */
export function responseOf(
  { presentation_definition: definition }: RequestPayload,
  presentations: Presentations,
): object {
  if (definition === undefined) return { vp_token: presentations }
  const found = Object.entries(presentations).flatMap(([id, [presentation]]) => {
    const descriptor = definition.input_descriptors.find((one) => one.id === id)
    return descriptor === undefined ? [] : [{ id, format: Object.keys(descriptor.format)[0], presentation }]
  })
  const [first, ...others] = found
  const descriptor_map = found.map(({ id, format }, index) => ({
    id,
    path: others.length === 0 ? '$' : `$[${index}]`,
    ...(format === 'jwt_vc_json' ? NESTED : { format }),
  }))
  return {
    vp_token: others.length === 0 ? first?.presentation : found.map(({ presentation }) => presentation),
    presentation_submission: { id: 'submission', definition_id: definition.id, descriptor_map },
  }
}

/** A credential in a VP. */
const NESTED = {
  format: 'jwt_vp_json',
  path_nested: { format: 'jwt_vc_json', path: '$.vp.verifiableCredential[0]' },
}

async function postEncrypted(
  request: ReceivedRequest,
  parameters: object,
  options: WalletOptions,
): Promise<Response> {
  const key = request.payload.client_metadata.jwks?.keys[0]
  if (key === undefined) throw new Error('the request has no encryption key')
  return post(request, { response: await encryptResponse(parameters, key) }, options)
}

function post(
  { payload }: ReceivedRequest,
  parameters: Record<string, string>,
  { fetch }: WalletOptions,
): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return fetch(payload.response_uri, { method: 'POST', headers, body: `${new URLSearchParams(parameters)}` })
}

/**
 * Encrypts response parameters with a key of the request, as a wallet does: random `apu` and `apv`, `kid`
 * repeated.
 */
export async function encryptResponse(
  parameters: object | string,
  jwk: JWK,
  { enc = 'A128GCM', header = {} }: { enc?: string; header?: object } = {},
): Promise<string> {
  const text = typeof parameters === 'string' ? parameters : JSON.stringify(parameters)
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({
      alg: 'ECDH-ES',
      enc,
      ...(jwk.kid === undefined ? {} : { kid: jwk.kid }),
      ...header,
    })
    .setKeyManagementParameters({ apu: randomBytes(16), apv: randomBytes(24) })
    .encrypt(await importJWK(jwk, 'ECDH-ES'))
}

/** Encryption of this wallet as JARM metadata. */
export const JWE = {
  authorization_signing_alg_values_supported: [],
  authorization_encryption_alg_values_supported: ['ECDH-ES'],
  authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
}

const METADATA: WalletMetadata = {
  vp_formats_supported: {
    'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
    mso_mdoc: { issuerauth_alg_values: [-7], deviceauth_alg_values: [-7] },
    jwt_vc_json: { alg_values: ['ES256'] },
  },
  client_id_prefixes_supported: [
    'x509_hash',
    'x509_san_dns',
    'decentralized_identifier',
    'verifier_attestation',
    'redirect_uri',
  ],
  request_object_signing_alg_values_supported: ['ES256'],
}

function toFetch({ fetch }: WalletOptions): typeof globalThis.fetch {
  return ((url: string | URL | Request, init?: RequestInit) =>
    fetch(String(url), init)) as typeof globalThis.fetch
}

export function callbacks(
  trust: VerifierTrust,
): Omit<CallbackContext, 'generateRandom' | 'clientAuthentication' | 'fetch'> {
  return {
    hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
    verifyJwt: requestVerifier(trust),
    encryptJwe: async ({ publicJwk, enc, apu, apv }, data) => {
      const jwe = new CompactEncrypt(Buffer.from(data))
        .setProtectedHeader({ alg: 'ECDH-ES', enc, kid: publicJwk.kid as string })
        .setKeyManagementParameters({
          ...(apu === undefined ? {} : { apu: Buffer.from(apu, 'base64url') }),
          ...(apv === undefined ? {} : { apv: Buffer.from(apv, 'base64url') }),
        })
      return {
        encryptionJwk: publicJwk,
        jwe: await jwe.encrypt(await importJWK(publicJwk as JWK, 'ECDH-ES')),
      }
    },
    getX509CertificateMetadata: (der) => {
      const names = (readCertificate(der).subjectAltName ?? '').split(', ')
      const named = (type: string) =>
        names.filter((name) => name.startsWith(type)).map((name) => name.slice(type.length))
      return { sanDnsNames: named('DNS:'), sanUriNames: named('URI:') }
    },
    signJwt: () => {
      throw new Error('this wallet signs no responses')
    },
    decryptJwe: () => ({ decrypted: false }),
  }
}
