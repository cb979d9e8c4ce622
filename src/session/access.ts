// Access of a caller to a session. The route authenticates the caller. The session's object checks the
// access, because only the object has the current document.

import { timingSafeEqualText } from '../crypto/timing-safe.ts'
import type { SessionDocument } from './document/document.ts'

/**
 * Caller: the relying party of the session, or the holder of a client token. `createdAt`: creation time in
 * the client token (Unix milliseconds). `login`: digest of the browser's cookie. The client token of a login
 * is valid only in the browser that began the login, and only until the login is erased.
 */
export type SessionAccess =
  | { readonly relyingPartyId: string }
  | { readonly createdAt: number; readonly login?: string | undefined }

/** Returns true if the caller may access the session. */
export function mayAccess(by: SessionAccess, document: SessionDocument): boolean {
  if ('relyingPartyId' in by) return document.relying_party_id === by.relyingPartyId
  const { login, was_login = false } = document
  const isItsBrowser = login === undefined ? !was_login : timingSafeEqualText(login.browser, by.login ?? '')
  return document.created_at === by.createdAt && isItsBrowser
}

/**
 * Returns the address of a WebSocket to the session's object. The address contains the members of `by`, and
 * no token.
 */
export function watchAddress(by: SessionAccess): string {
  const members = Object.entries(by).filter(([, value]) => value !== undefined)
  return `https://session/watch?${new URLSearchParams(members.map(([name, value]) => [name, String(value)]))}`
}

/** Parses the caller from an address that `watchAddress` made. */
export function parseWatchAddress(address: string): SessionAccess {
  const { searchParams } = new URL(address)
  const relyingPartyId = searchParams.get('relyingPartyId')
  if (relyingPartyId !== null) return { relyingPartyId }
  return { createdAt: Number(searchParams.get('createdAt')), login: searchParams.get('login') ?? undefined }
}
