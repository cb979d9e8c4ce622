// Requests as eudi-lib-ios-openid4vp-swift 0.35.1 resolves them: the library of the EUDI wallets on iOS.

import type { JWK } from 'jose'
import { makeRequestKey } from '../../certificates/request-key.ts'
import { refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import { sha256 } from '../holdings.ts'
import {
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

export const SWIFT_SOURCE = {
  repository: 'eu-digital-identity-wallet/eudi-lib-ios-openid4vp-swift',
  commit: 'dab5e244bf34efcb294711844527b1124c1e9257',
  files: [
    'Sources/Main/Fetchers/RequestFetcher.swift',
    'Sources/Main/Authenticators/ClientAuthenticator.swift',
    'Sources/Main/Validators/AccessValidator.swift',
    'Sources/Main/Validators/ClientMetaDataValidator.swift',
    'Sources/Main/Resolvers/AuthorizationRequestResolver.swift',
    'Sources/DCQL/DCQL.swift',
  ],
}

type SwiftConfig = {
  readonly prefixes: readonly ('x509_hash' | 'x509_san_dns' | 'redirect_uri')[]
}

export type SwiftRequest = {
  readonly payload: Payload
  readonly encryption: { readonly key: JWK; readonly enc: string } | undefined
}

/** Resolves a link. */
export async function resolveWithSwift(
  link: string,
  surroundings: Surroundings,
  { prefixes }: SwiftConfig,
): Promise<SwiftRequest> {
  const { client_id: clientId, request_uri: uri, ...parameters } = parametersOf(link)
  refuseUnless(clientId !== undefined, 'client_id is missing')
  const [prefix = '', ...rest] = clientId.split(':')
  // If the app allows `redirect_uri`, every prefix that it does not allow is treated as `redirect_uri`. No
  // signature is then verified.
  const isRedirect = prefixes.includes('redirect_uri') && !prefixes.some((one) => one === prefix)
  const usedPrefix = isRedirect ? 'redirect_uri' : prefix
  refuseUnless(
    prefixes.some((one) => one === usedPrefix),
    `the Client Identifier prefix ${prefix} is not supported`,
  )
  const usedId = [usedPrefix, ...rest].join(':')
  if (uri === undefined && parameters.request === undefined) {
    refuseUnless(usedPrefix === 'redirect_uri', `${prefix} cannot be used in an unsigned request`)
    const payload = { ...parameters, ...jsonOf(parameters), client_id: usedId } as unknown as Payload
    return { payload, encryption: validate(payload) }
  }
  const text = parameters.request ?? (await fetchText(uri ?? '', parameters, surroundings))
  const { payload, chain } = decodeRequestObject(text)
  refuseUnless(payload.client_id === clientId, 'client_id differs from the link')
  const isForWallet = typeof payload.aud !== 'string' || payload.aud === 'https://self-issued.me/v2'
  refuseUnless(isForWallet, 'aud is not https://self-issued.me/v2')
  if (usedPrefix === 'redirect_uri') {
    const unverified = { ...payload, client_id: usedId }
    return { payload: unverified, encryption: validate(unverified) }
  }
  const [leaf] = chain
  if (leaf === undefined) return refuse('no x5c in the request object')
  const id = rest.join(':')
  const isNamed = prefix === 'x509_hash' ? id === sha256(leaf.raw) : dnsNamesOf(leaf).includes(id)
  refuseUnless(isNamed, 'the Client Identifier is not that of the certificate')
  refuseUnless(isChained(chain, surroundings.verifierCa), 'the certificate is not trusted')
  await verifySignature(text, chain, ['ES256'])
  return { payload, encryption: validate(payload) }
}

/** By POST the wallet asks for an encrypted request, and also accepts an unencrypted request. */
async function fetchText(
  uri: string,
  { request_uri_method: method }: Readonly<Record<string, string>>,
  surroundings: Surroundings,
): Promise<string> {
  const isKnown = ['get', 'post', undefined].includes(method?.toLowerCase())
  refuseUnless(isKnown, 'unknown request_uri_method')
  if (method?.toLowerCase() !== 'post') return (await fetchRequestObject(uri, surroundings)).text
  const [walletNonce, key] = [randomText(), await makeRequestKey('A128GCM')]
  const { text } = await fetchRequestObject(uri, surroundings, {
    wallet_nonce: walletNonce,
    wallet_metadata: JSON.stringify({ vp_formats_supported: WALLET_FORMATS, ...key.metadata }),
  })
  const opened = text.split('.').length === 5 ? await key.open(text) : text
  refuseUnless(decodeRequestObject(opened).payload.wallet_nonce === walletNonce, 'wallet_nonce differs')
  return opened
}

const WALLET_FORMATS = {
  'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
  mso_mdoc: { issuerauth_alg_values: [-7], deviceauth_alg_values: [-7] },
}

function jsonOf(parameters: Readonly<Record<string, string>>): object {
  const names = ['dcql_query', 'client_metadata', 'transaction_data'].filter((name) => name in parameters)
  return Object.fromEntries(names.map((name) => [name, JSON.parse(parameters[name] ?? '')]))
}

function validate(payload: Payload): SwiftRequest['encryption'] {
  const mode = payload.response_mode
  refuseUnless(
    mode === 'direct_post' || mode === 'direct_post.jwt',
    `the response mode ${mode} is not supported`,
  )
  refuseUnless(payload.response_uri !== undefined, 'response_uri is missing')
  const encryption = encryptionOf(payload, mode === 'direct_post.jwt')
  refuseUnless(payload.response_type === 'vp_token', 'response_type is not vp_token')
  refuseUnless(payload.nonce !== undefined, 'nonce is missing')
  refuseUnless(payload.dcql_query !== undefined, 'dcql_query is missing')
  checkQuery(payload.dcql_query)
  // No type of transaction data is configured.
  refuseUnless(payload.transaction_data === undefined, 'transaction_data is not supported')
  return encryption
}

function encryptionOf(
  { client_metadata: metadata }: Payload,
  isEncrypted: boolean,
): SwiftRequest['encryption'] {
  const offered = metadata?.encrypted_response_enc_values_supported
  const hasStandard = offered === undefined || ENCRYPTIONS.some((enc) => offered.includes(enc))
  refuseUnless(hasStandard, 'no supported content encryption')
  if (!isEncrypted) {
    refuseUnless(offered === undefined, 'encrypted_response_enc_values_supported without encryption')
    return undefined
  }
  const key = metadata?.jwks?.keys.find(({ kid, alg }) => !!kid && alg === 'ECDH-ES')
  if (key === undefined) return refuse('no key with kid and alg for ECDH-ES')
  const enc = ENCRYPTIONS.find((one) => (offered ?? ENCRYPTIONS).includes(one)) ?? ''
  return { key, enc }
}

const ENCRYPTIONS = ['A128GCM', 'A256GCM']

function checkQuery({ credentials, credential_sets: sets }: DcqlQuery): void {
  const ids = credentials.map(({ id }) => id)
  const isUnique = new Set(ids).size === ids.length
  refuseUnless(ids.length > 0 && isUnique && ids.every(isId), 'malformed ids of credential queries')
  const options = sets?.flatMap((set) => set.options)
  const isKnown = options?.every((option) => option.every((id) => ids.includes(id))) ?? true
  refuseUnless(sets?.length !== 0 && isKnown, 'malformed credential_sets')
  credentials.forEach(checkCredentialQuery)
}

function checkCredentialQuery({ format, claims = [] }: CredentialQuery): void {
  for (const { id, path, values, intent_to_retain: retain } of claims) {
    refuseUnless(id === undefined || isId(id), 'malformed id of a claim')
    // `values` is decoded as a list of strings.
    refuseUnless(values?.every((value) => typeof value === 'string') ?? true, 'values other than strings')
    const isOfMdoc = path.length === 2 && path.every((step) => typeof step === 'string')
    if (format === 'mso_mdoc') refuseUnless(isOfMdoc, 'not a path of an mdoc')
    else refuseUnless(retain === undefined, 'intent_to_retain is for mdocs only')
  }
}

const isId = (id: string) => /^[\w-]+$/.test(id)
