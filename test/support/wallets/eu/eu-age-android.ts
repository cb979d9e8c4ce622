// The age verification app of the EU on Android: wallet-core with the settings of av-app-android-wallet-ui.
// It holds age attestations only, and identifies verifiers by their Response URI only.

import { answerOneDocument, receiveDeviceRequest } from '../annex-c.ts'
import { type FakeWallet, fakeWallet, refuseUnless } from '../fake-wallet.ts'
import { respondWithCore } from './eudi-android.ts'
import { KT_SOURCE, resolveWithKt } from './openid4vp-kt.ts'

const SCHEMES = ['av:', 'avsp:', 'openid4vp:', 'eudi-openid4vp:', 'mdoc-openid4vp:']
const TYPE = 'eu.europa.ec.av.1'

export const euAgeAndroid: FakeWallet = fakeWallet({
  id: 'eu-age-android',
  source: [
    {
      repository: 'eu-digital-identity-wallet/av-app-android-wallet-ui',
      commit: 'c1c56ed6b0984df0ee678848c3629d8c19e32eaf',
      files: ['core-logic/src/demo/java/eu/europa/ec/corelogic/config/WalletCoreConfigImpl.kt'],
    },
    {
      repository: 'eu-digital-identity-wallet/eudi-lib-android-wallet-core',
      commit: '1d17f2f9d04b111c1f75ca19a380d48843f5b18a',
      files: ['wallet-core/src/main/java/eu/europa/ec/eudi/wallet/dcapi/DCAPIRequestProcessor.kt'],
    },
    KT_SOURCE,
  ],
  read: '2026-11-22',
  answer: async (invocation, surroundings) => {
    const holdings = surroundings.holdings.filter(
      ({ format, type }) => format === 'mso_mdoc' && type === TYPE,
    )
    if ('digital' in invocation) {
      return answerOneDocument(receiveDeviceRequest(invocation.digital, invocation.origin), holdings)
    }
    refuseUnless(SCHEMES.includes(new URL(invocation.link).protocol), 'the scheme is not supported')
    const config = { prefixes: ['redirect_uri'], formats: { mso_mdoc: [-9] } } as const
    const resolved = await resolveWithKt(invocation.link, surroundings, config)
    return respondWithCore(resolved, { ...surroundings, holdings })
  },
})
