// wwWallet, a wallet in the browser. It matches with the `dcql` library, but needs a credential for every
// query, and discloses every claim of a query. Its SD-JWT library makes the presentation.

import { createHash } from 'node:crypto'
import { SDJwt } from '@sd-jwt/core'
import { DcqlPresentationResult } from 'dcql'
import type { JWK } from 'jose'
import {
  type FakeWallet,
  fakeWallet,
  type Invocation,
  refuse,
  refuseUnless,
  type Surroundings,
} from '../fake-wallet.ts'
import { type Holding, type Path, type Presentation, type SdJwtHolding, sha256 } from '../holdings.ts'
import {
  type CredentialQuery,
  decodeRequestObject,
  fetchRequestObject,
  type Payload,
  parametersOf,
  verifySignature,
} from '../request-object.ts'
import { encryptFor, postForm, presentHolding } from '../responding.ts'
import { queryLibrary } from './dcql-library.ts'
import { bindKey } from './sd-jwt.ts'

/** Its web address. A scanned code may have any address or scheme. */
const BASE = 'https://demo.wwwallet.org/cb'
const PREFIXES = ['x509_san_dns', 'x509_hash']
const RESPONSE_MODES = ['direct_post', 'direct_post.jwt', 'dc_api', 'dc_api.jwt']
const ENCRYPTIONS = ['A128GCM', 'A192GCM', 'A256GCM']
const TRANSACTIONS = [
  'qes_authorization',
  'qcert_creation_acceptance',
  'https://cloudsignatureconsortium.org/2025/qes',
  'https://cloudsignatureconsortium.org/2025/qc-request',
]

export const wwwallet: FakeWallet = fakeWallet({
  id: 'wwwallet',
  source: [
    {
      repository: 'wwWallet/wallet-frontend',
      commit: '7d6a549890406b3e3a4f8253e5b10afe8f851110',
      files: [
        'src/App.jsx',
        'src/config.ts',
        'src/hocs/UriHandlerProvider.tsx',
        'src/components/QRCodeScanner/QRCodeScanner.jsx',
        'src/lib/services/OpenID4VP/OpenID4VP.ts',
        'src/lib/utils/verifyRequestUriAndCerts.ts',
        'src/services/keystore.ts',
        'src/utils/mdocHolderContext.ts',
      ],
    },
    {
      repository: 'wwWallet/wallet-common',
      commit: 'c7b487b4bd99a5ee2800b330bfe077d7896d1ac9',
      files: [
        'src/protocols/openid4vp/OpenID4VPServerAPI.ts',
        'src/protocols/openid4vp/transactionData.ts',
        'src/protocols/openid4vp/sessionTranscript.ts',
      ],
    },
  ],
  read: '2026-11-22',
  silent: ['transaction_data'],
  answer: async (invocation, surroundings) => {
    const payload = await receive(invocation, surroundings)
    const chosen = choose(payload, surroundings.holdings)
    const key = encryptionKeyOf(payload)
    const presented = await Promise.all(
      chosen.map(async ({ query, holding }) => {
        if (holding.format === 'dc+sd-jwt') return present(query, holding, payload)
        const paths = (query.claims ?? []).map(({ path }) => path)
        return presentHolding(holding, query.claims === undefined ? 'all' : paths, { payload, key })
      }),
    )
    const vp_token = Object.fromEntries(
      chosen.map(({ query }, index) => [query.id, [presented[index]?.presentation]]),
    )
    const { state, response_uri: uri } = payload
    const parameters = { vp_token, ...(state && { state }) }
    const form =
      key === undefined
        ? { vp_token: JSON.stringify(vp_token), ...(state && { state }) }
        : { response: await encryptFor({ key, enc: encryptionOf(payload) }, parameters) }
    const response = await postForm(surroundings, uri, form)
    return { disclosed: presented.flatMap(({ disclosed }) => disclosed), response }
  },
})

async function receive(invocation: Invocation, surroundings: Surroundings): Promise<Payload> {
  if (!('link' in invocation)) return refuse('no Digital Credentials API')
  const { link, isScanned = false } = invocation
  refuseUnless(isScanned || link.startsWith(BASE), 'the link is not of the web wallet')
  const { client_id: clientId = '', request_uri: uri } = parametersOf(link)
  refuseUnless(clientId !== '' && uri !== undefined, 'no client_id or no request_uri')
  checkPrefix(clientId)
  const { text } = await fetchRequestObject(uri, surroundings)
  const { header, payload, chain } = decodeRequestObject(text)
  refuseUnless(header.typ === 'oauth-authz-req+jwt', 'typ is not oauth-authz-req+jwt')
  await verifySignature(text, chain, ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'RS256', 'PS256'])
  checkPrefix(payload.client_id)
  const [leaf] = chain
  const isOfLeaf = leaf !== undefined && payload.client_id === `x509_hash:${sha256(leaf.raw)}`
  refuseUnless(isOfLeaf || payload.client_id.startsWith('x509_san_dns:'), 'x509_hash is not of the leaf')
  checkTransactions(payload)
  const hosts = [uri, payload.response_uri].map((one) => new URL(one).hostname)
  refuseUnless(hosts[0] === hosts[1], 'request_uri and response_uri have different hosts')
  refuseUnless(payload.dcql_query !== undefined, 'no dcql_query')
  refuseUnless(RESPONSE_MODES.includes(payload.response_mode ?? ''), 'unknown response_mode')
  return payload
}

function checkPrefix(clientId: string): void {
  const [prefix = ''] = clientId.split(':')
  refuseUnless(PREFIXES.includes(prefix), `the prefix ${prefix} is not supported`)
}

/** Types of signatures only. Their members are strict too, which no test here needs. */
function checkTransactions({ transaction_data: texts = [], dcql_query: query }: Payload): void {
  for (const text of texts) {
    const { type, credential_ids: ids } = JSON.parse(Buffer.from(text, 'base64url').toString())
    refuseUnless(TRANSACTIONS.includes(type), `transactions of the type ${type} are not supported`)
    const isKnown = ids.every((one: string) => query.credentials.some(({ id }) => id === one))
    refuseUnless(isKnown, 'a transaction names an unknown query')
  }
}

type Chosen = { readonly query: CredentialQuery; readonly holding: Holding }

/** Every query needs a credential, whatever `credential_sets` say. */
function choose({ dcql_query: query }: Payload, holdings: readonly Holding[]): readonly Chosen[] {
  const { credential_matches: matches } = queryLibrary(query, holdings, {
    hasAuthorities: false,
    isFirstNamespaceOnly: true,
  })
  return query.credentials.map((one) => {
    const [match] = matches[one.id]?.valid_credentials ?? []
    const holding = match && holdings[match.input_credential_index]
    return holding === undefined ? refuse('insufficient credentials') : { query: one, holding }
  })
}

/** Presents every claim of the query: without claims, every claim of the credential. */
async function present(
  query: CredentialQuery,
  holding: SdJwtHolding,
  payload: Payload,
): Promise<Presentation> {
  const { id, claims } = query
  const frame = frameOf(claims?.map(({ path }) => path) ?? leavesOf(holding.claims))
  const sdJwt = await SDJwt.fromEncode(holding.sdJwt, hasher)
  const text = await sdJwt.present(frame as never, hasher)
  const names = claims?.flatMap(({ path }) => path) ?? Object.keys(holding.claims)
  const shown = Object.entries(holding.claims).filter(([name]) => names.includes(name))
  const shaped = {
    credential_format: holding.format,
    vct: holding.type,
    cryptographic_holder_binding: true,
    claims: Object.fromEntries(shown),
  }
  const result = DcqlPresentationResult.fromDcqlPresentation({ [id]: [shaped] } as never, {
    dcqlQuery: payload.dcql_query as never,
  })
  refuseUnless(result.credential_matches[id]?.success === true, 'the presentation does not satisfy the query')
  const [transaction] = payload.transaction_data ?? []
  const confirmation = transaction && {
    transaction_data_hashes: [sha256(Buffer.from(transaction, 'base64url'))],
    transaction_data_hashes_alg: ['sha-256'],
  }
  return bindKey(text, holding, payload, confirmation || {})
}

/** Steps of any kind become names of the frame: a null step becomes "null". */
function frameOf(paths: readonly Path[]): object {
  const frame: Record<string, unknown> = {}
  for (const path of paths) {
    path.reduce<Record<string, unknown>>((current, step, index) => {
      const name = String(step)
      current[name] = index === path.length - 1 ? true : (current[name] ?? {})
      return current[name] as Record<string, unknown>
    }, frame)
  }
  return frame
}

function leavesOf(value: unknown, path: readonly string[] = []): readonly Path[] {
  const entries =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  return entries.length === 0 ? [path] : entries.flatMap(([name, one]) => leavesOf(one, [...path, name]))
}

function hasher(data: string | ArrayBuffer, alg: string): Uint8Array {
  const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(new Uint8Array(data))
  return new Uint8Array(createHash(alg.replace('-', '')).update(bytes).digest())
}

/** The first key for `enc`, which must have `alg`. */
function encryptionKeyOf({ response_mode: mode, client_metadata: metadata }: Payload): JWK | undefined {
  if (mode !== 'direct_post.jwt') return undefined
  const key = metadata?.jwks?.keys.find(({ use }) => use === 'enc')
  if (key === undefined) return refuse('no key with use enc')
  return key.alg === undefined ? refuse('the key has no alg') : key
}

function encryptionOf({
  client_metadata: { encrypted_response_enc_values_supported: offered },
}: Payload): string {
  const enc = offered === undefined ? 'A128GCM' : offered.find((one) => ENCRYPTIONS.includes(one))
  return enc ?? refuse('no supported content encryption')
}
