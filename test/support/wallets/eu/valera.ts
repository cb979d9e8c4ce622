// Valera 5.7.6, and other wallets of the VC-K library.

import { answerDocuments, ISO_MDOC, receiveDeviceRequest } from '../annex-c.ts'
import { firstClaimSet, hasType } from '../dcql.ts'
import {
  type Answer,
  type DigitalRequest,
  type FakeWallet,
  fakeWallet,
  type Invocation,
  refuse,
  refuseUnless,
  type Surroundings,
} from '../fake-wallet.ts'
import { type Holding, sha256 } from '../holdings.ts'
import {
  type CredentialQuery,
  type DcqlQuery,
  decodeRequestObject,
  dnsNamesOf,
  fetchRequestObject,
  type Payload,
  parametersOf,
  type ReceivedRequest,
  verifySignature,
} from '../request-object.ts'
import { type Choice, encryptFor, postForm, presentAll, randomText } from '../responding.ts'
import { authoritiesOf } from '../world/dcql-library.ts'

const SCHEMES = ['openid4vp:', 'haip-vp:', 'haip:', 'mdoc-openid4vp:', 'eudi-openid4vp:', 'av:']
const PROTOCOLS = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned', ISO_MDOC]
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
        'shared/src/commonMain/kotlin/ui/presentation/DCAPIPresentationGraphViewModel.kt',
        'shared/src/androidMain/kotlin/main.android.kt',
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
        'openid-data-classes/src/commonMain/kotlin/at/asitplus/dcapi/request/verifier/DigitalCredentialGetRequest.kt',
        'openid-data-classes/src/commonMain/kotlin/at/asitplus/iso/ItemsRequest.kt',
        `${DCQL}/DCQLQuery.kt`,
        `${DCQL}/DCQLCredentialQuery.kt`,
      ],
    },
  ],
  read: '2026-11-29',
  silent: ['transaction_data'],
  answer: async (invocation, surroundings) => {
    if ('digital' in invocation) return answerBrowser(invocation, surroundings.holdings)
    refuseUnless(SCHEMES.includes(new URL(invocation.link).protocol), 'the scheme is not registered')
    const payload = await receive(invocation.link, surroundings)
    const { disclosed, parameters, response } = await respond(payload, surroundings.holdings)
    const form =
      response === undefined ? { ...parameters, vp_token: JSON.stringify(parameters.vp_token) } : { response }
    return { disclosed, response: await postForm(surroundings, payload.response_uri, form) }
  },
})

/** The parameters of the response, and `response` if they are encrypted. */
async function respond(payload: Payload, holdings: readonly Holding[], origin?: string) {
  const choices = choose(payload.dcql_query, holdings)
  const metadata = payload.client_metadata
  checkAlgorithms(payload, choices)
  const keys = metadata?.jwks?.keys ?? []
  const offered = metadata?.encrypted_response_enc_values_supported
  const isEncrypted = payload.response_mode?.endsWith('.jwt') === true || offered !== undefined
  const key = isEncrypted ? keys.find(({ kty, crv }) => kty === 'EC' && crv === 'P-256') : undefined
  refuseUnless(!isEncrypted || key !== undefined, 'no key for ECDH-ES')
  const binding = { payload, key, ...(origin === undefined ? {} : { origin }) }
  const { vp_token, disclosed } = await presentAll(choices, binding)
  const parameters = { vp_token, ...(payload.state === undefined ? {} : { state: payload.state }) }
  if (key === undefined) return { disclosed, parameters, response: undefined }
  const [apu, apv] = [Buffer.from(randomText(16)), Buffer.from(payload.nonce)]
  const encryption = { key, enc: offered?.[0] ?? 'A128GCM', apu, apv }
  return { disclosed, parameters, response: await encryptFor(encryption, parameters) }
}

/**
 * Answers a call of the browser with the one credential that the person picked. The app decodes all requests
 * of the call before, so an unknown protocol ends the call. It returns `data` alone, and a browser that adds
 * the protocol of the request is assumed here.
 */
async function answerBrowser(
  { digital, origin, requests = [digital] }: Extract<Invocation, { digital: unknown }>,
  holdings: readonly Holding[],
): Promise<Answer> {
  const unknown = requests.find(({ protocol }) => !PROTOCOLS.includes(protocol))
  refuseUnless(unknown === undefined, `the protocol ${unknown?.protocol} cannot be decoded`)
  if (digital.protocol === ISO_MDOC) {
    // Every document request counts, whatever the use cases say. `requestInfo` is decoded as a map of texts.
    const request = receiveDeviceRequest(digital, origin)
    refuseUnless(request.registrations.length === 0, 'requestInfo is not a map of texts')
    return answerDocuments(request, request.documents, holdings)
  }
  const payload = validate(receiveDigital(digital, origin))
  const picked = holdings.find((one) => canChoose(payload.dcql_query, [one]))
  if (picked === undefined) return refuse('no single credential satisfies the query')
  const { disclosed, parameters, response } = await respond(payload, [picked], origin)
  const data = response === undefined ? parameters : { response }
  return { disclosed, credential: { protocol: digital.protocol, data } }
}

/** The library verifies no signature of a request here, only that the certificate is named. */
function receiveDigital({ protocol, data }: DigitalRequest, origin: string): Payload {
  if (protocol === 'openid4vp-v1-unsigned') {
    refuseUnless(data.client_id === undefined, 'client_id in an unsigned request')
    return data as Payload
  }
  const { payload, chain } = decodeRequestObject(String(data.request))
  refuseUnless(payload.client_id !== undefined, 'client_id is missing')
  refuseUnless(payload.expected_origins?.includes(origin) === true, 'expected_origins lacks the page')
  checkName(payload, chain)
  return payload
}

function canChoose(query: DcqlQuery, holdings: readonly Holding[]): boolean {
  const sets = query.credential_sets ?? [{ options: [query.credentials.map(({ id }) => id)] }]
  const isFound = (id: string) =>
    findChoice(
      query.credentials.find((one) => one.id === id),
      holdings,
    )
  return sets.every(
    ({ options, required }) => required === false || options.some((ids) => ids.every(isFound)),
  )
}

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
  checkName(payload, chain)
  refuseUnless(payload.wallet_nonce === undefined || payload.wallet_nonce === nonce, 'unknown wallet_nonce')
  return validate(payload)
}

function checkName({ client_id }: Payload, [leaf]: ReceivedRequest['chain']): void {
  const [prefix = '', ...rest] = client_id.split(':')
  const id = rest.join(':')
  refuseUnless(
    ['x509_hash', 'x509_san_dns'].includes(prefix),
    `the prefix ${prefix} is not part of this fake`,
  )
  refuseUnless(leaf !== undefined, 'no x5c in the request object')
  const isNamed = prefix === 'x509_hash' ? id === sha256(leaf.raw) : dnsNamesOf(leaf).includes(id)
  refuseUnless(isNamed, 'the Client Identifier is not that of the certificate')
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
  const isKnown = isPosted || payload.response_mode?.startsWith('dc_api') === true
  refuseUnless(isKnown, `the response mode ${payload.response_mode} is not part of this fake`)
  refuseUnless(payload.redirect_uri === undefined, 'redirect_uri beside response_uri')
  refuseUnless(!isPosted || payload.response_uri !== undefined, 'response_uri is missing')
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
function choose(
  { credentials, credential_sets: sets }: DcqlQuery,
  holdings: readonly Holding[],
): readonly Choice[] {
  const found = credentials.flatMap((query) => findChoice(query, holdings) ?? [])
  const isFound = (id: string) => found.some((choice) => choice.id === id)
  const all = sets ?? [{ options: [credentials.map(({ id }) => id)], required: true }]
  const chosen = all.flatMap(({ options, required }) => {
    const option = options.find((ids) => ids.every(isFound))
    refuseUnless(option !== undefined || required === false, 'a required credential set cannot be satisfied')
    return option ?? []
  })
  return found.filter(({ id }) => chosen.includes(id))
}

function findChoice(query: CredentialQuery | undefined, holdings: readonly Holding[]): Choice | undefined {
  if (query === undefined) return undefined
  const akis = query.trusted_authorities?.flatMap(({ type, values }) => (type === 'aki' ? values : []))
  const holding = holdings.find(
    (one) =>
      hasType(one, query) &&
      firstClaimSet(one, query) !== undefined &&
      (akis === undefined || authoritiesOf(one).some((aki) => akis.includes(aki))),
  )
  if (holding === undefined) return undefined
  const paths =
    query.claims === undefined ? 'all' : (firstClaimSet(holding, query) ?? []).map(({ path }) => path)
  return { id: query.id, holding, paths }
}
