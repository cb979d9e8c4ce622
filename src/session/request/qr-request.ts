// Requests that any device may respond to (api/request, api/qr). Each QR code gets a new request. The relying
// party can read a view of the newest request.

import { loadConfig } from '../../config.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import { newestGeneration, SUPERSEDED_LIFETIME_MS } from '../document/generations.ts'
import type { SessionError } from '../document/results.ts'
import type { SessionContext } from '../store/context.ts'
import type { RequestedWallet } from './chosen-wallet.ts'
import { buildQrCodeUrl } from './client-token.ts'
import { fitsQr, qrRefusal } from './creation.ts'
import { markHandedOut } from './fetching.ts'
import { openGeneration } from './generation-keys.ts'
import { type AddedRequest, addRequest } from './new-request.ts'
import { openid4vpView, walletRequest } from './requests.ts'
import { buildTerms, chosenWallet } from './terms.ts'

/**
 * The URI of a QR code. `diesAt`: earliest time at which the URI can become invalid, in Unix milliseconds.
 */
export type QrRequest = { readonly uri: string; readonly diesAt: number }

/** Creates a request of a pending session for a QR code. `now` in Unix milliseconds. */
export async function createQrRequest(
  context: SessionContext,
  { document: pending, wallet }: RequestedWallet,
  now: number,
): Promise<Result<QrRequest, SessionError>> {
  const refusal = qrRefusal(pending.request, wallet)
  if (refusal !== undefined) return err(refusal)
  const { baseUrl } = loadConfig(context.env)
  const uriOf = ({ terms, generation }: AddedRequest) => walletRequest(terms, generation, baseUrl).uri
  // The session stores the terms that were adapted to a chosen wallet. An earlier release may have stored
  // terms whose request by value is too long for a QR code. So the length is checked here.
  const check = (request: AddedRequest) => (fitsQr(uriOf(request)) ? undefined : 'wallet_cannot')
  const added = await addRequest(context, { channel: 'qr', browser: null, wallet }, now, check)
  if (!added.ok) return added
  const diesAt = Math.min(now + SUPERSEDED_LIFETIME_MS, pending.expires_at)
  return ok({ uri: uriOf(added.value), diesAt })
}

/**
 * Returns the `/openid4vp` view of the newest generation. Marks this generation as handed out, and creates no
 * generation.
 */
export async function viewNewestRequest(
  { store, env }: SessionContext,
  document: SessionDocument,
  now: number,
): Promise<Result<object, SessionError>> {
  const newest = newestGeneration(document.generations, 'any_device')
  if (newest === undefined)
    return err(qrRefusal(document.request, chosenWallet(document)) ?? 'binding_excludes_qr')
  markHandedOut(store, newest, now, 'viewed')
  const config = loadConfig(env)
  const qrCodeUrl = await buildQrCodeUrl(config, document)
  const generation = await openGeneration(document, newest)
  const newestRequest = { terms: buildTerms(document, newest), generation }
  return ok(openid4vpView(document, newestRequest, { ...config, qrCodeUrl }))
}
