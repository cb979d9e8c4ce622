// Wallets for which the service has a profile (api/wallets). Their ids are the values of `wallet` in a create
// request.

import type { WalletList } from '../../api/responses/lists.ts'
import { WALLET_PROFILES } from '../../wallets/profiles/index.ts'
import { authenticate } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'

export async function listWallets(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:read')
  if (!caller.ok) return caller.error
  const wallets = WALLET_PROFILES.map(
    ({ id, name, status, countries, platforms, formats, protocols, dc_api_protocols }) => {
      return { id, name, status, countries, platforms, formats, protocols, dc_api_protocols }
    },
  )
  return c.json<WalletList>({ wallets })
}
