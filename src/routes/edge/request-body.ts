// Reads request bodies. Each body has a limit of bytes and of time. All bodies together have a limit of their
// number and of their bytes. So slow or large bodies can neither use all connections nor fill the memory.

import { REQUEST_BODY } from '../../limits.ts'
import { readAtMost } from '../../net/bounded-read.ts'
import { withTimeLimit } from '../../net/time-limit.ts'
import { err, ok, type Result } from '../../result.ts'

/** Reasons for which a body is not read. `overloaded`: too many bodies are being read now. */
export type BodyError = 'too_large' | 'unreadable' | 'request_timeout' | 'overloaded'

/**
 * Senders of bodies. Each kind has its own limit, so bodies of unknown senders do not block bodies of
 * authenticated callers.
 */
export type Sender = 'anyone' | 'authenticated'

/**
 * Reads a body of at most `limit` bytes. The read stops at the first chunk beyond the limit. Reads nothing if
 * the declared length is too large, or if too many bodies are being read.
 */
export async function readBody(
  request: Request,
  limit: number,
  sender: Sender,
): Promise<Result<Uint8Array<ArrayBuffer>, BodyError>> {
  if (request.body === null) return ok(new Uint8Array())
  const declared = request.headers.get('Content-Length')
  if (Number(declared ?? 0) > limit) return err('too_large')
  const reserve = declared === null ? limit : Number(declared)
  const release = reservations[sender].take(Number.isNaN(reserve) ? limit : reserve, Date.now())
  if (release === undefined) return err('overloaded')
  // If the caller disconnects, the platform stops the handler, and `finally` does not run. So the event
  // `abort` also releases the space that was reserved for the body.
  request.signal.addEventListener('abort', release, { once: true })
  try {
    const body = await readInTime(request, limit)
    return body === undefined ? err('too_large') : ok(body)
  } catch (error) {
    return err(error instanceof LateError ? 'request_timeout' : 'unreadable') // also if the sender has gone
  } finally {
    request.signal.removeEventListener('abort', release)
    release()
  }
}

/** Space for bodies that are being read. */
export type Reservations = {
  /**
   * Reserves space. Returns the function that gives the space back, or `undefined` if there is not enough
   * space.
   */
  take(bytes: number, now: number): (() => void) | undefined
}

/**
 * Creates space for this number of bodies and bytes. A reservation expires soon after the time limit of a
 * read, because a read whose handler was stopped cannot give the space back.
 */
export function createReservations(limits: {
  readonly bodies: number
  readonly bytes: number
}): Reservations {
  const open = new Set<{ readonly bytes: number; readonly until: number }>()
  let total = 0
  const drop = (reservation: { readonly bytes: number; readonly until: number }) => {
    if (open.delete(reservation)) total -= reservation.bytes
  }
  return {
    take(bytes, now) {
      for (const oldest of open) {
        if (oldest.until > now) break // a Set keeps the order of insertion
        drop(oldest)
      }
      if (open.size >= limits.bodies || total + bytes > limits.bytes) return undefined
      const reservation = { bytes, until: now + REQUEST_BODY.milliseconds + MARGIN_MS }
      open.add(reservation)
      total += bytes
      return () => drop(reservation)
    },
  }
}

const MARGIN_MS = 1_000

const reservations: Readonly<Record<Sender, Reservations>> = {
  anyone: createReservations(REQUEST_BODY.anyone),
  authenticated: createReservations(REQUEST_BODY.authenticated),
}

class LateError extends Error {}

/**
 * Reads a body; `undefined` if it is longer than `limit`. Throws a `LateError` if the body does not end in
 * time.
 */
function readInTime(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return withTimeLimit(REQUEST_BODY.milliseconds, (signal) => {
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new LateError()), { once: true })
    })
    return Promise.race([readAtMost(request, limit, signal), late])
  })
}
