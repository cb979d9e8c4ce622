// The wallet of walt.id. It answers every query that it can, whatever `credential_sets` say, and finds claims
// of an SD-JWT VC by the last name of their path.

import { firstClaimSet, hasType } from '../dcql.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless, type Surroundings } from '../fake-wallet.ts'
import type { Holding, Presentation, SdJwtHolding } from '../holdings.ts'
import type { CredentialQuery, Payload } from '../request-object.ts'
import type { Choice } from '../responding.ts'
import { receive, respond } from './exchange.ts'
import { disclosuresOf, presentDisclosures } from './sd-jwt.ts'

const FORMATS = ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json']
const CURVES = ['P-256', 'P-384', 'P-521']
const GCM = ['A128GCM', 'A192GCM', 'A256GCM']
const CBC = ['A128CBC-HS256', 'A192CBC-HS384', 'A256CBC-HS512']

const WALLET =
  'waltid-libraries/protocols/waltid-openid4vp-wallet/src/commonMain/kotlin/id/waltid/openid4vp/wallet'

export const waltId: FakeWallet = fakeWallet({
  id: 'walt-id',
  source: {
    repository: 'walt-id/waltid-identity',
    commit: 'b19fda24510c7543f3c3dcad1daf2d77f4a168d1',
    files: [
      `${WALLET}/request/AuthorizationRequestResolver.kt`,
      `${WALLET}/PresentationRequestValidator.kt`,
      `${WALLET}/WalletPresentFunctionality2.kt`,
      `${WALLET}/presentation/SdJwtVcPresenter.kt`,
      `${WALLET}/presentation/MdocPresenter.kt`,
      `${WALLET}/response/ResponseEncryption.kt`,
      `${WALLET}/DcApi.kt`,
      'waltid-libraries/protocols/waltid-openid4vp-clientidprefix/src/commonMain/kotlin/id/walt/openid4vp/clientidprefix/prefixes/X509Hash.kt',
      'waltid-libraries/protocols/waltid-openid4vc-wallet/src/commonMain/kotlin/id/walt/wallet2/handlers/WalletPresentationHandler.kt',
      'waltid-libraries/credentials/waltid-dcql/src/commonMain/kotlin/id/walt/dcql/DcqlMatcher.kt',
      'waltid-applications/waltid-wallet-demo-compose/androidApp/src/main/AndroidManifest.xml',
    ],
  },
  read: '2026-11-22',
  silent: ['dcql.null_path', 'dcql.index_path'],
  answer: async (invocation, surroundings) => {
    const payload = await receive(invocation, surroundings, {
      bases: ['openid4vp://'],
      prefixes: ['x509_hash', 'x509_san_dns', 'decentralized_identifier'],
      posts: true,
      listsAuthorities: true,
      takesValue: true,
      answersUnsigned: true,
    })
    check(payload)
    return respond(
      payload,
      choose(payload, surroundings),
      { invocation, surroundings },
      {
        findKey: (keys) =>
          keys.find(
            ({ kty, crv = '', alg, kid, use = 'enc' }) =>
              kty === 'EC' && CURVES.includes(crv) && alg === 'ECDH-ES' && kid !== undefined && use === 'enc',
          ),
        encryptions: [...GCM, ...CBC],
        presentSdJwt: present,
      },
    )
  },
})

function check({ response_type, redirect_uri, nonce, dcql_query: query, ...payload }: Payload): void {
  refuseUnless(redirect_uri === undefined, 'redirect_uri beside direct_post')
  refuseUnless((nonce ?? '').trim() !== '', 'nonce is missing')
  refuseUnless(['vp_token', 'vp_token id_token'].includes(response_type ?? ''), 'unsupported response_type')
  refuseUnless(query !== undefined, 'no dcql_query')
  refuseUnless(
    query.credentials.every(({ claims }) => claims === undefined || claims.length > 0),
    'claims without elements',
  )
  const requested = query.credentials.map(({ format }) => format).filter((one) => FORMATS.includes(one))
  const offered = payload.client_metadata?.vp_formats_supported
  const isSupported = requested.some((one) => offered === undefined || offered[one] !== undefined)
  refuseUnless(isSupported, 'none of the formats is supported')
  // The wallet has no type of transaction data unless its maker registers some.
  refuseUnless((payload.transaction_data ?? []).length === 0, 'unknown type of transaction data')
}

/** Answers every query that a credential satisfies. The answers only have to satisfy the sets. */
function choose({ dcql_query: query }: Payload, { holdings }: Surroundings): readonly Choice[] {
  const choices = query.credentials.flatMap((one) => match(one, holdings))
  const ids = new Set(choices.map(({ id }) => id))
  const sets =
    query.credential_sets ?? query.credentials.map(({ id }) => ({ options: [[id]], required: true }))
  const isSatisfied = sets.every(
    ({ options, required }) =>
      required === false || options.some((option) => option.length > 0 && option.every((id) => ids.has(id))),
  )
  return isSatisfied ? choices : refuse('no credential combination satisfies the request')
}

/** `trusted_authorities` are not enforced. With `multiple`, all credentials are presented. */
function match(query: CredentialQuery, holdings: readonly Holding[]): readonly Choice[] {
  const choices = holdings.flatMap((holding) => {
    const claims = hasType(holding, query) ? firstClaimSet(holding, query) : undefined
    return claims === undefined ? [] : [{ id: query.id, holding, paths: claims.map(({ path }) => path) }]
  })
  return query.multiple === true ? choices : choices.slice(0, 1)
}

/**
 * Presents the disclosure with the last name of each path. Leaves out the disclosure of the object that
 * contains the claim.
 */
function present({ paths }: Choice, holding: SdJwtHolding, payload: Payload): Promise<Presentation> {
  const all = disclosuresOf(holding)
  const names = (paths === 'all' ? [] : paths).map((path) =>
    path.findLast((step) => typeof step === 'string'),
  )
  const found = names.flatMap((name) => all.find((one) => one.name === name) ?? [])
  return presentDisclosures(holding, found, payload)
}
