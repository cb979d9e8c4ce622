// Choice of the wallet for another request of a pending session (api/wallets): one wallet, or any wallet.

import { loadConfig } from '../../config.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { walletProfile } from '../../wallets/profiles/index.ts'
import type { SessionDocument } from '../document/document.ts'
import type { SessionError } from '../document/results.ts'
import type { StoredWallet } from '../document/stored-verifier.ts'
import type { SessionContext } from '../store/context.ts'
import { loadOriginal, lowerFor, pinWallet } from './lowered-wallet.ts'

/** With this value the request is for any wallet, even if the create request named a wallet. */
export const ANY_WALLET = 'any'

/** A pending session, and the wallet of its next request; null for any wallet. */
export type RequestedWallet = { readonly document: SessionDocument; readonly wallet: StoredWallet | null }

/**
 * Returns the wallet of a new request; null for any wallet. A wallet that was chosen before keeps the terms
 * of its request, as long as the settings permit these terms. `named`: the id of a profile, `any`, or null
 * for the wallet that the create request chose. `now` in Unix milliseconds.
 */
export async function chooseWallet(
  { env }: Pick<SessionContext, 'env'>,
  document: SessionDocument,
  named: string | null,
  now: number,
): Promise<Result<StoredWallet | null, SessionError>> {
  const id = named ?? document.request.wallet ?? ANY_WALLET
  if (id === ANY_WALLET) return ok(null)
  const earlier = document.wallets?.find((wallet) => wallet.id === id)
  if (earlier !== undefined && !needsPermission(earlier, document)) return ok(earlier)
  const profile = walletProfile(id)
  if (profile === undefined) return err('wallet_unknown')
  const config = loadConfig(env)
  const settings = await loadSettings(env, document.relying_party_id, now)
  if (!settings.ok) return err(settings.error)
  const life = { now: Math.floor(now / 1000), expiresAt: Math.floor(document.expires_at / 1000) }
  const requester = { config, settings: settings.value, ...life }
  const original = await loadOriginal(document, requester)
  const lowered = await lowerFor(profile, { session: document, requester, original })
  if (!lowered.ok) return err('wallet_cannot')
  if (earlier === undefined) return ok(await pinWallet(config, document, lowered.value))
  return needsPermission(lowered.value, document) ? ok(earlier) : err('wallet_cannot')
}

/**
 * Returns true if the settings must permit the wallet's request. Such a request is unsigned in a session with
 * signed requests, or asks for a plain response in a session with encrypted responses.
 */
function needsPermission(
  { request_options: chosen }: Pick<StoredWallet, 'request_options'>,
  { request: { request_options: usual } }: SessionDocument,
): boolean {
  const isUnsigned = chosen.client_id_prefix === 'redirect_uri'
  const isPlain = chosen.response_mode === 'direct_post'
  return (
    (isUnsigned && usual.client_id_prefix !== 'redirect_uri') ||
    (isPlain && usual.response_mode !== 'direct_post')
  )
}
