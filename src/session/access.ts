// By what a caller opens a session, checked by the object itself: what the edge knows of the caller is from before its call.

import type { SessionDocument } from './document.ts'

/** As the relying party whose it is, or with a client token for the session that began then (Unix milliseconds). */
export type SessionAccess = { readonly relyingPartyId: string } | { readonly createdAt: number }

/** Tells whether this session is the caller's. */
export function mayAccess(by: SessionAccess, document: SessionDocument): boolean {
  return 'createdAt' in by
    ? document.created_at === by.createdAt
    : document.relying_party_id === by.relyingPartyId
}

/** Where the edge asks a session's object for a socket. A request of our own: the object has no use for the caller's token. */
export function watchAddress(by: SessionAccess): string {
  const [[name, value] = ['', '']] = Object.entries(by)
  return `https://session/watch?${name}=${encodeURIComponent(value)}`
}

/** The caller in a `watchAddress`. */
export function parseWatchAddress(address: string): SessionAccess {
  const { searchParams } = new URL(address)
  const relyingPartyId = searchParams.get('relyingPartyId')
  return relyingPartyId === null ? { createdAt: Number(searchParams.get('createdAt')) } : { relyingPartyId }
}
