// The Data Wallet of iGrant.io. Its SDK is public, the app is not: the fake does what the SDK does, which
// verifies no request. Nothing public says which links open the app, in any protocol. The SDK finds
// disclosures by the names in all paths, whatever object they are in.

import { firstOptions, hasType } from '../dcql.ts'
import {
  type FakeWallet,
  fakeWallet,
  type Invocation,
  refuse,
  refuseUnless,
  type Surroundings,
} from '../fake-wallet.ts'
import {
  claimAt,
  type Holding,
  type MdocHolding,
  type Path,
  type Presentation,
  type SdJwtHolding,
  sha256,
} from '../holdings.ts'
import {
  type CredentialQuery,
  decodeRequestObject,
  fetchRequestObject,
  type Payload,
  parametersOf,
} from '../request-object.ts'
import type { Choice } from '../responding.ts'
import { payloadOf, respond } from './exchange.ts'
import { bindKey, type Disclosure, disclosuresOf } from './sd-jwt.ts'

const SERVICES = 'eudi-wallet-oidc-android/src/main/java/com/ewc/eudi_wallet_oidc_android/services'

export const igrant: FakeWallet = fakeWallet({
  id: 'igrant',
  source: {
    repository: 'decentralised-dataexchange/eudi-wallet-oid4vc-android',
    commit: '9b68306e1a0e718c61723fac881869d229b33199',
    files: [
      'README.md',
      `${SERVICES}/dcql/DCQLFiltering.kt`,
      `${SERVICES}/dcql/DcqlValueMatcher.kt`,
      `${SERVICES}/sdjwt/SDJWTService.kt`,
      `${SERVICES}/utils/CborUtils.kt`,
      `${SERVICES}/utils/FilterByTrustedAuthorities.kt`,
      `${SERVICES}/verification/VerificationService.kt`,
      `${SERVICES}/verification/authorisationRequest/ProcessPresentationRequestWithUris.kt`,
      `${SERVICES}/verification/authorisationResponse/DCQLAuthorisationResponseBuilder.kt`,
      `${SERVICES}/verification/authorisationResponse/JWEEncrypter.kt`,
      `${SERVICES}/verification/vpTokenBuilders/SDJWTVpTokenBuilder.kt`,
    ],
  },
  read: '2026-11-22',
  silent: ['protocols', 'transaction_data'],
  excess: ['mso_mdoc'],
  answer: async (invocation, surroundings) => {
    const payload = await receiveUnverified(invocation, surroundings)
    refuseUnless(payload.dcql_query !== undefined, 'no dcql_query')
    const names = payload.dcql_query.credentials.flatMap(({ claims = [] }) =>
      claims.map(({ path }) => path[1]),
    )
    const choices = firstOptions(payload.dcql_query, (query) => match(query, surroundings.holdings, names))
    if (choices === undefined) return refuse('no credential for every query')
    return respond(
      payload,
      choices,
      { invocation, surroundings },
      {
        findKey: (keys) => {
          const usable = keys.filter(({ crv }) => crv === 'P-256')
          return usable.find(({ use }) => use === 'enc') ?? usable.find(({ use }) => use === undefined)
        },
        encryptions: ['A128CBC-HS256', 'A128GCM', 'A256GCM'],
        presentSdJwt: present,
      },
    )
  },
})

/** Gets a request. It verifies neither its signature nor its Client Identifier. */
async function receiveUnverified(invocation: Invocation, surroundings: Surroundings): Promise<Payload> {
  if ('digital' in invocation) return refuse('no Digital Credentials API')
  const { link } = invocation
  refuseUnless(link.startsWith('openid4vp://'), 'no link of this wallet')
  const { dcql_query: query, request_uri: uri } = parametersOf(link)
  if (query !== undefined) return payloadOf(link)
  if (uri === undefined) return refuse('invalid request')
  return decodeRequestObject((await fetchRequestObject(uri, surroundings)).text).payload
}

/** Every claim is needed: `claim_sets` are not read. Authorities would have to be on lists. */
function match(
  query: CredentialQuery,
  holdings: readonly Holding[],
  names: readonly unknown[],
): Choice | undefined {
  const { id, claims = [], trusted_authorities: authorities = [] } = query
  if (authorities.length > 0) return undefined
  const holding = holdings.find(
    (one) =>
      hasType(one, query) &&
      claims.every(({ path, values }) => isFound(one, path) && isEqual(claimAt(one, path), values)),
  )
  if (holding === undefined) return undefined
  const paths = holding.format === 'mso_mdoc' ? elementsFor(holding, names) : claims.map(({ path }) => path)
  return { id, holding, paths }
}

/** Steps are joined to a path of names: numbers and null find nothing. */
function isFound(holding: Holding, path: Path): boolean {
  return path.every((step) => typeof step === 'string') && claimAt(holding, path) !== undefined
}

function isEqual(found: unknown, values: readonly unknown[] = []): boolean {
  const elements = Array.isArray(found) ? found : [found]
  return values.length === 0 || elements.some((element) => values.includes(element))
}

/** The elements with any name of the request. A namespace without such an element is disclosed as a whole. */
function elementsFor({ claims }: MdocHolding, names: readonly unknown[]): readonly Path[] {
  return Object.entries(claims).flatMap(([nameSpace, items]) => {
    const all = Object.keys(items)
    const asked = all.filter((name) => names.includes(name))
    return (asked.length > 0 ? asked : all).map((name) => [nameSpace, name])
  })
}

/** Binds the key with the first transaction of the request, if it is for this query. */
function present({ id, paths }: Choice, holding: SdJwtHolding, payload: Payload): Promise<Presentation> {
  const all = disclosuresOf(holding)
  const asked = paths === 'all' ? [] : paths
  const names = asked.flat().map(String)
  // An object at the end of a path comes with its members, by their digests.
  const digests = all
    .filter(({ name }) => asked.some((path) => path.length === 1 && path[0] === name))
    .flatMap(({ value }) => (value as { _sd?: readonly string[] } | null)?._sd ?? [])
  const chosen = all.filter((one) => isChosen(one, names) || digests.includes(sha256(one.text)))
  const [jwt = ''] = holding.sdJwt.split('~')
  const text = [jwt, ...chosen.map((one) => one.text), ''].join('~')
  const [transaction] = payload.transaction_data ?? []
  const isMeant = transaction !== undefined && idsOf(transaction).includes(id)
  const hashes = {
    transaction_data_hashes: [sha256(transaction ?? '')],
    transaction_data_hashes_alg: 'sha-256',
  }
  return bindKey(text, holding, payload, isMeant ? hashes : {})
}

function isChosen({ name, value }: Disclosure, names: readonly string[]): boolean {
  if (name === undefined || names.includes(name)) return true
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.keys(value).some((key) => names.includes(key))
}

function idsOf(transaction: string): readonly unknown[] {
  const { credential_ids: ids = [] } = JSON.parse(Buffer.from(transaction, 'base64url').toString())
  return ids as readonly unknown[]
}
