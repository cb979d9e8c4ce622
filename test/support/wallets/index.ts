// Every fake wallet, by the id of its profile.

import { nlWallet } from './eu/nl-wallet.ts'
import type { FakeWallet } from './fake-wallet.ts'
import { credo } from './world/credo.ts'
import { googleWallet } from './world/google-wallet.ts'

export const FAKE_WALLETS: readonly FakeWallet[] = [nlWallet, credo, googleWallet]
