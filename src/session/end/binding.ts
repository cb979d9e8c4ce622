// Binding of a session to one browser (api/binding, OpenID4VP 1.0 §14.2). A success for one browser is held
// until that browser returns with the response code. The functions return a changed document and write
// nothing.

import { encodeBase64url } from '../../codec/base64url.ts'
import { concatBytes, utf8 } from '../../codec/bytes.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { addAttempt } from '../document/attempt.ts'
import type { SessionDocument } from '../document/document.ts'
import { aliveGenerations, type StoredGeneration } from '../document/generations.ts'
import { CODE_MS, FINISH_MS, type LoginResult } from '../document/login.ts'
import type { Held, Outcome } from '../document/outcome.ts'
import type { AttemptReason } from '../document/refusal-family.ts'
import { addActivity } from '../document/wallet-activity.ts'
import type { StoredEvidence } from '../evidence/stored-evidence.ts'
import { requireHandleKey } from '../request/generation-keys.ts'

/**
 * Time for which a success without a login waits for its browser to return. Also the lifetime of the code
 * that the browser then brings to the relying party.
 */
export const HOLD_MS = 5 * 60_000

/**
 * Time after `expires_at` for which a success can still be held. This applies only if our page received the
 * response from the Digital Credentials API. Our page then brings back the response code at once.
 */
const PAGE_RETURN_MS = 15_000

/** Bytes of the secret in a browser's cookie. */
export const BROWSER_SECRET_BYTES = 32

/**
 * Returns the stored mark of a browser, made from the browser's secret. The key of the session is used, so
 * that marks in two sessions cannot be linked.
 */
export function browserMark(document: SessionDocument, secret: string): Promise<string> {
  return derive(document, 'browser', secret)
}

/**
 * Returns the code that the wallet brings to the page. The code is derived from the response's digest, so an
 * identical retry gets the same code.
 */
export function deriveResponseCode(document: SessionDocument, winner: string): Promise<string> {
  return derive(document, 'response_code', winner)
}

/** Returns the code that the browser brings to the relying party. */
export function deriveReturnCode(document: SessionDocument, winner: string): Promise<string> {
  return derive(document, 'return_code', winner)
}

/**
 * Returns the document with the success held for its browser. Returns `undefined` if the session has ended,
 * another success is held, the generation is gone, or the generation is not for one browser.
 */
export function holdSuccess(
  document: SessionDocument,
  success: {
    readonly winner: string
    readonly generation: StoredGeneration
    readonly outcome: Outcome
    readonly login?: LoginResult | undefined
    readonly evidence?: StoredEvidence | undefined
  },
  now: number,
): SessionDocument | undefined {
  const { winner, outcome, generation, login, evidence } = success
  const { browser, number } = generation
  const isThere = document.generations.some((one) => one.number === number)
  if (document.status !== 'pending' || document.held !== null || browser === null || !isThere)
    return undefined
  // A login has a shorter limit: a browser that returns after `FINISH_MS` gets no code.
  const longest = document.login === undefined ? HOLD_MS : FINISH_MS
  const latest = document.expires_at + (generation.channel === 'dc_api' ? PAGE_RETURN_MS : 0)
  const until = Math.min(now + longest, latest)
  const held = {
    winner,
    generation: number,
    browser,
    outcome,
    until,
    returned: false,
    ...(login && { login }),
    ...(evidence && { evidence }),
  }
  return { ...document, held, version: document.version + 1 }
}

/** Returns true if the browser of a held success has not returned in time. */
export function isHeldTooLong({ held, status }: SessionDocument, now: number): boolean {
  return status === 'pending' && held !== null && held.until <= now
}

/**
 * Marks a held success whose browser has returned. A code for a login can be issued until `FINISH_MS` after
 * the success, and is then valid for `CODE_MS`. So a successful login stays held until the last possible code
 * has expired, even after `expires_at`.
 */
export function returnHeld(held: Held): Held {
  const { login } = held
  const until = login?.failure === null ? login.at + FINISH_MS + CODE_MS : held.until
  return { ...held, until, returned: true }
}

/**
 * Discards a held success. The session stays pending, and its other requests stay live. The request
 * (generation) that the success answered is dropped, so that the same presentation cannot be sent again. The
 * success is stored as a refused attempt.
 */
export function discardHeld(
  document: SessionDocument,
  now: number,
  reason: AttemptReason = 'same_device_return_missing',
): SessionDocument {
  const { held } = document
  if (held === null) return document
  const alive = aliveGenerations(document.generations, now)
  const waiting = {
    ...document,
    held: null,
    generations: alive.filter(({ number }) => number !== held.generation),
    version: document.version + 1,
  }
  const refused = addActivity(waiting, { kind: 'response_refused', reason }, now)
  return addAttempt(refused, { at: now, reason, channel: held.outcome.channel })
}

async function derive(document: SessionDocument, purpose: string, text: string): Promise<string> {
  const input = concatBytes(utf8(`${purpose}\0`), utf8(text))
  return encodeBase64url(await hmacSha256(requireHandleKey(document), input))
}
