// Fetch of a Request Object by a wallet (api/request, OpenID4VP 1.0 §5.10). The wallet's metadata decides if
// the wallet gets the request, and how the request is encrypted. The metadata is not stored. A refused wallet
// changes nothing in the session.

import { type Config, loadConfig } from '../../config.ts'
import { encryptRequestObject } from '../../openid4vp/request/request-encryption.ts'
import { signRequestObject } from '../../openid4vp/request/request-object.ts'
import { checkWalletMetadata, type WalletMetadata } from '../../openid4vp/request/wallet-metadata.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { reportStep } from '../delivery/step-events.ts'
import type { SessionDocument } from '../document/document.ts'
import { aliveGenerations, handOut, type StoredGeneration } from '../document/generations.ts'
import type { RequestRefusal } from '../document/results.ts'
import { requireRequestOptions } from '../document/stored-request.ts'
import { passesByValue } from '../document/stored-verifier.ts'
import { addStep } from '../document/timeline.ts'
import { addActivity } from '../document/wallet-activity.ts'
import type { SessionContext } from '../store/context.ts'
import type { SessionStore } from '../store/store.ts'
import {
  openGeneration,
  openVerifier,
  requireHandleKey,
  sealRequests,
  withSentRequests,
} from './generation-keys.ts'
import { readHandle } from './handles.ts'
import { requestClaims } from './requests.ts'
import { buildTerms, type RequestTerms } from './terms.ts'

/** Members that a wallet posted to a `request_uri`. Null: the wallet did not post the member. */
export type RequestingWallet = {
  readonly nonce: string | null
  readonly metadata: WalletMetadata | null
  /** True for the wallet of the sandbox. This wallet gets no request of live mode. */
  readonly isSandbox?: boolean
}

/**
 * Returns the signed Request Object of a live authorization request (generation). A repeated fetch gets the
 * same nonce and key. `now` in Unix milliseconds.
 */
export async function fetchRequest(
  context: SessionContext,
  requestId: string,
  { nonce, metadata, isSandbox }: RequestingWallet,
  now: number,
): Promise<Result<string, RequestRefusal>> {
  const requested = await findRequest(context, requestId, now)
  if (!requested.ok) return requested
  const { document, generation } = requested.value
  if (isSandbox && document.livemode) return err('unknown_request')
  const terms = buildTerms(document, generation)
  const refusal = metadata === null ? undefined : checkWalletMetadata(metadata, toShown(terms))
  if (refusal !== undefined) return err(refusal)
  const config = loadConfig(context.env)
  const sign = () => signRequest(config, requested.value, terms, { nonce, now })
  // If evidence is kept, the write that marks the request as handed out also stores the signed request. So
  // the request is signed first.
  const isKept = document.evidence_terms !== undefined
  const early = isKept ? await sign() : undefined
  if (early === undefined) markHandedOut(context.store, generation, now, 'fetched')
  else {
    const sealed = await sealRequests(config, document, generation, { jwt: early })
    const current = await findRequest(context, requestId, now)
    if (!current.ok) return current
    markHandedOut(context.store, withSentRequests(current.value.generation, sealed), now, 'fetched')
  }
  if (!document.request_fetched) await reportStep(context, { type: 'verification.request_fetched' })
  const jws = early ?? (await sign())
  const encryption = metadata?.encryption
  if (encryption === undefined || encryption === 'unsupported') return ok(jws)
  return ok(await encryptRequestObject(jws, encryption))
}

/** Signs the Request Object. */
async function signRequest(
  config: Config,
  { document, generation }: FoundRequest,
  terms: RequestTerms,
  { nonce, now }: Pick<RequestingWallet, 'nonce'> & { readonly now: number },
): Promise<string> {
  const identity = await openVerifier(config, terms)
  if (identity === null) throw new Error('a request by value cannot be fetched') // `findRequest` refuses it
  const opened = await openGeneration(document, generation)
  const claims = requestClaims(terms, opened, nonce ?? undefined, { baseUrl: config.baseUrl, now })
  return signRequestObject(claims, identity)
}

/**
 * Stores that a generation was handed out. The first fetch and the first view are each written at once. A
 * repeated fetch or view changes memory only.
 */
export function markHandedOut(
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
  else if (how === 'viewed') store.commit(changed)
  else {
    const seen = { ...changed, version: document.version + 1 }
    const { channel, wallet } = generation
    const step = { type: 'request_fetched', channel, ...(wallet && { wallet }) } as const
    const fetched = addStep(addActivity(seen, { kind: 'request_fetched' }, now), step, now)
    store.commit(fetched)
  }
}

type FoundRequest = { readonly document: SessionDocument; readonly generation: StoredGeneration }

async function findRequest(
  context: SessionContext,
  requestId: string,
  now: number,
): Promise<Result<FoundRequest, RequestRefusal>> {
  const before = context.store.session()
  if (before === undefined) return err('session_not_found')
  const number = await readHandle(requireHandleKey(before), 'request', requestId)
  if (number === undefined) return err('unknown_request')
  // A request of a deleted relying party is refused. If the settings are only unavailable, the request is
  // sent.
  const settings = await loadSettings(context.env, before.relying_party_id, now)
  if (!settings.ok && settings.error === 'not_found') return err('session_not_found')
  const document = context.store.session() // read again, because it may have changed
  if (document?.status !== 'pending' || now >= document.expires_at) return err('request_over')
  const generation = aliveGenerations(document.generations, now).find((alive) => alive.number === number)
  if (generation === undefined || generation.channel === 'dc_api') return err('request_over')
  const isPassed = passesByValue(buildTerms(document, generation))
  return isPassed ? err('unknown_request') : ok({ document, generation })
}

function toShown(terms: RequestTerms) {
  return { ...requireRequestOptions(terms), query: terms.query }
}
