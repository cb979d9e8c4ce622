// The NL Wallet: it supports one simple part of DCQL, verifiers with an access certificate of its list, and
// requests by reference with encrypted responses.

import { GeneralSign, importJWK } from 'jose'
import { hasType } from '../dcql.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import { claimAt, type Holding, sha256 } from '../holdings.ts'
import {
  type CredentialQuery,
  decodeRequestObject,
  fetchRequestObject,
  isChained,
  type Payload,
  parametersOf,
  type ReceivedRequest,
  subjectOf,
  verifySignature,
} from '../request-object.ts'
import { type Choice, encryptFor, postForm, presentAll, randomText } from '../responding.ts'
import { authoritiesOf } from '../world/dcql-library.ts'

/** The universal link's base is a setting of the build, so only the schemes are known here. */
const SCHEMES = ['openid4vp:', 'haip-vp:', 'eu-eaap:']

/** In the order of preference, the last one first. */
const ENCRYPTIONS = ['A128CBC-HS256', 'A192CBC-HS384', 'A256CBC-HS512', 'A128GCM', 'A192GCM', 'A256GCM']

export const nlWallet: FakeWallet = fakeWallet({
  id: 'nl-wallet',
  source: {
    repository: 'MinBZK/nl-wallet',
    commit: '6299ff7bbd2461ba20f438511bfbd2cd9072834f',
    files: [
      'wallet_core/wallet/src/wallet/uri.rs',
      'wallet_core/wallet/src/wallet/disclosure.rs',
      'wallet_core/lib/openid4vc/src/openid4vp.rs',
      'wallet_core/lib/openid4vc/src/disclosure_session/client.rs',
      'wallet_core/lib/dcql/src/lib.rs',
      'wallet_core/lib/dcql/src/normalized.rs',
      'wallet_core/lib/attestation_data/src/x509.rs',
      'wallet_core/lib/jwe/src/encryption.rs',
    ],
  },
  read: '2026-11-29',
  answer: async (invocation, surroundings) => {
    if (!('link' in invocation)) return refuse('no Digital Credentials API')
    const { protocol } = new URL(invocation.link)
    refuseUnless(SCHEMES.includes(protocol) || protocol === 'https:', 'the scheme is not one of a disclosure')
    const payload = await receive(invocation.link, surroundings)
    const choices = payload.dcql_query.credentials.map((query) => choose(query, surroundings.holdings))
    const key = payload.client_metadata.jwks?.keys.find(isSupportedKey)
    const enc = encryptionOf(payload)
    if (key === undefined || enc === undefined) return refuse('no supported key or content encryption')
    const { vp_token, disclosed } = await presentAll(choices, { payload, key })
    const { state } = payload
    const parameters = {
      vp_token,
      ...(state === undefined ? {} : { state }),
      ...(await proofOf(choices, payload)),
    }
    const [apu, apv] = [Buffer.from(randomText()), Buffer.from(payload.nonce)]
    const response = await encryptFor({ key, enc, apu, apv }, parameters)
    return { disclosed, response: await postForm(surroundings, payload.response_uri, { response }) }
  },
})

/** Fetches the request, and checks everything except the query. */
async function receive(link: string, surroundings: Surroundings): Promise<Payload> {
  const { client_id: clientId, request_uri: uri, request_uri_method: method } = parametersOf(link)
  refuseUnless(clientId !== undefined, 'client_id is missing in the link')
  refuseUnless(uri !== undefined, 'requests by value are not supported')
  refuseUnless(method === undefined || method === 'get' || method === 'post', 'unknown request_uri_method')
  const walletNonce = method === 'post' ? randomText() : undefined
  const form = walletNonce === undefined ? undefined : { wallet_nonce: walletNonce }
  const { text } = await fetchRequestObject(uri, surroundings, form)
  const received = decodeRequestObject(text)
  const { header, payload, chain } = received
  refuseUnless(
    chain.length > 0 && isChained(chain, surroundings.verifierCa),
    'the certificate is of no listed authority',
  )
  await verifySignature(text, chain, ['ES256'])
  refuseUnless(header.typ === 'oauth-authz-req+jwt', 'typ is not oauth-authz-req+jwt')
  refuseUnless(payload.aud === 'https://self-issued.me/v2', 'aud is not https://self-issued.me/v2')
  refuseUnless(payload.request_uri === undefined, 'request_uri inside the request object')
  refuseUnless(payload.client_id === clientId, 'client_id differs from the link')
  checkParameters(received)
  checkQueries(payload)
  refuseUnless(payload.wallet_nonce === walletNonce, 'wallet_nonce differs')
  checkOrganization(received)
  return payload
}

function checkParameters({ payload, chain }: ReceivedRequest): void {
  refuseUnless(payload.transaction_data === undefined, 'transaction_data is not supported')
  for (const member of ['nonce', 'response_mode', 'response_uri', 'client_metadata'] as const) {
    refuseUnless(payload[member] !== undefined, `${member} is missing`)
  }
  refuseUnless(payload.response_type === 'vp_token', 'response_type is not vp_token')
  refuseUnless(payload.response_mode === 'direct_post.jwt', 'response_mode is not direct_post.jwt')
  const keys = payload.client_metadata.jwks?.keys ?? []
  refuseUnless(keys.length > 0, 'jwks is missing or empty')
  refuseUnless(
    keys.every(({ kid }) => kid !== undefined),
    'a key of jwks has no kid',
  )
  refuseUnless(keys.some(isSupportedKey), 'no key for ECDH-ES on P-256')
  refuseUnless(encryptionOf(payload) !== undefined, 'no supported content encryption')
  refuseUnless(payload.client_id.startsWith('x509_hash:'), 'the Client Identifier is not x509_hash')
  const [leaf] = chain
  refuseUnless(payload.client_id === `x509_hash:${sha256(leaf!.raw)}`, 'x509_hash is not of the leaf')
}

function isSupportedKey({ kty, crv, alg, use }: { kty?: string; crv?: string; alg?: string; use?: string }) {
  return kty === 'EC' && crv === 'P-256' && alg?.startsWith('ECDH-ES') === true && (use ?? 'enc') === 'enc'
}

function encryptionOf({ client_metadata }: Payload): string | undefined {
  const offered = client_metadata.encrypted_response_enc_values_supported ?? ['A128GCM']
  return ENCRYPTIONS.findLast((enc) => offered.includes(enc))
}

/** The name of the verifier comes from the certificate: of a legal or of a natural person. */
function checkOrganization({ chain: [leaf] }: ReceivedRequest): void {
  const names = subjectOf(leaf!)
  const [legal, natural] = [
    ['C', 'CN', 'O', 'organizationIdentifier'],
    ['C', 'CN', 'serialNumber', 'SN', 'GN'],
  ].map((required) => required.every((name) => names[name] !== undefined))
  refuseUnless(
    legal === true || natural === true,
    'the certificate names no organization with its identifier',
  )
}

function checkQueries({ dcql_query: query, client_metadata: metadata }: Payload): void {
  refuseUnless((query.credential_sets ?? []).length === 0, 'credential_sets are not supported')
  query.credentials.forEach(checkQuery)
  const formats = [...new Set(query.credentials.map(({ format }) => format))]
  refuseUnless(formats.length === 1, 'a mix of formats is not supported')
  const [format = ''] = formats
  const supported = metadata.vp_formats_supported?.[format] ?? {}
  const [members, algorithms] =
    format === 'mso_mdoc'
      ? [
          ['issuerauth_alg_values', 'deviceauth_alg_values'],
          [-7, -9],
        ]
      : [['sd-jwt_alg_values', 'kb-jwt_alg_values'], ['ES256']]
  refuseUnless(
    members.every((member) => supported[member]?.some((one) => algorithms.includes(one as never))),
    `vp_formats_supported has no ES256 for ${format}`,
  )
}

function checkQuery({ format, claims, claim_sets, ...query }: CredentialQuery): void {
  const { meta } = query
  const isKnown =
    format === 'mso_mdoc' ? meta?.doctype_value !== undefined : (meta?.vct_values ?? []).length > 0
  refuseUnless(['mso_mdoc', 'dc+sd-jwt'].includes(format) && isKnown, `the format ${format} is not supported`)
  refuseUnless(query.multiple !== true, 'multiple is not supported')
  refuseUnless(query.require_cryptographic_holder_binding !== false, 'holder binding is required')
  refuseUnless(claims !== undefined && claims.length > 0, 'a query without claims is not supported')
  refuseUnless(claim_sets === undefined, 'claim_sets are not supported')
  const authorities = query.trusted_authorities ?? []
  refuseUnless(
    authorities.every(({ type }) => type === 'aki'),
    'only trusted_authorities of type aki are supported',
  )
  for (const { path, intent_to_retain } of claims) {
    refuseUnless(
      path.every((step) => typeof step === 'string'),
      'a path with null or an index is not supported',
    )
    const isOfMdoc = format === 'mso_mdoc'
    refuseUnless(isOfMdoc || intent_to_retain === undefined, 'intent_to_retain is not allowed for dc+sd-jwt')
  }
}

/** The wallet reads `values`, but they have no effect. */
function choose(query: CredentialQuery, holdings: readonly Holding[]): Choice {
  const paths = (query.claims ?? []).map(({ path }) => path)
  const akis = (query.trusted_authorities ?? []).flatMap(({ values }) => values)
  const holding = holdings.find(
    (one) =>
      hasType(one, query) &&
      paths.every((path) => claimAt(one, path) !== undefined) &&
      (akis.length === 0 || authoritiesOf(one).some((aki) => akis.includes(aki))),
  )
  if (holding === undefined) return refuse('no credential has all requested attributes')
  return { id: query.id, holding, paths }
}

/** With several keys, `poa` shows that one device holds them. */
async function proofOf(choices: readonly Choice[], { nonce, client_id: aud }: Payload): Promise<object> {
  const keys = choices.map(({ holding }) =>
    holding.format === 'dc+sd-jwt' ? holding.key.privateJwk : holding.device,
  )
  if (keys.length < 2) return {}
  const jwks = keys.map(({ kty, crv, x, y }) => ({ kty, crv, x, y }))
  const poa = new GeneralSign(Buffer.from(JSON.stringify({ nonce, aud, jwks })))
  for (const key of keys) {
    const signer = await importJWK({ ...key, alg: 'ES256' } as never, 'ES256')
    poa.addSignature(signer).setProtectedHeader({ typ: 'poa+jwt', alg: 'ES256' })
  }
  return { poa: await poa.sign() }
}
