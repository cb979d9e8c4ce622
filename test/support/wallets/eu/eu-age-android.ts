// The age verification app of the EU on Android: wallet-core with the settings of av-app-android-wallet-ui.
// It holds age attestations only, and identifies verifiers by their Response URI only.

import { type FakeWallet, fakeWallet, refuseUnless } from '../fake-wallet.ts'
import { answerFirst, respondWithCore } from './eudi-android.ts'
import { KT_SOURCE, resolveWithKt } from './openid4vp-kt.ts'

/** The authority of a link that opens the app, by scheme; `*` is any or none. A scanned code needs none. */
const HOSTS: Readonly<Record<string, string>> = {
  'av:': '*',
  'avsp:': 'present',
  'openid4vp:': 'authorize',
  'eudi-openid4vp:': 'authorize',
  'mdoc-openid4vp:': 'authorize',
}
const TYPE = 'eu.europa.ec.av.1'

export const euAgeAndroid: FakeWallet = fakeWallet({
  id: 'eu-age-android',
  source: [
    {
      repository: 'eu-digital-identity-wallet/av-app-android-wallet-ui',
      commit: 'c1c56ed6b0984df0ee678848c3629d8c19e32eaf',
      files: [
        'core-logic/src/demo/java/eu/europa/ec/corelogic/config/WalletCoreConfigImpl.kt',
        'build-logic/convention/src/main/kotlin/AndroidLibraryConventionPlugin.kt',
        'assembly-logic/src/main/AndroidManifest.xml',
      ],
    },
    {
      repository: 'eu-digital-identity-wallet/eudi-lib-android-wallet-core',
      commit: '1d17f2f9d04b111c1f75ca19a380d48843f5b18a',
      files: ['wallet-core/src/main/java/eu/europa/ec/eudi/wallet/dcapi/DCAPIRequestProcessor.kt'],
    },
    KT_SOURCE,
  ],
  read: '2026-11-29',
  answer: async (invocation, surroundings) => {
    const holdings = surroundings.holdings.filter(
      ({ format, type }) => format === 'mso_mdoc' && type === TYPE,
    )
    if ('digital' in invocation) return answerFirst(invocation, holdings)
    const { link, isScanned = false } = invocation
    const { protocol, host } = new URL(link)
    const expected = HOSTS[protocol]
    refuseUnless(expected !== undefined, 'the scheme is not supported')
    refuseUnless(isScanned || expected === '*' || host === expected, 'the link does not open the app')
    const config = { prefixes: ['redirect_uri'], formats: { mso_mdoc: [-9] } } as const
    const resolved = await resolveWithKt(link, surroundings, config)
    return respondWithCore(resolved, { ...surroundings, holdings })
  },
})
