// Terms of one request (api/wallets): the session's terms for any wallet, or terms that were adapted
// (lowered) to a chosen wallet. A request is built, and its response verified, with the same terms. The
// decision about a response depends only on the policy of the session.

import type { DcqlQuery } from '../../openid4vp/dcql/query.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { queryLanguage } from '../../openid4vp/protocols/protocol.ts'
import type { QueryLanguage } from '../../openid4vp/request/generation.ts'
import type { SessionDocument } from '../document/document.ts'
import type { Channel, StoredGeneration } from '../document/generations.ts'
import type { StoredRequest } from '../document/stored-request.ts'
import { passesByValue, type StoredVerifier, type StoredWallet } from '../document/stored-verifier.ts'

/** Terms of one request. */
export type RequestTerms = Pick<
  SessionDocument,
  'verification_id' | 'livemode' | 'created_at' | 'expires_at' | 'verifier'
> & {
  readonly request: Pick<StoredRequest, 'protocol' | 'request_options' | 'transaction_data'>
  readonly query: DcqlQuery
  readonly language: QueryLanguage
  /** The chosen wallet; null for any wallet. */
  readonly wallet: StoredWallet | null
}

/**
 * Returns the terms of a generation. In the channel `by_value` (responses to the relying party's view) these
 * are the terms for any wallet, even if a wallet was chosen.
 */
export function buildTerms(
  document: SessionDocument,
  { channel, wallet: id }: Pick<StoredGeneration, 'channel'> & { readonly wallet?: string | undefined },
): RequestTerms {
  if (id === undefined || channel === 'by_value') return sessionTerms(document)
  const wallet = document.wallets?.find((stored) => stored.id === id)
  if (wallet === undefined) throw new Error('the session has no terms for the wallet of this request')
  return walletTerms(document, wallet)
}

/**
 * Returns the channel of a response as results report it. An unsigned request has the channel `by_value`,
 * except in the Digital Credentials API, which also binds an unsigned request to the page.
 */
export function readChannel(document: SessionDocument, generation: StoredGeneration): Channel {
  if (generation.channel === 'dc_api') return 'dc_api'
  return passesByValue(buildTerms(document, generation)) ? 'by_value' : generation.channel
}

/** Returns the terms for any wallet. */
export function sessionTerms(document: SessionDocument): RequestTerms {
  const { verification_id, livemode, created_at, expires_at, verifier, request, policy } = document
  const language = queryLanguage(PROTOCOLS[request.protocol], policy)
  const { query } = policy
  const session = { verification_id, livemode, created_at, expires_at, verifier }
  return { ...session, request, query, language, wallet: null }
}

/** Returns the terms for a chosen wallet. */
export function walletTerms(document: SessionDocument, wallet: StoredWallet): RequestTerms {
  const terms = sessionTerms(document)
  const { query, request_options } = wallet
  const request = { ...terms.request, request_options }
  return { ...terms, verifier: chooseVerifier(document, wallet), request, query, wallet }
}

/**
 * Returns the verifier identity in requests for a chosen wallet. If several wallets have the same identity,
 * it is stored once, because an identity with its registration has up to 90 KB.
 */
function chooseVerifier(document: SessionDocument, wallet: StoredWallet | undefined): StoredVerifier {
  const { verifier } = wallet ?? document
  if (verifier === undefined) return document.verifier
  if (!('of' in verifier)) return verifier
  return chooseVerifier(
    document,
    document.wallets?.find(({ id }) => id === verifier.of),
  )
}

/** Returns the wallet that the create request chose; null for any wallet. */
export function chosenWallet({ request, wallets }: SessionDocument): StoredWallet | null {
  return wallets?.find(({ id }) => id === request.wallet) ?? null
}

/** Adds a chosen wallet to the document. If the wallet was chosen before, its earlier terms stay. */
export function withWallet(document: SessionDocument, wallet: StoredWallet | null): SessionDocument {
  const { wallets = [] } = document
  if (wallet === null || wallets.some(({ id }) => id === wallet.id)) return document
  return { ...document, wallets: [...wallets, wallet] }
}
