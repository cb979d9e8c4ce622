// Access of a caller to a session. The object checks the access again, because it may have changed since the
// edge's check.

import { timingSafeEqualText } from '../crypto/timing-safe.ts'
import type { SessionDocument } from './document/document.ts'

/**
 * A caller: the relying party of the session, or a client token with the creation time of its session (Unix
 * milliseconds). The client token of a login counts in the browser that began it, until the login is erased.
 * `login`: digest of that browser's cookie.
 */
export type SessionAccess =
  | { readonly relyingPartyId: string }
  | { readonly createdAt: number; readonly login?: string | undefined }

/** Returns true if the session belongs to the caller. */
export function mayAccess(by: SessionAccess, document: SessionDocument): boolean {
  if ('relyingPartyId' in by) return document.relying_party_id === by.relyingPartyId
  const { login, was_login = false } = document
  const isItsBrowser = login === undefined ? !was_login : timingSafeEqualText(login.browser, by.login ?? '')
  return document.created_at === by.createdAt && isItsBrowser
}

/** Returns the address for a socket of the session's object. It does not contain the token of the caller. */
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
