// The age verification app of the EU on iOS: wallet-kit 0.34 and openid4vp-swift 0.35 with the settings of
// av-app-ios-wallet-ui. It holds age attestations only, and supports verifiers without a certificate only.
// Its provider of documents answers the browser's API. Until openid4vp-swift 0.35 (June 2026) it bound
// responses to `av://` to a Client Identifier with the prefix twice, which no verifier accepts.

import { answerOneDocument, receiveDeviceRequest } from '../annex-c.ts'
import { type FakeWallet, fakeWallet, refuseUnless } from '../fake-wallet.ts'
import { KIT_SOURCE, respondWithKit } from './eudi-ios.ts'
import { resolveWithSwift, SWIFT_SOURCE } from './openid4vp-swift.ts'

const SCHEMES = ['av:', 'avsp:', 'openid4vp:', 'eudi-openid4vp:', 'mdoc-openid4vp:']
const TYPE = 'eu.europa.ec.av.1'

/** Stored versions of its files are of different commits. */
const appSource = (commit: string, file: string) => ({
  repository: 'eu-digital-identity-wallet/av-app-ios-wallet-ui',
  commit,
  files: [file],
})

export const euAgeIos: FakeWallet = fakeWallet({
  id: 'eu-age-ios',
  source: [
    appSource(
      '0de1b9acdc03cec197f0c9f2e927b9b8cf2be53f',
      'Modules/logic-core/Sources/Config/WalletKitConfig.swift',
    ),
    appSource('3ad32fb54fb462b6b5f220a5cc065e3a9bd46948', 'Wallet/Wallet.plist'),
    appSource(
      'bb3b2add02a9be90d22cd8d11d89db3e34dc60c5',
      'AgeVerification.xcodeproj/project.xcworkspace/xcshareddata/swiftpm/Package.resolved',
    ),
    appSource(
      '044f0020c3806857ac0846e1a58c949285dbcdb1',
      'DigitalCredentialProvider/UI/RequestAuthorizationViewModel.swift',
    ),
    {
      repository: 'eu-digital-identity-wallet/av-lib-ios-w3c-dc-api',
      commit: 'a1f15922bcb3bf03492c9ba3251e6ef4e0d877fd',
      files: ['Sources/DcApi18013AnnexC/DcApi18013AnnexC.swift'],
    },
    KIT_SOURCE,
    SWIFT_SOURCE,
  ],
  read: '2026-11-29',
  answer: async (invocation, surroundings) => {
    const holdings = surroundings.holdings.filter(
      ({ format, type }) => format === 'mso_mdoc' && type === TYPE,
    )
    if ('digital' in invocation) {
      const request = receiveDeviceRequest(invocation.digital, invocation.origin)
      return answerOneDocument({ ...request, documents: chooseDocuments(request) }, holdings)
    }
    refuseUnless(SCHEMES.includes(new URL(invocation.link).protocol), 'the scheme is not supported')
    const resolved = await resolveWithSwift(invocation.link, surroundings, { prefixes: ['redirect_uri'] })
    return respondWithKit(resolved, { ...surroundings, holdings })
  },
})

/** The first set of a mandatory use case whose documents are all held; all documents without use cases. */
function chooseDocuments({ documents, useCases }: ReturnType<typeof receiveDeviceRequest>) {
  const mandatory = useCases?.filter((one) => one.mandatory).flatMap((one) => one.documentSets)
  const sets = (mandatory ?? [documents.map((_, index) => index)]).map((indexes) =>
    indexes.flatMap((index) => documents[index] ?? []),
  )
  return sets.find((set) => set.length > 0 && set.every(({ docType }) => docType === TYPE)) ?? []
}
