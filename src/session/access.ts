// Access of a caller to a session. The object checks it, because it may have changed since the edge did.

import type { SessionDocument } from './document.ts'

/** The relying party of the session, or a client token of a session created then (Unix milliseconds). */
export type SessionAccess = { readonly relyingPartyId: string } | { readonly createdAt: number }

/** Returns true if the session is the caller's. */
export function mayAccess(by: SessionAccess, document: SessionDocument): boolean {
  return 'createdAt' in by
    ? document.created_at === by.createdAt
    : document.relying_party_id === by.relyingPartyId
}

/** Returns the address for a socket of the session's object. It does not contain the token of the caller. */
export function watchAddress(by: SessionAccess): string {
  const [[name, value] = ['', '']] = Object.entries(by)
  return `https://session/watch?${name}=${encodeURIComponent(value)}`
}

/** Returns the caller in a `watchAddress`. */
export function parseWatchAddress(address: string): SessionAccess {
  const { searchParams } = new URL(address)
  const relyingPartyId = searchParams.get('relyingPartyId')
  return relyingPartyId === null ? { createdAt: Number(searchParams.get('createdAt')) } : { relyingPartyId }
}
