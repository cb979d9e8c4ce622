// Valera 5.7.6, and other wallets of the VC-K library.

import { firstClaimSet, hasType } from '../dcql.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import { sha256 } from '../holdings.ts'
import {
  type CredentialQuery,
  type DcqlQuery,
  decodeRequestObject,
  dnsNamesOf,
  fetchRequestObject,
  type Payload,
  parametersOf,
  verifySignature,
} from '../request-object.ts'
import { type Choice, encryptFor, postForm, presentAll, randomText } from '../responding.ts'

const SCHEMES = ['openid4vp:', 'haip-vp:', 'haip:', 'mdoc-openid4vp:', 'eudi-openid4vp:']
const VCK = 'vck-openid/src/commonMain/kotlin/at/asitplus/wallet/lib/openid'
const DCQL = 'openid-data-classes/src/commonMain/kotlin/at/asitplus/openid/dcql'

export const valera: FakeWallet = fakeWallet({
  id: 'valera',
  source: [
    {
      repository: 'a-sit-plus/valera',
      commit: '1596396a71289341cd17120ebe1f0131586be41e',
      files: [
        'androidApp/src/androidMain/AndroidManifest.xml',
        'shared/src/commonMain/kotlin/ui/navigation/WalletNavigation.kt',
        'shared/src/commonMain/kotlin/ui/presentation/DefaultPresentationGraphViewModel.kt',
      ],
    },
    {
      repository: 'a-sit-plus/vck',
      commit: 'c14b3fe5b8ea67b17680c6b87b6273f5fe1dce5c',
      files: [
        `${VCK}/OpenId4VpHolder.kt`,
        `${VCK}/RequestParser.kt`,
        `${VCK}/AuthorizationRequestValidator.kt`,
        `${VCK}/PresentationFactory.kt`,
        `${VCK}/AuthenticationResponseFactory.kt`,
        `${DCQL}/DCQLQuery.kt`,
        `${DCQL}/DCQLCredentialQuery.kt`,
      ],
    },
  ],
  read: '2026-11-22',
  silent: ['transaction_data'],
  answer: async (invocation, surroundings) => {
    if ('digital' in invocation) return refuse('requests of the browser are not part of this fake')
    refuseUnless(SCHEMES.includes(new URL(invocation.link).protocol), 'the scheme is not registered')
    const payload = await receive(invocation.link, surroundings)
    const choices = choose(payload.dcql_query, surroundings)
    const metadata = payload.client_metadata
    checkAlgorithms(payload, choices)
    const keys = metadata?.jwks?.keys ?? []
    const offered = metadata?.encrypted_response_enc_values_supported
    const isEncrypted = payload.response_mode === 'direct_post.jwt' || offered !== undefined
    const key = isEncrypted ? keys.find(({ kty, crv }) => kty === 'EC' && crv === 'P-256') : undefined
    refuseUnless(!isEncrypted || key !== undefined, 'no key for ECDH-ES')
    const { vp_token, disclosed } = await presentAll(choices, { payload, key })
    const state = payload.state === undefined ? {} : { state: payload.state }
    if (key === undefined) {
      const form = { vp_token: JSON.stringify(vp_token), ...state }
      return { disclosed, response: await postForm(surroundings, payload.response_uri, form) }
    }
    const [apu, apv] = [Buffer.from(randomText(16)), Buffer.from(payload.nonce)]
    const response = await encryptFor(
      { key, enc: offered?.[0] ?? 'A128GCM', apu, apv },
      { vp_token, ...state },
    )
    return { disclosed, response: await postForm(surroundings, payload.response_uri, { response }) }
  },
})

const JWS = ['ES256', 'ES384', 'ES512']
const COSE = [-7, -35, -36]
/** `wallet_metadata` as the library posts it. */
const METADATA = {
  response_types_supported: ['id_token', 'vp_token'],
  request_object_signing_alg_values_supported: JWS,
  client_id_prefixes_supported: [
    'pre-registered',
    'redirect_uri',
    'verifier_attestation',
    'x509_san_dns',
    'x509_hash',
  ],
  vp_formats_supported: {
    jwt_vc_json: { alg_values: JWS },
    'dc+sd-jwt': { 'sd-jwt_alg_values': JWS, 'kb-jwt_alg_values': JWS },
    mso_mdoc: { issuerauth_alg_values: COSE, deviceauth_alg_values: COSE },
  },
}

/** The chain of the verifier is not compared with a list. */
async function receive(link: string, surroundings: Surroundings): Promise<Payload> {
  const { request, request_uri: uri, request_uri_method: method, ...parameters } = parametersOf(link)
  const nonce = method === 'post' ? randomText() : undefined
  const form = nonce && { wallet_nonce: nonce, wallet_metadata: JSON.stringify(METADATA) }
  const text = request ?? (uri && (await fetchRequestObject(uri, surroundings, form || undefined)).text)
  if (text === undefined || text === '') return validate(unsigned(parameters))
  const { payload, chain } = decodeRequestObject(text)
  await verifySignature(text, chain, ['ES256', 'ES384', 'ES512'])
  const [prefix = '', ...rest] = payload.client_id.split(':')
  const [leaf] = chain
  const id = rest.join(':')
  refuseUnless(
    ['x509_hash', 'x509_san_dns'].includes(prefix),
    `the prefix ${prefix} is not part of this fake`,
  )
  const isNamed = prefix === 'x509_hash' ? id === sha256(leaf!.raw) : dnsNamesOf(leaf!).includes(id)
  refuseUnless(isNamed, 'the Client Identifier is not that of the certificate')
  refuseUnless(payload.wallet_nonce === undefined || payload.wallet_nonce === nonce, 'unknown wallet_nonce')
  return validate(payload)
}

function unsigned(parameters: Readonly<Record<string, string>>): Payload {
  const isNamed = parameters.client_id?.startsWith('redirect_uri:') === true
  refuseUnless(isNamed, 'an unsigned request needs redirect_uri')
  refuseUnless(parameters.client_metadata !== undefined, 'client_metadata is missing')
  const parsed = Object.entries(parameters).map(([name, value]) => [
    name,
    value.startsWith('{') ? JSON.parse(value) : value,
  ])
  return Object.fromEntries(parsed) as Payload
}

function validate(payload: Payload): Payload {
  const types = payload.response_type?.split(' ') ?? []
  refuseUnless(types.includes('vp_token'), 'response_type has no vp_token')
  const isPosted = payload.response_mode?.startsWith('direct_post') === true
  refuseUnless(isPosted, `the response mode ${payload.response_mode} is not part of this fake`)
  refuseUnless(payload.redirect_uri === undefined, 'redirect_uri beside response_uri')
  refuseUnless(payload.response_uri !== undefined, 'response_uri is missing')
  refuseUnless(payload.nonce !== undefined, 'nonce is missing')
  refuseUnless(payload.dcql_query !== undefined, 'no query')
  payload.dcql_query.credentials.forEach(checkQuery)
  return payload
}

function checkQuery({ claims, claim_sets: sets }: CredentialQuery): void {
  refuseUnless(claims === undefined || claims.length > 0, 'empty claims')
  const isNamed = sets === undefined || claims?.every(({ id }) => id !== undefined) !== false
  refuseUnless(isNamed, 'claim_sets without ids')
}

function checkAlgorithms({ client_metadata: metadata }: Payload, choices: readonly Choice[]): void {
  const formats = metadata?.vp_formats_supported
  if (formats === undefined) return
  const ours = ['ES256', 'ES384', 'ES512', -7, -35, -36]
  for (const { holding } of choices) {
    const offered = formats[holding.format]
    const isShared =
      offered && Object.values(offered).every((list) => list.some((one) => ours.includes(one as string)))
    refuseUnless(isShared === true, 'incompatible algorithms')
  }
}

/** The person chooses one of the options of each set. Without claims, all claims are disclosed. */
function choose({ credentials, credential_sets: sets }: DcqlQuery, { holdings }: Surroundings): Choice[] {
  const found = credentials.flatMap((query): Choice[] => {
    const holding = holdings.find((one) => hasType(one, query) && firstClaimSet(one, query) !== undefined)
    if (holding === undefined) return []
    const paths =
      query.claims === undefined ? 'all' : (firstClaimSet(holding, query) ?? []).map(({ path }) => path)
    return [{ id: query.id, holding, paths }]
  })
  const isFound = (id: string) => found.some((choice) => choice.id === id)
  const all = sets ?? [{ options: [credentials.map(({ id }) => id)], required: true }]
  const chosen = all.flatMap(({ options, required }) => {
    const option = options.find((ids) => ids.every(isFound))
    refuseUnless(option !== undefined || required === false, 'a required credential set cannot be satisfied')
    return option ?? []
  })
  return found.filter(({ id }) => chosen.includes(id))
}
