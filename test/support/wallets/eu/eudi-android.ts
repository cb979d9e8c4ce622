// The EUDI reference wallet on Android: eudi-lib-android-wallet-core with the settings of
// eudi-app-android-wallet-ui. It finds documents by their type alone, and discloses every claim in `claims`.

import { answerOneDocument, ISO_MDOC, receiveDeviceRequest } from '../annex-c.ts'
import { hasType } from '../dcql.ts'
import type { Answer, FakeWallet, Invocation, Surroundings } from '../fake-wallet.ts'
import { fakeWallet, refuse, refuseUnless } from '../fake-wallet.ts'
import { claimAt, type Holding } from '../holdings.ts'
import type { CredentialQuery, DcqlQuery } from '../request-object.ts'
import { type Choice, encryptFor, postForm, presentAll, randomText } from '../responding.ts'
import { KT_SOURCE, type ResolvedRequest, resolveWithKt } from './openid4vp-kt.ts'

const SCHEMES = ['openid4vp:', 'eudi-openid4vp:', 'mdoc-openid4vp:', 'haip-vp:']

const CONFIG = {
  prefixes: ['x509_san_dns', 'x509_hash'],
  formats: { mso_mdoc: [-9], 'dc+sd-jwt': ['ES256'] },
} as const

const CORE = 'wallet-core/src/main/java/eu/europa/ec/eudi/wallet'

export const eudiAndroid: FakeWallet = fakeWallet({
  id: 'eudi-android',
  source: [
    {
      repository: 'eu-digital-identity-wallet/eudi-lib-android-wallet-core',
      commit: '1d17f2f9d04b111c1f75ca19a380d48843f5b18a',
      files: [
        `${CORE}/transfer/openId4vp/OpenId4VpManager.kt`,
        `${CORE}/transfer/openId4vp/dcql/DcqlRequestProcessor.kt`,
        `${CORE}/transfer/openId4vp/dcql/CredentialSetsMatcher.kt`,
        `${CORE}/internal/OpenId4VpUtils.kt`,
        `${CORE}/dcapi/DCAPIManager.kt`,
        `${CORE}/dcapi/DCAPIRequestProcessor.kt`,
      ],
    },
    {
      repository: 'eu-digital-identity-wallet/eudi-app-android-wallet-ui',
      commit: '5657268d788ffe5dc1291d6c203fde03dec475bf',
      files: ['core-logic/src/demo/java/eu/europa/ec/corelogic/config/WalletCoreConfigImpl.kt'],
    },
    KT_SOURCE,
  ],
  read: '2026-11-29',
  answer: async (invocation, surroundings) => {
    if ('digital' in invocation) return answerFirst(invocation, surroundings.holdings)
    refuseUnless(SCHEMES.includes(new URL(invocation.link).protocol), 'the scheme is not supported')
    const resolved = await resolveWithKt(invocation.link, surroundings, CONFIG)
    return respondWithCore(resolved, surroundings)
  },
})

/**
 * Answers a call of the browser as wallet-core 0.27 does: it reads the first request of the call only,
 * and discloses the one document that the person picked.
 */
export function answerFirst(
  { digital, origin, requests = [digital] }: Extract<Invocation, { digital: unknown }>,
  holdings: readonly Holding[],
): Promise<Answer> {
  const [first] = requests
  if (first?.protocol !== ISO_MDOC) return refuse('the first request is not org-iso-mdoc')
  return answerOneDocument(receiveDeviceRequest(first, origin), holdings)
}

/** Answers a resolved request as wallet-core does. */
export async function respondWithCore(
  { payload, encryption }: ResolvedRequest,
  surroundings: Surroundings,
): Promise<Answer> {
  const choices = chooseWithCore(payload.dcql_query, surroundings.holdings)
  const { vp_token, disclosed } = await presentAll(choices, { payload, key: encryption?.key })
  const state = payload.state === undefined ? {} : { state: payload.state }
  if (encryption === undefined) {
    const form = { vp_token: JSON.stringify(vp_token), ...state }
    return { disclosed, response: await postForm(surroundings, payload.response_uri, form) }
  }
  const [apu, apv] = [Buffer.from(randomText(16)), Buffer.from(payload.nonce)]
  const response = await encryptFor({ ...encryption, apu, apv }, { vp_token, ...state })
  return { disclosed, response: await postForm(surroundings, payload.response_uri, { response }) }
}

function chooseWithCore(
  { credentials, credential_sets: sets }: DcqlQuery,
  holdings: readonly Holding[],
): Choice[] {
  const found = new Map(credentials.map((query) => [query.id, holdings.find((one) => hasType(one, query))]))
  const isHeld = (id: string) => found.get(id) !== undefined
  const options = sets?.map((set) => ({ ...set, option: set.options.find((ids) => ids.every(isHeld)) }))
  const isPossible = options?.every(({ option, required }) => option !== undefined || required === false)
  const chosen = options?.flatMap(({ option }) => option ?? []) ?? credentials.map(({ id }) => id)
  refuseUnless((isPossible ?? true) && chosen.length > 0 && chosen.every(isHeld), 'no document of the type')
  return credentials
    .filter(({ id }) => chosen.includes(id))
    .map((query) => ({
      id: query.id,
      holding: found.get(query.id)!,
      paths: pathsOf(query, found.get(query.id)!),
    }))
}

/** Every claim in `claims`, whatever `claim_sets` and `values` say; without `claims`, every claim. */
function pathsOf({ claims }: CredentialQuery, holding: Holding): Choice['paths'] {
  if (claims === undefined) return 'all'
  const paths = claims.map(({ path }) => path).filter((path) => claimAt(holding, path) !== undefined)
  refuseUnless(paths.length > 0, 'no claim to disclose')
  return paths
}
