// Functions with which several wallets fetch and answer a request. The options of a wallet state its
// differences.

import type { JWK } from 'jose'
import { requestVerifier } from '../../certificates/verifier-key.ts'
import { type Answer, type Invocation, refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import { type Presentation, type SdJwtHolding, sha256 } from '../holdings.ts'
import {
  decodeRequestObject,
  dnsNamesOf,
  fetchRequestObject,
  isChained,
  type Payload,
  parametersOf,
  type ReceivedRequest,
  verifySignature,
} from '../request-object.ts'
import {
  type Choice,
  type Encryption,
  encryptFor,
  postForm,
  presentHolding,
  randomText,
} from '../responding.ts'

type RequestRules = {
  /** Starts of its links. */
  readonly bases: readonly string[]
  readonly prefixes: readonly string[]
  /** Algorithms of signed requests. Absent: ES256. */
  readonly algorithms?: readonly string[]
  /** True if the wallet posts a `wallet_nonce` when the link asks for POST. Otherwise it always uses GET. */
  readonly posts: boolean
  /** True if the chain must end at a listed authority. */
  readonly listsAuthorities: boolean
  /** True if the response goes to the name of an `x509_san_dns`. */
  readonly bindsResponseUri?: boolean
  /** True if a link may itself be an unsigned request, of a verifier with the prefix `redirect_uri`. */
  readonly takesValue?: boolean
  /** True if it answers `openid4vp-v1-unsigned`. */
  readonly answersUnsigned?: boolean
}

/** Gets and verifies a request. */
export async function receive(
  invocation: Invocation,
  surroundings: Surroundings,
  rules: RequestRules,
): Promise<Payload> {
  if ('digital' in invocation) return unsignedDigital(invocation, rules)
  const { link } = invocation
  refuseUnless(
    rules.bases.some((base) => link.startsWith(base)),
    'no link of this wallet',
  )
  const { client_id: clientId, request_uri: uri, request_uri_method: method = 'get' } = parametersOf(link)
  if (uri === undefined) {
    refuseUnless(rules.takesValue === true, 'no request_uri')
    return unsignedLink(link)
  }
  const form = rules.posts && method === 'post' ? { wallet_nonce: randomText() } : undefined
  const { text, contentType } = await fetchRequestObject(uri, surroundings, form)
  refuseUnless(
    contentType.startsWith('application/oauth-authz-req+jwt'),
    'the content type is not of a request',
  )
  const received = decodeRequestObject(text)
  const { header, payload } = received
  refuseUnless(header.typ === 'oauth-authz-req+jwt', 'typ is not oauth-authz-req+jwt')
  refuseUnless(payload.client_id === clientId, 'client_id differs from the link')
  refuseUnless(form === undefined || payload.wallet_nonce === form.wallet_nonce, 'wallet_nonce differs')
  await authenticate(text, received, surroundings, rules)
  return payload
}

/** Behind the Digital Credentials API the origin names the verifier. */
function unsignedDigital(
  { digital, origin }: Extract<Invocation, { digital: unknown }>,
  { answersUnsigned = false }: RequestRules,
): Payload {
  refuseUnless(
    answersUnsigned && digital.protocol === 'openid4vp-v1-unsigned',
    'the exchange protocol is not supported',
  )
  refuseUnless(digital.data.request === undefined, 'a request object in an unsigned request')
  return { ...(digital.data as Payload), client_id: `origin:${origin}` }
}

/**
 * The request in a link. A plus sign is not decoded as a space, because names of formats contain plus signs.
 */
export function payloadOf(link: string): Payload {
  const pairs = [...new URL(link.replaceAll('+', '%2B')).searchParams]
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value]),
  ) as Payload
}

function unsignedLink(link: string): Payload {
  const payload = payloadOf(link)
  const [prefix = '', ...rest] = payload.client_id.split(':')
  refuseUnless(prefix === 'redirect_uri', `the prefix ${prefix} is not supported`)
  refuseUnless(payload.response_uri === rest.join(':'), 'response_uri differs from client_id')
  return payload
}

/** Verifies the request as its Client Identifier Prefix says. */
async function authenticate(
  text: string,
  { header, payload, chain }: ReceivedRequest,
  surroundings: Surroundings,
  { prefixes, listsAuthorities, bindsResponseUri = false, algorithms = ['ES256'] }: RequestRules,
): Promise<void> {
  const [prefix = '', ...rest] = payload.client_id.split(':')
  const name = rest.join(':')
  refuseUnless(prefixes.includes(prefix), `the prefix ${prefix} is not supported`)
  refuseUnless(algorithms.includes(String(header.alg)), `the algorithm ${header.alg} is not supported`)
  if (prefix === 'decentralized_identifier') {
    const signer = { method: 'did', didUrl: String(header.kid), alg: String(header.alg) } as const
    const verify = requestVerifier({ ...surroundings, fetch: (url) => surroundings.fetch(url) })
    const isSigned = await Promise.resolve(verify(signer as never, { compact: text } as never)).then(
      ({ verified }) => verified,
      () => false,
    )
    return refuseUnless(isSigned && signer.didUrl.startsWith(`${name}#`), 'the DID did not sign the request')
  }
  await verifySignature(text, chain, algorithms)
  refuseUnless(
    !listsAuthorities || isChained(chain, surroundings.verifierCa),
    'the certificate is of no listed authority',
  )
  const [leaf] = chain
  if (leaf === undefined) return refuse('no x5c in the request object')
  if (prefix === 'x509_hash') return refuseUnless(name === sha256(leaf.raw), 'x509_hash is not of the leaf')
  refuseUnless(dnsNamesOf(leaf).includes(name), 'the certificate has another DNS name')
  const host = new URL(payload.response_uri).hostname
  refuseUnless(
    !bindsResponseUri || host === name || host.endsWith(`.${name}`),
    'response_uri is of another host',
  )
}

type ResponseRules = {
  readonly findKey: (keys: readonly JWK[]) => JWK | undefined
  /** Algorithms in the wallet's order of preference, or in the order of the verifier. */
  readonly encryptions: readonly string[]
  /** True if `vp_token` is text in encrypted responses too, where it should be JSON. */
  readonly encryptsText?: boolean
  /** Presents an SD-JWT VC in the wallet's own way. */
  readonly presentSdJwt?: (choice: Choice, holding: SdJwtHolding, payload: Payload) => Promise<Presentation>
}

/**
 * Presents the credentials, encrypts the response if the request requires it, and posts or returns the
 * response.
 */
export async function respond(
  payload: Payload,
  choices: readonly Choice[],
  { surroundings, invocation }: { readonly surroundings: Surroundings; readonly invocation: Invocation },
  rules: ResponseRules,
): Promise<Answer> {
  const { response_mode: mode = '', response_uri: uri, state } = payload
  const digital = 'digital' in invocation ? invocation : undefined
  const [plain, encrypted] = digital ? ['dc_api', 'dc_api.jwt'] : ['direct_post', 'direct_post.jwt']
  refuseUnless(mode === plain || mode === encrypted, 'the response mode is not supported')
  const encryption = mode === encrypted ? encryptionFor(payload, rules) : undefined
  const binding = { payload, key: encryption?.key, ...(digital && { origin: digital.origin }) }
  const { presentSdJwt } = rules
  const presented = await Promise.all(
    choices.map(async (choice) => {
      const { id, holding, paths } = choice
      const isOwn = presentSdJwt !== undefined && holding.format === 'dc+sd-jwt'
      const one = isOwn
        ? await presentSdJwt(choice, holding, payload)
        : await presentHolding(holding, paths, binding)
      return { id, ...one }
    }),
  )
  const groups = Map.groupBy(presented, ({ id }) => id)
  const vp_token = Object.fromEntries(
    [...groups].map(([id, all]) => [id, all.map(({ presentation }) => presentation)]),
  )
  const disclosed = presented.flatMap((one) => one.disclosed)
  const parameters = { vp_token, ...(state === undefined ? {} : { state }) }
  const text = { ...parameters, vp_token: JSON.stringify(vp_token) }
  const sealed = encryption && {
    response: await encryptFor(encryption, rules.encryptsText === true ? text : parameters),
  }
  if (digital) {
    return { disclosed, credential: { protocol: digital.digital.protocol, data: sealed ?? { vp_token } } }
  }
  return { disclosed, response: await postForm(surroundings, uri, sealed ?? text) }
}

function encryptionFor({ client_metadata: metadata }: Payload, rules: ResponseRules): Encryption {
  const key = rules.findKey(metadata?.jwks?.keys ?? [])
  if (key === undefined) return refuse('no supported key')
  const offered = metadata?.encrypted_response_enc_values_supported ?? ['A128GCM']
  const enc = offered.find((one) => rules.encryptions.includes(one))
  return enc === undefined ? refuse('no supported content encryption') : { key, enc }
}
