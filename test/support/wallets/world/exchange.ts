// How several wallets get a signed request by link and post their answer. Each wallet says in what it differs.

import type { JWK } from 'jose'
import { requestVerifier } from '../../certificates/verifier-key.ts'
import { type Answer, type Invocation, refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import { type Presented, type SdJwtHolding, sha256 } from '../holdings.ts'
import {
  decodeRequestObject,
  dnsNamesOf,
  fetchRequestObject,
  isChained,
  type Payload,
  parametersOf,
  type Received,
  verifySignature,
} from '../request-object.ts'
import { type Choice, encryptFor, postForm, presentHolding, randomText } from '../responding.ts'

export type RequestRules = {
  /** Starts of its links. */
  readonly bases: readonly string[]
  readonly prefixes: readonly string[]
  /** True if it posts a `wallet_nonce` where the link says so. Else it always gets. */
  readonly posts: boolean
  /** True if the chain must end at a listed authority. */
  readonly listsAuthorities: boolean
  /** True if the response goes to the name of an `x509_san_dns`. */
  readonly bindsResponseUri?: boolean
}

/** Gets and verifies a signed request. */
export async function receiveSigned(
  invocation: Invocation,
  surroundings: Surroundings,
  rules: RequestRules,
): Promise<Payload> {
  if (!('link' in invocation)) return refuse('no Digital Credentials API')
  const { link } = invocation
  refuseUnless(
    rules.bases.some((base) => link.startsWith(base)),
    'no link of this wallet',
  )
  const { client_id: clientId, request_uri: uri, request_uri_method: method = 'get' } = parametersOf(link)
  if (uri === undefined) return refuse('no request_uri')
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

/** Verifies the request as its Client Identifier Prefix says. */
async function authenticate(
  text: string,
  { header, payload, chain }: Received,
  surroundings: Surroundings,
  { prefixes, listsAuthorities, bindsResponseUri = false }: RequestRules,
): Promise<void> {
  const [prefix = '', ...rest] = payload.client_id.split(':')
  const name = rest.join(':')
  refuseUnless(prefixes.includes(prefix), `the prefix ${prefix} is not supported`)
  if (prefix === 'decentralized_identifier') {
    const signer = { method: 'did', didUrl: String(header.kid), alg: String(header.alg) } as const
    const verify = requestVerifier({ ...surroundings, fetch: (url) => surroundings.fetch(url) })
    const isSigned = await Promise.resolve(verify(signer as never, { compact: text } as never)).then(
      ({ verified }) => verified,
      () => false,
    )
    return refuseUnless(isSigned && signer.didUrl.startsWith(`${name}#`), 'the DID did not sign the request')
  }
  await verifySignature(text, chain, ['ES256'])
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

export type ResponseRules = {
  readonly findKey: (keys: readonly JWK[]) => JWK | undefined
  /** In the order of preference, or in the order of the verifier. */
  readonly encryptions: readonly string[]
  /** Presents an SD-JWT VC in the wallet's own way. */
  readonly presentSdJwt?: (choice: Choice, holding: SdJwtHolding, payload: Payload) => Promise<Presented>
}

/** Presents, encrypts where the request says so, and posts. */
export async function respond(
  payload: Payload,
  choices: readonly Choice[],
  surroundings: Surroundings,
  { findKey, encryptions, presentSdJwt }: ResponseRules,
): Promise<Answer> {
  const { response_mode: mode, response_uri: uri, state, client_metadata: metadata } = payload
  refuseUnless(mode === 'direct_post' || mode === 'direct_post.jwt', 'the response mode is not supported')
  const offered = metadata?.encrypted_response_enc_values_supported ?? ['A128GCM']
  const enc = offered.find((one) => encryptions.includes(one))
  const key = mode === 'direct_post.jwt' ? findKey(metadata?.jwks?.keys ?? []) : undefined
  refuseUnless(mode === 'direct_post' || key !== undefined, 'no supported key')
  refuseUnless(key === undefined || enc !== undefined, 'no supported content encryption')
  const presented = await Promise.all(
    choices.map(async (choice) => {
      const { id, holding, paths } = choice
      const isOwn = presentSdJwt !== undefined && holding.format === 'dc+sd-jwt'
      const one = isOwn
        ? await presentSdJwt(choice, holding, payload)
        : await presentHolding(holding, paths, { payload, key })
      return { id, ...one }
    }),
  )
  const groups = Map.groupBy(presented, ({ id }) => id)
  const vp_token = Object.fromEntries(
    [...groups].map(([id, all]) => [id, all.map(({ presentation }) => presentation)]),
  )
  const disclosed = presented.flatMap((one) => one.disclosed)
  const stated = state === undefined ? {} : { state }
  const form =
    key === undefined || enc === undefined
      ? { vp_token: JSON.stringify(vp_token), ...stated }
      : { response: await encryptFor({ key, enc }, { vp_token, ...stated }) }
  return { disclosed, response: await postForm(surroundings, uri, form) }
}
