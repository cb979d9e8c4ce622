// All actors. A new actor is a file of this folder, and a line here.

import type { Actor } from '../world.ts'
import { analyst } from './analyst.ts'
import { archive } from './archive.ts'
import { digitalCredentials } from './digital-credentials.ts'
import { hostileWallet } from './hostile-wallet.ts'
import { lateClient } from './late-client.ts'
import { login } from './login.ts'
import { oidcClient } from './oidc-client.ts'
import { operator } from './operator.ts'
import { page } from './page.ts'
import { poller } from './poller.ts'
import { relyingParty } from './relying-party.ts'
import { wallet } from './wallet.ts'

export const ACTORS: readonly Actor[] = [
  relyingParty,
  wallet,
  page,
  poller,
  digitalCredentials,
  hostileWallet,
  operator,
  login,
  lateClient,
  oidcClient,
  analyst,
  archive,
]
