// Every fake wallet, by the id of its profile.

import { euAgeAndroid } from './eu/eu-age-android.ts'
import { euAgeIos } from './eu/eu-age-ios.ts'
import { eudiAndroid } from './eu/eudi-android.ts'
import { eudiIos } from './eu/eudi-ios.ts'
import { franceIdentite } from './eu/france-identite.ts'
import { germanEudiWallet } from './eu/german-eudi-wallet.ts'
import { ioApp } from './eu/io-app.ts'
import { nlWallet } from './eu/nl-wallet.ts'
import { valera } from './eu/valera.ts'
import type { FakeWallet } from './fake-wallet.ts'
import { appleWallet } from './world/apple-wallet.ts'
import { californiaDmv } from './world/california-dmv.ts'
import { credo } from './world/credo.ts'
import { googleWallet } from './world/google-wallet.ts'
import { igrant } from './world/igrant.ts'
import { inji } from './world/inji.ts'
import { lissi } from './world/lissi.ts'
import { multipaz } from './world/multipaz.ts'
import { procivis } from './world/procivis.ts'
import { swiyu } from './world/swiyu.ts'
import { talao } from './world/talao.ts'
import { waltId } from './world/walt-id.ts'
import { wwwallet } from './world/wwwallet.ts'

export const FAKE_WALLETS: readonly FakeWallet[] = [
  euAgeAndroid,
  euAgeIos,
  eudiAndroid,
  eudiIos,
  franceIdentite,
  germanEudiWallet,
  ioApp,
  nlWallet,
  valera,
  appleWallet,
  credo,
  multipaz,
  googleWallet,
  wwwallet,
  waltId,
  procivis,
  inji,
  californiaDmv,
  lissi,
  igrant,
  talao,
  swiyu,
]
