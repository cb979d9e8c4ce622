// A wallet fetches a request (CONTRACT 3, OpenID4VP 1.0 §5.10). What it says of itself decides whether it gets it, and how it is
// wrapped; none of that is stored, and a wallet that is turned away leaves no trace.

import { configOf } from '../../config.ts'
import { encryptRequestObject } from '../../openid4vp/request/request-encryption.ts'
import { checkWalletMetadata, type WalletMetadata } from '../../openid4vp/request/wallet-metadata.ts'
import { settingsOf } from '../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionContext } from '../context.ts'
import type { SessionDocument, SigningVerifier } from '../document.ts'
import { sealingKeyOf } from '../random.ts'
import type { RequestRefusal } from '../results.ts'
import type { SessionStore } from '../store.ts'
import { applyTimeouts } from '../timeouts.ts'
import { handleKeyOf, openGeneration, openVerifier } from './generation-keys.ts'
import { aliveGenerations, handOut, type StoredGeneration } from './generations.ts'
import { readHandle } from './handles.ts'
import { requestObject } from './requests.ts'

/** What a wallet posts to a `request_uri`; null where it posts none of it, or only fetches. */
export type FetchingWallet = {
  readonly nonce: string | null
  readonly metadata: WalletMetadata | null
  /** It says that it is the sandbox's: in live mode there is nothing for it. */
  readonly isSandbox?: boolean
}

/** Signs the Request Object of a live generation anew. Repeatable: nonce and key stay the same. `now` in Unix milliseconds. */
export async function fetchRequest(
  context: SessionContext,
  requestId: string,
  { nonce, metadata, isSandbox }: FetchingWallet,
  now: number,
): Promise<Result<string, RequestRefusal>> {
  const found = await findRequest(context, requestId, now)
  if (!found.ok) return found
  const { document, generation, verifier } = found.value
  if (isSandbox && document.livemode) return err('unknown_request')
  const mismatch = metadata === null ? undefined : checkWalletMetadata(metadata, shownOf(document))
  if (mismatch !== undefined) return err(mismatch)
  noteHandedOut(context.store, generation, now, 'fetched')
  const config = configOf(context.env)
  const identity = await openVerifier(await sealingKeyOf(config), document.verification_id, verifier)
  const wallet = { identity, walletNonce: nonce ?? undefined }
  const opened = await openGeneration(document, generation)
  const jws = await requestObject(document, opened, wallet, { baseUrl: config.baseUrl, now })
  const encryption = metadata?.encryption
  if (encryption === undefined || encryption === 'unsupported') return ok(jws)
  return ok(await encryptRequestObject(jws, encryption))
}

/** Written the first time only: that it was used again is kept in memory. */
export function noteHandedOut(
  store: SessionStore,
  generation: StoredGeneration,
  now: number,
  how: 'fetched' | 'viewed',
): void {
  const document = store.session()
  if (document === undefined) return
  const handedOut = handOut(generation, now, how)
  const generations = document.generations.map((one) => (one.number === generation.number ? handedOut : one))
  const request_fetched = document.request_fetched || how === 'fetched'
  const changed = { ...document, generations, request_fetched }
  if (generation[how]) store.remember(changed)
  else store.commit({ ...changed, version: document.version + (how === 'fetched' ? 1 : 0) })
}

type FetchedRequest = {
  readonly document: SessionDocument
  readonly generation: StoredGeneration
  readonly verifier: SigningVerifier
}

async function findRequest(
  context: SessionContext,
  requestId: string,
  now: number,
): Promise<Result<FetchedRequest, RequestRefusal>> {
  await applyTimeouts(context, now)
  const asked = context.store.session()
  if (asked === undefined) return err('session_not_found')
  const number = await readHandle(handleKeyOf(asked), 'request', requestId)
  if (number === undefined) return err('unknown_request')
  // Nobody is asked in the name of a relying party that is no more. Where that cannot be found out, the answer is still to come.
  const settings = await settingsOf(context.env, asked.relying_party_id, now)
  if (!settings.ok && settings.error === 'not_found') return err('session_not_found')
  const document = context.store.session() // as it is now, not as it was before the handle was read
  if (document?.status !== 'pending' || now >= document.expires_at) return err('request_over')
  const generation = aliveGenerations(document.generations, now).find((alive) => alive.number === number)
  if (generation === undefined || generation.channel === 'dc_api') return err('request_over')
  const { verifier } = document
  // Passed by value, no request is to be had anywhere.
  if (verifier.sealed_signing_jwk === null) return err('unknown_request')
  return ok({ document, generation, verifier })
}

function shownOf({ request, policy }: SessionDocument) {
  const { client_id_prefix, response_mode } = request.request_options
  return { clientIdPrefix: client_id_prefix, responseMode: response_mode, query: policy.query }
}
