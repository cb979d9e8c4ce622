// The public sources of each profile, for documents and tests. The deployed service does not contain them.

import { euAgeAndroidSources } from './eu/eu-age-android.ts'
import { euAgeIosSources } from './eu/eu-age-ios.ts'
import { eudiAndroidSources } from './eu/eudi-android.ts'
import { eudiIosSources } from './eu/eudi-ios.ts'
import { franceIdentiteSources } from './eu/france-identite.ts'
import { germanEudiWalletSources } from './eu/german-eudi-wallet.ts'
import { ioAppSources } from './eu/io-app.ts'
import { nlWalletSources } from './eu/nl-wallet.ts'
import { valeraSources } from './eu/valera.ts'
import type { WalletSources } from './profile.ts'
import { appleWalletSources } from './world/apple-wallet.ts'
import { californiaDmvSources } from './world/california-dmv.ts'
import { credoSources } from './world/credo.ts'
import { googleWalletSources } from './world/google-wallet.ts'
import { igrantSources } from './world/igrant.ts'
import { injiSources } from './world/inji.ts'
import { lissiSources } from './world/lissi.ts'
import { multipazSources } from './world/multipaz.ts'
import { procivisSources } from './world/procivis.ts'
import { swiyuSources } from './world/swiyu.ts'
import { talaoSources } from './world/talao.ts'
import { waltIdSources } from './world/walt-id.ts'
import { wwwalletSources } from './world/wwwallet.ts'

/** Sources by id of the profile. */
export const WALLET_SOURCES: Readonly<Record<string, WalletSources>> = {
  'nl-wallet': nlWalletSources,
  'eudi-android': eudiAndroidSources,
  'eudi-ios': eudiIosSources,
  valera: valeraSources,
  'france-identite': franceIdentiteSources,
  'german-eudi-wallet': germanEudiWalletSources,
  'io-app': ioAppSources,
  'eu-age-android': euAgeAndroidSources,
  'eu-age-ios': euAgeIosSources,
  'google-wallet': googleWalletSources,
  'apple-wallet': appleWalletSources,
  'california-dmv': californiaDmvSources,
  credo: credoSources,
  multipaz: multipazSources,
  wwwallet: wwwalletSources,
  'walt-id': waltIdSources,
  procivis: procivisSources,
  igrant: igrantSources,
  lissi: lissiSources,
  inji: injiSources,
  talao: talaoSources,
  swiyu: swiyuSources,
}
