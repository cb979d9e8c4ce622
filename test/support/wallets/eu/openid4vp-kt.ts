// Requests as eudi-lib-jvm-openid4vp-kt 0.12 resolves them: the library of the EUDI wallets on Android.

import type { JWK } from 'jose'
import { refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import { sha256 } from '../holdings.ts'
import {
  type ClientMetadata,
  type CredentialQuery,
  type DcqlQuery,
  decodeRequestObject,
  dnsNamesOf,
  fetchRequestObject,
  isChained,
  type Payload,
  parametersOf,
  verifySignature,
} from '../request-object.ts'
import { randomText } from '../responding.ts'

/** Settings of an app that uses the library. */
type KtConfig = {
  readonly prefixes: readonly ('x509_hash' | 'x509_san_dns' | 'redirect_uri')[]
  /** Algorithms of the app by format. */
  readonly formats: Readonly<Partial<Record<string, readonly (string | number)[]>>>
}

/** A resolved request. Without `encryption` the response is posted in the clear. */
export type ResolvedRequest = {
  readonly payload: Payload
  readonly encryption: { readonly key: JWK; readonly enc: string } | undefined
}

export const KT_SOURCE = {
  repository: 'eu-digital-identity-wallet/eudi-lib-jvm-openid4vp-kt',
  commit: '0fb47fb9882fd40a25cfd9532b3043bb12efdf70',
  files: ['RequestFetcher', 'RequestAuthenticator', 'RequestObjectValidator', 'ClientMetaDataValidator']
    .map((name) => `src/main/kotlin/eu/europa/ec/eudi/openid4vp/internal/request/${name}.kt`)
    .concat('src/main/kotlin/eu/europa/ec/eudi/openid4vp/dcql/DCQL.kt'),
}

/** Resolves a link. */
export async function resolveWithKt(
  link: string,
  surroundings: Surroundings,
  config: KtConfig,
): Promise<ResolvedRequest> {
  const parameters = parametersOf(link)
  const payload =
    parameters.request_uri === undefined && parameters.request === undefined
      ? authenticateUnsigned(parameters, config)
      : await receiveSigned(parameters, surroundings, config)
  return { payload, encryption: validate(payload, config) }
}

async function receiveSigned(
  {
    client_id: clientId,
    request,
    request_uri: uri,
    request_uri_method: method,
  }: Readonly<Record<string, string>>,
  surroundings: Surroundings,
  config: KtConfig,
): Promise<Payload> {
  const { prefixes } = config
  refuseUnless(clientId !== undefined, 'client_id is missing')
  refuseUnless(method === undefined || method === 'get' || method === 'post', 'unknown request_uri_method')
  refuseUnless(
    request === undefined || (uri === undefined && method === undefined),
    'request and request_uri',
  )
  const walletNonce = method === 'post' ? randomText() : undefined
  const form = walletNonce && { wallet_nonce: walletNonce, wallet_metadata: metadataOf(config) }
  const text = request ?? (await fetchRequestObject(uri ?? '', surroundings, form || undefined)).text
  const { header, payload, chain } = decodeRequestObject(text)
  refuseUnless(payload.client_id === clientId, 'client_id differs from the link')
  refuseUnless(walletNonce === undefined || payload.wallet_nonce === walletNonce, 'wallet_nonce differs')
  const [prefix = '', ...rest] = clientId.split(':')
  const isSupported = prefixes.some((one) => one === prefix && one !== 'redirect_uri')
  refuseUnless(isSupported, `the Client Identifier prefix ${prefix} is not supported`)
  const [leaf] = chain
  if (leaf === undefined) return refuse('no x5c in the request object')
  refuseUnless(isChained(chain, surroundings.verifierCa), 'the certificate is not trusted')
  const id = rest.join(':')
  const isNamed = prefix === 'x509_hash' ? id === sha256(leaf.raw) : dnsNamesOf(leaf).includes(id)
  refuseUnless(isNamed, 'the Client Identifier is not that of the certificate')
  refuseUnless(header.typ === 'oauth-authz-req+jwt', 'typ is not oauth-authz-req+jwt')
  await verifySignature(text, chain, ['ES256', 'ES384', 'ES512'])
  const now = Math.floor(Date.now() / 1000)
  refuseUnless(payload.exp === undefined || payload.exp > now - 15, 'the request object has expired')
  return payload
}

/** `wallet_metadata` as the library posts it. */
function metadataOf({ prefixes, formats }: KtConfig): string {
  return JSON.stringify({
    request_object_signing_alg_values_supported: ['ES256', 'ES384', 'ES512'],
    authorization_encryption_alg_values_supported: ['ECDH-ES'],
    authorization_encryption_enc_values_supported: ENCRYPTIONS,
    vp_formats_supported: {
      ...(formats['dc+sd-jwt'] && {
        'dc+sd-jwt': { 'sd-jwt_alg_values': formats['dc+sd-jwt'], 'kb-jwt_alg_values': formats['dc+sd-jwt'] },
      }),
      ...(formats.mso_mdoc && {
        mso_mdoc: { issuerauth_alg_values: formats.mso_mdoc, deviceauth_alg_values: formats.mso_mdoc },
      }),
    },
    client_id_prefixes_supported: prefixes,
    response_types_supported: ['vp_token'],
    response_modes_supported: ['direct_post', 'direct_post.jwt'],
  })
}

/** Parameters in the link itself, for `redirect_uri` only. */
function authenticateUnsigned(parameters: Readonly<Record<string, string>>, { prefixes }: KtConfig): Payload {
  const { client_id: clientId } = parameters
  refuseUnless(clientId !== undefined, 'client_id is missing')
  const [prefix = ''] = clientId.split(':')
  refuseUnless(
    prefixes.some((one) => one === prefix),
    `the Client Identifier prefix ${prefix} is not supported`,
  )
  refuseUnless(prefix === 'redirect_uri', `${prefix} cannot be used in an unsigned request`)
  const parsed = Object.entries(parameters).map(([name, value]) => [
    name,
    ['dcql_query', 'client_metadata', 'transaction_data', 'verifier_info'].includes(name)
      ? JSON.parse(value)
      : value,
  ])
  return Object.fromEntries(parsed) as Payload
}

/** Checks the parameters in the library's order. */
function validate(payload: Payload, config: KtConfig): ResolvedRequest['encryption'] {
  refuseUnless(payload.response_type?.trim() === 'vp_token', 'response_type is not vp_token')
  refuseUnless(payload.nonce !== undefined, 'nonce is missing')
  const isEncrypted = checkResponseMode(payload)
  refuseUnless(payload.dcql_query !== undefined, 'dcql_query is missing')
  checkQuery(payload.dcql_query)
  const formats = [...new Set(payload.dcql_query.credentials.map(({ format }) => format))]
  refuseUnless(
    formats.every((format) => config.formats[format] !== undefined),
    'a format is not supported',
  )
  // No type of transaction data is configured.
  refuseUnless(payload.transaction_data === undefined, 'transaction_data is not supported')
  const { client_metadata: metadata } = payload
  refuseUnless(metadata !== undefined || !isEncrypted, 'client_metadata is missing')
  if (metadata === undefined) return undefined
  const encryption = encryptionOf(metadata, isEncrypted)
  checkFormats(metadata, formats, config)
  return encryption
}

function checkResponseMode({ response_mode, response_uri, redirect_uri, client_id }: Payload): boolean {
  const isPosted = response_mode === 'direct_post' || response_mode === 'direct_post.jwt'
  refuseUnless(isPosted, `the response mode ${response_mode} is not supported`)
  refuseUnless(redirect_uri === undefined, 'redirect_uri beside response_uri')
  refuseUnless(response_uri !== undefined && URL.canParse(response_uri), 'response_uri is missing or no URL')
  const [prefix = '', ...rest] = client_id.split(':')
  const id = rest.join(':')
  const isOwn =
    prefix === 'x509_san_dns'
      ? new URL(response_uri).hostname === id
      : prefix !== 'redirect_uri' || id === response_uri
  refuseUnless(isOwn, 'response_uri is not that of the Client Identifier')
  return response_mode === 'direct_post.jwt'
}

/** The syntax of DCQL.kt. */
function checkQuery({ credentials, credential_sets: sets }: DcqlQuery): void {
  const ids = credentials.map(({ id }) => id)
  refuseUnless(ids.length > 0 && isUnique(ids) && ids.every(isId), 'malformed ids of credential queries')
  const options = sets?.flatMap((set) => set.options)
  refuseUnless(options === undefined || options.length > 0, 'empty credential_sets')
  const isKnown =
    options?.every((option) => option.length > 0 && option.every((id) => ids.includes(id))) ?? true
  refuseUnless(isKnown, 'credential_sets name an unknown query')
  credentials.forEach(checkCredentialQuery)
}

function checkCredentialQuery({
  format,
  meta,
  claims,
  claim_sets: sets,
  trusted_authorities,
}: CredentialQuery): void {
  const isTyped =
    format === 'mso_mdoc' ? !!meta?.doctype_value : format !== 'dc+sd-jwt' || !!meta?.vct_values?.length
  refuseUnless(isTyped, 'meta names no type')
  refuseUnless(
    trusted_authorities === undefined || trusted_authorities.length > 0,
    'empty trusted_authorities',
  )
  refuseUnless(claims !== undefined || sets === undefined, 'claim_sets without claims')
  if (claims === undefined) return
  const ids = claims.flatMap(({ id }) => id ?? [])
  refuseUnless(claims.length > 0 && isUnique(ids) && ids.every(isId), 'malformed claims')
  const isNamed = sets?.every((set) => set.length > 0 && set.every((id) => ids.includes(id))) ?? true
  refuseUnless(isNamed && sets?.length !== 0, 'malformed claim_sets')
  for (const { path, intent_to_retain: retain } of claims) {
    if (format !== 'mso_mdoc') refuseUnless(retain === undefined, 'intent_to_retain is for mdocs only')
    else
      refuseUnless(
        path.length === 2 && path.every((step) => typeof step === 'string'),
        'not a path of an mdoc',
      )
  }
}

function encryptionOf(metadata: ClientMetadata, isEncrypted: boolean): ResolvedRequest['encryption'] {
  const { jwks, encrypted_response_enc_values_supported: offered } = metadata
  if (!isEncrypted) {
    refuseUnless(offered === undefined, 'encrypted_response_enc_values_supported without encryption')
    return undefined
  }
  const keys = jwks?.keys ?? []
  refuseUnless(keys.length > 0, 'jwks is missing or empty')
  refuseUnless(isUnique(keys.map(({ kid }) => kid)), 'kid is not unique')
  const key = keys.find(
    ({ kid, alg, kty, crv }) => !!kid && alg === 'ECDH-ES' && kty === 'EC' && crv === 'P-256',
  )
  if (key === undefined) return refuse('no key with kid and alg for ECDH-ES')
  const enc = ENCRYPTIONS.find((one) => (offered ?? ['A128GCM']).includes(one))
  if (enc === undefined) return refuse('no supported content encryption')
  return { key, enc }
}

const ENCRYPTIONS = ['A128CBC-HS256', 'A192CBC-HS384', 'A256CBC-HS512', 'A128GCM', 'A192GCM', 'A256GCM']

function checkFormats(
  { vp_formats_supported: offered = {} }: ClientMetadata,
  formats: readonly string[],
  config: KtConfig,
): void {
  refuseUnless(
    formats.every((format) => offered[format] !== undefined),
    'vp_formats_supported lacks a format',
  )
  for (const format of formats) {
    for (const algorithms of Object.values(offered[format] ?? {})) {
      const isShared = algorithms.some((one) => config.formats[format]?.includes(one as string))
      refuseUnless(isShared, `vp_formats_supported has no algorithm of the wallet for ${format}`)
    }
  }
}

const isId = (id: string) => /^[\w-]+$/.test(id)
const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length
