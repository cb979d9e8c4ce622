// Is the wallet's person the one at our page (CONTRACT 5, OpenID4VP 1.0 §14.2)? Success by a `link` request is held until the
// browser that asked for the link comes back with the answer's response code. Pure: steps from one document to the next.

import { encodeBase64url } from '../../codec/base64url.ts'
import { concatBytes, utf8 } from '../../codec/bytes.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { noteAttempt, type Outcome, type SessionDocument } from '../document.ts'
import { handleKeyOf } from '../request/generation-keys.ts'
import { aliveGenerations, type StoredGeneration } from '../request/generations.ts'
import type { SessionBinding } from './session-binding.ts'

/** How long a success is held, and how long a return code lives. */
export const HOLD_MS = 5 * 60_000

/** Bytes of the secret in a browser's cookie. */
export const BROWSER_SECRET_BYTES = 32

/**
 * Who is known to be at the other end by now. `outcome` stays as the event told it: a return code that is redeemed later is
 * known to readers alone.
 */
export function bindingOf({ outcome, returned }: SessionDocument): SessionBinding | null {
  return returned?.redeemed ? 'relying_party' : (outcome?.session_binding ?? null)
}

/** What is stored of a browser's secret: keyed with the session's own key, so that two sessions' marks say nothing together. */
export function browserMark(document: SessionDocument, secret: string): Promise<string> {
  return derive(document, 'browser', secret)
}

/** What the wallet brings back to the page. Derived, so that an identical retry is answered alike with nothing stored. */
export function responseCodeOf(document: SessionDocument, answer: string): Promise<string> {
  return derive(document, 'response_code', answer)
}

/** What the browser brings back to the relying party. */
export function returnCodeOf(document: SessionDocument, answer: string): Promise<string> {
  return derive(document, 'return_code', answer)
}

/** Holds a success for its browser; `undefined` where another answer was heard, or its generation is gone. */
export function holdSuccess(
  document: SessionDocument,
  success: { readonly answer: string; readonly generation: StoredGeneration; readonly outcome: Outcome },
  now: number,
): SessionDocument | undefined {
  const { answer, outcome, generation } = success
  const { browser, number } = generation
  const isThere = document.generations.some((one) => one.number === number)
  if (document.status !== 'pending' || document.held !== null || browser === null || !isThere)
    return undefined
  const until = Math.min(now + HOLD_MS, document.expires_at)
  const held = { answer, generation: number, browser, outcome, until, returned: false }
  return { ...document, held, version: document.version + 1 }
}

/** Tells whether what is held waited too long. */
export function isHeldTooLong({ held, status }: SessionDocument, now: number): boolean {
  return status === 'pending' && held !== null && held.until <= now
}

/**
 * Drops what is held: the session waits again, and its other requests live on. The answered one is spent, or the same
 * presentation could be sent again.
 */
export function discardHeld(document: SessionDocument, now: number): SessionDocument {
  const { held } = document
  if (held === null) return document
  const alive = aliveGenerations(document.generations, now)
  const waiting = {
    ...document,
    held: null,
    generations: alive.filter(({ number }) => number !== held.generation),
    version: document.version + 1,
  }
  return noteAttempt(waiting, {
    at: now,
    reason: 'same_device_return_missing',
    channel: held.outcome.channel,
  })
}

async function derive(document: SessionDocument, purpose: string, text: string): Promise<string> {
  const input = concatBytes(utf8(`${purpose}\0`), utf8(text))
  return encodeBase64url(await hmacSha256(handleKeyOf(document), input))
}
