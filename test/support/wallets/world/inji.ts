// The Inji Wallet of MOSIP. It accepts unsigned requests in a link, and signed requests with EdDSA only. It
// presents mdocs as a whole, and encrypts `vp_token` as text.

import { firstClaimSet, firstOptions, hasType } from '../dcql.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless } from '../fake-wallet.ts'
import type { Holding } from '../holdings.ts'
import type { CredentialQuery, DcqlQuery, Payload } from '../request-object.ts'
import type { Choice } from '../responding.ts'
import { receive, respond } from './exchange.ts'

const ID = /^[\w-]+$/

const LIBRARY = 'kotlin/openID4VP/src/commonMain/kotlin/io/mosip/openID4VP'

export const inji: FakeWallet = fakeWallet({
  id: 'inji',
  source: [
    {
      repository: 'inji/inji-openid4vp',
      commit: '35d23b54620435b57ccf1b20f047c553311f9090',
      files: [
        `${LIBRARY}/authorizationRequest/AuthorizationRequestUtils.kt`,
        `${LIBRARY}/authorizationRequest/authorizationRequestHandler/types/DecentralizedIdentifierPrefixAuthorizationRequestHandler.kt`,
        `${LIBRARY}/authorizationRequest/authorizationRequestHandler/types/RedirectUriPrefixAuthorizationRequestHandler.kt`,
        `${LIBRARY}/authorizationResponse/AuthorizationResponse.kt`,
        `${LIBRARY}/authorizationResponse/vpToken/types/mdoc/MdocVPTokenBuilder.kt`,
        `${LIBRARY}/authorizationResponse/vpToken/types/sdJwt/SdJwtVPTokenBuilder.kt`,
        `${LIBRARY}/dcql/evaluator/DcqlEvaluator.kt`,
        `${LIBRARY}/dcql/query/DCQLQuery.kt`,
        `${LIBRARY}/jwt/jwe/JWEHandler.kt`,
        `${LIBRARY}/responseModeHandler/types/DirectPostJwtResponseModeHandler.kt`,
      ],
    },
    {
      repository: 'inji/inji-wallet',
      commit: '21743f7e4c0a1cbb16a11ec28a2afd103b6d6875',
      files: ['android/app/src/main/AndroidManifest.xml', 'docs/openid4vp-support.md'],
    },
  ],
  read: '2026-11-22',
  excess: ['mso_mdoc'],
  answer: async (invocation, surroundings) => {
    const payload = await receive(invocation, surroundings, {
      bases: ['openid4vp://authorize'],
      prefixes: ['decentralized_identifier'],
      algorithms: ['EdDSA'],
      posts: true,
      listsAuthorities: false,
      takesValue: true,
    })
    check(payload)
    checkQuery(payload.dcql_query)
    const choices = firstOptions(payload.dcql_query, (query) => match(query, surroundings.holdings))
    if (choices === undefined) return refuse('no matching credentials')
    return respond(
      payload,
      choices,
      { invocation, surroundings },
      {
        findKey: (keys) => {
          const matching = keys.filter(({ alg }) => alg === 'ECDH-ES')
          const forEncryption = matching.filter(({ use }) => use === 'enc')
          const [key, ...others] = matching.length === 1 ? matching : forEncryption
          return others.length > 0 ? undefined : key
        },
        encryptions: ['A256GCM'],
        encryptsText: true,
      },
    )
  },
})

function check({ response_type, nonce, state, ...payload }: Payload): void {
  refuseUnless(payload.transaction_data === undefined, 'transaction_data is not supported')
  refuseUnless(payload.redirect_uri === undefined, 'redirect_uri should not be present')
  refuseUnless(response_type === 'vp_token', 'the response type is not supported')
  refuseUnless((nonce ?? '') !== '', 'nonce is missing')
  refuseUnless((state ?? '') !== '', 'state is missing')
  refuseUnless(payload.dcql_query !== undefined, 'no dcql_query')
}

function checkQuery({ credentials, credential_sets: sets }: DcqlQuery): void {
  const ids = credentials.map(({ id }) => id)
  refuseUnless(ids.length > 0 && new Set(ids).size === ids.length, 'credential query ids must be unique')
  for (const query of credentials) checkCredential(query)
  refuseUnless(sets === undefined || sets.length > 0, 'credential_sets without elements')
  for (const { options } of sets ?? []) {
    const named = options.flat()
    refuseUnless(options.length > 0 && options.every((option) => option.length > 0), 'a set without options')
    refuseUnless(
      named.every((id) => ids.includes(id)),
      'a set names an unknown query',
    )
  }
}

function checkCredential({ id, claims, claim_sets: sets }: CredentialQuery): void {
  refuseUnless(ID.test(id), 'the id of a query has other characters')
  refuseUnless(claims === undefined || claims.length > 0, 'claims without elements')
  refuseUnless(sets === undefined || (claims !== undefined && sets.length > 0), 'claim_sets without claims')
  const claimIds = (claims ?? []).flatMap((claim) => claim.id ?? [])
  refuseUnless(new Set(claimIds).size === claimIds.length, 'claim ids must be unique')
  refuseUnless(sets === undefined || claimIds.length === claims?.length, 'claims with claim_sets need ids')
  refuseUnless(
    (sets ?? []).every((set) => set.length > 0 && set.every((one) => claimIds.includes(one))),
    'claim_sets names an unknown claim',
  )
  const values = (claims ?? []).flatMap((claim) => claim.values ?? [])
  refuseUnless(
    values.every((value) => ['string', 'boolean'].includes(typeof value) || Number.isInteger(value)),
    'a value must be a string, an integer or a boolean',
  )
}

/** `trusted_authorities` is not read. All elements of an mdoc are presented. */
function match(query: CredentialQuery, holdings: readonly Holding[]): Choice | undefined {
  for (const holding of holdings) {
    const claims = hasAnyType(holding, query) ? firstClaimSet(holding, query) : undefined
    if (claims !== undefined) {
      const paths = holding.format === 'mso_mdoc' ? 'all' : claims.map(({ path }) => path)
      return { id: query.id, holding, paths }
    }
  }
  return undefined
}

/** An empty `meta` means any type of the format. */
function hasAnyType(holding: Holding, query: CredentialQuery): boolean {
  const isAny = Object.keys(query.meta ?? {}).length === 0 && query.format === holding.format
  return isAny || hasType(holding, query)
}
