// The registry of wallet profiles: one line each.

import type { WalletProfile } from '../profile.ts'
import { euAgeAndroid } from './eu/eu-age-android.ts'
import { euAgeIos } from './eu/eu-age-ios.ts'
import { eudiAndroid } from './eu/eudi-android.ts'
import { eudiIos } from './eu/eudi-ios.ts'
import { franceIdentite } from './eu/france-identite.ts'
import { germanEudiWallet } from './eu/german-eudi-wallet.ts'
import { ioApp } from './eu/io-app.ts'
import { nlWallet } from './eu/nl-wallet.ts'
import { valera } from './eu/valera.ts'
import { appleWallet } from './world/apple-wallet.ts'
import { credo } from './world/credo.ts'
import { googleWallet } from './world/google-wallet.ts'

/** Every profile, in the order of lists for people. */
export const WALLET_PROFILES: readonly WalletProfile[] = [
  nlWallet,
  eudiAndroid,
  eudiIos,
  valera,
  franceIdentite,
  germanEudiWallet,
  ioApp,
  euAgeAndroid,
  euAgeIos,
  googleWallet,
  appleWallet,
  credo,
]

/** Returns the profile of an id; `undefined` for an unknown one. */
export function walletProfile(id: string): WalletProfile | undefined {
  return WALLET_PROFILES.find((profile) => profile.id === id)
}
