// Every fake wallet, by the id of its profile.

import { eudiAndroid } from './eu/eudi-android.ts'
import { eudiIos } from './eu/eudi-ios.ts'
import { nlWallet } from './eu/nl-wallet.ts'
import type { FakeWallet } from './fake-wallet.ts'
import { credo } from './world/credo.ts'
import { googleWallet } from './world/google-wallet.ts'
import { procivis } from './world/procivis.ts'
import { waltId } from './world/walt-id.ts'
import { wwwallet } from './world/wwwallet.ts'

export const FAKE_WALLETS: readonly FakeWallet[] = [
  eudiAndroid,
  eudiIos,
  nlWallet,
  credo,
  googleWallet,
  wwwallet,
  waltId,
  procivis,
]
