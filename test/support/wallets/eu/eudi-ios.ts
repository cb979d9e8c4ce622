// The EUDI reference wallet on iOS: eudi-lib-ios-wallet-kit 0.37.3, the version of eudi-app-ios-wallet-ui.
// Since 0.40 the kit demands a registration certificate in `verifier_info`, unless the app switches that off.

import { firstClaimSet, hasType } from '../dcql.ts'
import {
  type Answer,
  type FakeWallet,
  fakeWallet,
  refuse,
  refuseUnless,
  type Surroundings,
} from '../fake-wallet.ts'
import type { DcqlQuery } from '../request-object.ts'
import { type Choice, encryptFor, postForm, presentAll, randomText } from '../responding.ts'
import { resolveWithSwift, SWIFT_SOURCE, type SwiftRequest } from './openid4vp-swift.ts'

const SCHEMES = ['eudi-openid4vp:', 'mdoc-openid4vp:', 'openid4vp:', 'haip-vp:']

export const KIT_SOURCE = {
  repository: 'eu-digital-identity-wallet/eudi-lib-ios-wallet-kit',
  commit: 'c5ecc2dc89d713fd212014a37970c37b8be73699',
  files: ['OpenId4VpService', 'Openid4VpUtils', 'DcqlQueryable'].map(
    (name) => `Sources/EudiWalletKit/Services/${name}.swift`,
  ),
}

export const eudiIos: FakeWallet = fakeWallet({
  id: 'eudi-ios',
  source: [
    KIT_SOURCE,
    {
      repository: 'eu-digital-identity-wallet/eudi-app-ios-wallet-ui',
      commit: '5990db7b90f826c326206c1ee69cfc651559c2f5',
      files: ['Modules/logic-core/Sources/Config/WalletKitConfig.swift', 'Wallet/Wallet.plist'],
    },
    SWIFT_SOURCE,
  ],
  read: '2026-11-29',
  answer: async (invocation, surroundings) => {
    if ('digital' in invocation) return refuse('no Digital Credentials API')
    refuseUnless(SCHEMES.includes(new URL(invocation.link).protocol), 'the scheme is not supported')
    const config = { prefixes: ['x509_san_dns', 'x509_hash'] } as const
    return respondWithKit(await resolveWithSwift(invocation.link, surroundings, config), surroundings)
  },
})

/** Answers a resolved request as wallet-kit does. */
export async function respondWithKit(
  { payload, encryption }: SwiftRequest,
  surroundings: Surroundings,
): Promise<Answer> {
  // An SD-JWT VC without requested claims is left out of the response.
  const choices = choose(payload.dcql_query, surroundings).filter(
    ({ holding, paths }) => holding.format === 'mso_mdoc' || paths.length > 0,
  )
  // The session transcript has the first key for encryption that says `use`.
  const key = payload.client_metadata?.jwks?.keys.find(({ use }) => use === 'enc')
  const { vp_token, disclosed } = await presentAll(choices, { payload, key })
  const state = { state: payload.state ?? '' }
  if (encryption === undefined) {
    const form = { vp_token: JSON.stringify(vp_token), ...state }
    return { disclosed, response: await postForm(surroundings, payload.response_uri, form) }
  }
  const [apu, apv] = [Buffer.from(randomText(16)), Buffer.from(payload.nonce)]
  const response = await encryptFor({ ...encryption, apu, apv }, { vp_token, ...state })
  return { disclosed, response: await postForm(surroundings, payload.response_uri, { response }) }
}

function choose({ credentials, credential_sets: sets }: DcqlQuery, { holdings }: Surroundings): Choice[] {
  const found = credentials.flatMap((query): Choice[] => {
    // Only the first value of `vct_values` counts.
    const [vct] = query.meta?.vct_values ?? []
    const one = { ...query, meta: { ...query.meta, ...(vct === undefined ? {} : { vct_values: [vct] }) } }
    const holding = holdings.find((held) => hasType(held, one) && firstClaimSet(held, query) !== undefined)
    if (holding === undefined) return []
    return [{ id: query.id, holding, paths: firstClaimSet(holding, query)?.map(({ path }) => path) ?? [] }]
  })
  const isFound = (id: string) => found.some((choice) => choice.id === id)
  if (sets === undefined) {
    refuseUnless(
      credentials.every(({ id }) => isFound(id)),
      'no credential satisfies a query',
    )
    return found
  }
  const chosen = sets.flatMap(({ options, required }) => {
    const option = options.find((ids) => ids.every(isFound))
    refuseUnless(option !== undefined || required === false, 'a required credential set cannot be satisfied')
    return option ?? []
  })
  return found.filter(({ id }) => chosen.includes(id))
}
