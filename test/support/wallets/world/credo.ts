// Wallets made with Credo, as the Paradym Wallet is: the libraries `@openid4vc/openid4vp` and `dcql` are the
// wallet's own code. This file does what Credo and Paradym do around them.

import { Openid4vpClient } from '@openid4vc/openid4vp'
import { compactVerify, importX509 } from 'jose'
import { requestVerifier } from '../../certificates/verifier-key.ts'
import { callbacks } from '../../people/wallet.ts'
import {
  type FakeWallet,
  fakeWallet,
  type Invocation,
  refuse,
  refuseUnless,
  type Surroundings,
} from '../fake-wallet.ts'
import { type Holding, presentSdJwt, sha256 } from '../holdings.ts'
import { decodeRequestObject, type Payload, parametersOf } from '../request-object.ts'
import { type Choice, presentHolding } from '../responding.ts'
import { type LibraryMatch, type LibraryResult, queryLibrary } from './dcql-library.ts'

/** Schemes that the app registers. A scanned code may have other schemes, see `isRequest`. */
const SCHEMES = [
  'openid4vp:',
  'eudi-openid4vp:',
  'mdoc-openid4vp:',
  'openid-vc:',
  'haip:',
  'id.animo.paradym:',
]
const SCANNED = ['openid4vp:', 'eudi-openid4vp:', 'mdoc-openid4vp:', 'openid-vc:', 'haip-vp:']
const PREFIXES = ['x509_san_dns', 'x509_hash', 'decentralized_identifier', 'origin', 'redirect_uri']
const PROTOCOLS = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned']

/** Transactions that Paradym shows. The payment needs a credential with metadata of payments. */
const QES = 'qes_authorization'

export const credo: FakeWallet = fakeWallet({
  id: 'credo',
  source: [
    {
      repository: 'openwallet-foundation/credo-ts',
      commit: '3c32928107639bc355f82d4ba11c4d91901e11cb',
      files: [
        'packages/openid4vc/src/openid4vc-holder/OpenId4vpHolderService.ts',
        'packages/openid4vc/src/shared/callbacks.ts',
        'packages/core/src/modules/dcql/DcqlService.ts',
      ],
    },
    {
      repository: 'animo/paradym-wallet',
      commit: 'c4038930ceb71f14b7545b4bf55a88a2f961d0b8',
      files: [
        'apps/easypid/base.app.config.js',
        'apps/easypid/src/config/paradym.ts',
        'packages/sdk/src/invitation/parser.ts',
        'packages/sdk/src/format/dcqlRequest.ts',
        'packages/sdk/src/openid4vc/func/resolveCredentialRequest.ts',
        'packages/sdk/src/openid4vc/func/shareCredentials.ts',
        'packages/sdk/src/openid4vc/transaction.ts',
        'packages/sdk/src/dcApi/resolveRequest.ts',
        'packages/sdk/src/dcApi/registerCredentials.ts',
      ],
    },
  ],
  read: '2026-11-29',
  silent: ['protocols.openid4vp-draft18', 'protocols.openid4vp-draft24', 'transaction_data'],
  answer: async (invocation, surroundings) => {
    const client = createClient(surroundings)
    const payload = await resolve(client, invocation)
    const result = queryLibrary(payload.dcql_query, surroundings.holdings, { hasAuthorities: true })
    refuseUnless(isShown(result), 'not every part of the request is satisfied')
    const digital = 'digital' in invocation ? invocation : undefined
    const chosen = choose(result, surroundings.holdings)
    refuseUnless(digital === undefined || countShown(result) === 1, 'only one credential by the browser API')
    const keyBindings = confirm(payload, chosen)
    const key = encryptionKeyOf(payload)
    const binding = { payload, key, ...(digital && { origin: digital.origin }) }
    const presented = await Promise.all(
      chosen.map(async ({ id, holding, paths }) => {
        const keyBinding = keyBindings[id]
        if (keyBinding === undefined || holding.format !== 'dc+sd-jwt') {
          return [id, await presentHolding(holding, paths, binding)] as const
        }
        const audience = digital ? `origin:${digital.origin}` : payload.client_id
        const session = { nonce: payload.nonce, audience, keyBinding }
        return [id, await presentSdJwt(holding, paths, session)] as const
      }),
    )
    const answer = await client.createOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: payload as never,
      authorizationResponsePayload: {
        vp_token: Object.fromEntries(
          presented.map(([id, { presentation }]) => [id, [presentation]]),
        ) as never,
      },
      ...(digital && { origin: digital.origin }),
      ...(key && { jarm: { encryption: { nonce: sha256(payload.nonce) }, serverMetadata: JARM } }),
    })
    const disclosed = presented.flatMap(([, one]) => one.disclosed)
    if (digital !== undefined) {
      const data =
        answer.jarm === undefined
          ? answer.authorizationResponsePayload
          : { response: answer.jarm.responseJwt }
      return { disclosed, credential: { protocol: digital.digital.protocol, data } }
    }
    const { response } = await client.submitOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: payload as never,
      authorizationResponsePayload: answer.authorizationResponsePayload,
      ...(answer.jarm && { jarm: answer.jarm }),
    })
    return { disclosed, response }
  },
})

const JARM = {
  authorization_signing_alg_values_supported: [],
  authorization_encryption_alg_values_supported: ['ECDH-ES'],
  authorization_encryption_enc_values_supported: ['A128GCM', 'A256GCM', 'A128CBC-HS256'],
}

/** Paradym accepts every certificate chain of a request, and shows if the chain is known. */
function createClient({ fetch, verifierCa }: Surroundings): Openid4vpClient {
  const trust = { verifierCa, fetch: (url: string) => fetch(url) }
  const verifyJwt: ReturnType<typeof requestVerifier> = async (signer, context) => {
    if (signer.method !== 'x5c') return requestVerifier(trust)(signer, context)
    const { chain } = decodeRequestObject(context.compact)
    const isChain = chain.slice(1).every((issuer, index) => chain[index]?.verify(issuer.publicKey))
    const [leaf] = chain
    if (!isChain || leaf === undefined) return { verified: false }
    await compactVerify(context.compact, await importX509(leaf.toString(), signer.alg))
    return { verified: true, signerJwk: leaf.publicKey.export({ format: 'jwk' }) as never }
  }
  return new Openid4vpClient({
    callbacks: {
      ...callbacks(trust),
      verifyJwt,
      fetch: ((url: string | URL | Request, init?: RequestInit) =>
        fetch(String(url), init)) as typeof globalThis.fetch,
    },
  })
}

/** Parses, fetches and verifies the request with the library. */
async function resolve(client: Openid4vpClient, invocation: Invocation): Promise<Payload> {
  if ('link' in invocation) refuseUnless(isRequest(invocation), 'not a link of a presentation')
  else refuseUnless(PROTOCOLS.includes(invocation.digital.protocol), 'the exchange protocol is not supported')
  const resolved = await client
    .resolveOpenId4vpAuthorizationRequest({
      authorizationRequestPayload:
        'link' in invocation
          ? client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: invocation.link }).params
          : (invocation.digital.data as never),
      ...('origin' in invocation && { origin: invocation.origin }),
    })
    .catch((thrown: Error) => refuse(`openid4vp: ${thrown.message.replaceAll(/\s+/g, ' ')}`))
  const prefix = resolved.client.prefix
  refuseUnless(PREFIXES.includes(prefix), `Client Identifier Prefix ${prefix} is not supported`)
  refuseUnless(resolved.dcql !== undefined, 'no dcql_query')
  return resolved.authorizationRequestPayload as unknown as Payload
}

function isRequest({ link, isScanned = false }: Extract<Invocation, { readonly link: string }>): boolean {
  const { protocol } = new URL(link)
  const { request_uri: uri, request } = parametersOf(link)
  if (!isScanned) return SCHEMES.includes(protocol)
  return SCANNED.includes(protocol) || uri !== undefined || request !== undefined
}

/** Every set needs an option that is satisfied, an optional set too: else nothing can be shared. */
function isShown({ credential_sets: sets, can_be_satisfied: isSatisfied }: LibraryResult): boolean {
  return isSatisfied && (sets ?? []).every(({ matching_options: options }) => options !== undefined)
}

function countShown({ credential_sets: sets, credentials }: LibraryResult): number {
  if (sets === undefined) return credentials.length
  return sets.reduce((sum, { matching_options: options }) => sum + (options?.[0]?.length ?? 0), 0)
}

/** The first option of each required set, or every query; the first credential, and its first claim set. */
function choose(
  { credential_sets, credential_matches, credentials }: LibraryResult,
  holdings: readonly Holding[],
): Choice[] {
  const required = credential_sets?.filter(({ required }) => required !== false)
  const ids = required?.flatMap(({ matching_options: options }) => options?.[0] ?? [])
  return [...new Set(ids ?? credentials.map(({ id }) => id))].map((id) => {
    const [match] = credential_matches[id]?.valid_credentials ?? []
    const holding = match && holdings[match.input_credential_index]
    if (match === undefined || holding === undefined) return refuse(`no credential for ${id}`)
    return { id, holding, paths: pathsOf(holding, match) }
  })
}

/** Paths of the library's output, whose leaves are disclosed. Without `claims` it is empty. */
function pathsOf({ format }: Holding, { claims }: LibraryMatch): readonly (readonly string[])[] {
  const output = (claims.valid_claim_sets?.[0].output ?? {}) as Readonly<Record<string, object>>
  if (format === 'dc+sd-jwt') return leavesOf(output)
  return Object.entries(output).flatMap(([nameSpace, elements]) =>
    Object.keys(elements).map((name) => [nameSpace, name]),
  )
}

/** Claims of the key binding for transaction data, by query id. */
function confirm(
  { transaction_data: texts = [] }: Payload,
  chosen: readonly Choice[],
): Readonly<Record<string, object>> {
  const [text] = texts
  if (text === undefined) return {}
  refuseUnless(texts.length === 1, 'several transactions are not supported')
  const entry = JSON.parse(Buffer.from(text, 'base64url').toString()) as {
    readonly type: string
    readonly credential_ids: readonly string[]
    readonly transaction_data_hashes_alg?: readonly string[]
  }
  refuseUnless(entry.type === QES, `transactions of the type ${entry.type} are not supported`)
  const choice = chosen.find(({ id }) => entry.credential_ids.includes(id))
  if (choice === undefined) return refuse('no shared credential can confirm the transaction')
  refuseUnless(choice.holding.format === 'dc+sd-jwt', 'an mdoc cannot confirm a transaction')
  const algorithms = entry.transaction_data_hashes_alg ?? ['sha-256']
  refuseUnless(algorithms.includes('sha-256'), 'no supported hash algorithm')
  return { [choice.id]: { transaction_data_hashes: [sha256(text)], transaction_data_hashes_alg: 'sha-256' } }
}

/** The key that the library takes: the first one for `enc` with ECDH-ES. */
function encryptionKeyOf({ response_mode: mode, client_metadata: metadata }: Payload) {
  if (mode !== 'direct_post.jwt' && mode !== 'dc_api.jwt') return undefined
  const keys = metadata?.jwks?.keys ?? []
  const key = keys.find(({ use, alg }) => use === 'enc' && alg === 'ECDH-ES') ?? keys[0]
  return key ?? refuse('no key to encrypt the response')
}

/** Paths of the values that are no objects. */
function leavesOf(output: object): readonly (readonly string[])[] {
  return Object.entries(output).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leavesOf(value).map((path) => [name, ...path])
      : [[name]],
  )
}
