import { describe, expect, it } from 'vitest'
import { SESSION_BINDINGS, type SessionBinding } from '../../../src/api/values.ts'
import { type SessionDocument, toStage } from '../../../src/session/document/document.ts'
import type { StoredGeneration } from '../../../src/session/document/generations.ts'
import { CODE_MS, FINISH_MS, type LoginSuccess } from '../../../src/session/document/login.ts'
import { reaches } from '../../../src/session/document/outcome.ts'
import {
  browserMark,
  deriveResponseCode,
  deriveReturnCode,
  discardHeld,
  HOLD_MS,
  holdSuccess,
  isHeldTooLong,
  returnHeld,
} from '../../../src/session/end/binding.ts'
import { mayEnd } from '../../../src/session/end/end-session.ts'
import { nextWakeUp } from '../../../src/session/store/wake-up.ts'
import { PENDING } from '../recorded-sessions.ts'

const T0 = PENDING.created_at
const CODE = /^[A-Za-z0-9_-]{43}$/

const OUTCOME = {
  reason: null,
  checks: { age_over_18: true },
  assurance_level: 'substantial',
  derivation: [],
  credentials: [],
  channel: 'link',
  session_binding: 'none',
  trace: [],
  encrypted_claims: null,
  request_hash: null,
} as const

/** Returns a pending session with a QR code and the link of one browser. */
function session(changes: Partial<SessionDocument> = {}): SessionDocument {
  const [recorded] = PENDING.generations
  const qr = recorded && { ...recorded, handed_out_at: null, fetched: false }
  if (qr === undefined) throw new Error('no generation')
  const link: StoredGeneration = { ...qr, number: 2, channel: 'link', browser: 'mark', fetched: true }
  return { ...PENDING, request_fetched: false, generations: [qr, link], ...changes }
}

function success(document: SessionDocument, changes: Partial<StoredGeneration> = {}) {
  const generation = document.generations[1]
  if (generation === undefined) throw new Error('no link')
  return { winner: 'digest', generation: { ...generation, ...changes }, outcome: OUTCOME }
}

function held(now = T0): SessionDocument {
  const document = session()
  const holding = holdSuccess(document, success(document), now)
  if (holding === undefined) throw new Error('not held')
  return holding
}

describe('a successful response that waits for its browser', () => {
  it('waits for five minutes, and the alarm is set to the end of this time', () => {
    const document = held()
    expect(document.held).toMatchObject({ winner: 'digest', browser: 'mark', until: T0 + HOLD_MS })
    expect([document.status, document.outcome, toStage(document)]).toEqual([
      'pending',
      null,
      'awaiting_return',
    ])
    expect(nextWakeUp(document, false)).toBe(T0 + HOLD_MS)
    expect(isHeldTooLong(document, T0 + HOLD_MS - 1)).toBe(false)
    expect(isHeldTooLong(document, T0 + HOLD_MS)).toBe(true)
  })

  it('waits at most until the session expires', () => {
    const document = held(session().expires_at - 1000)
    expect(document.held?.until).toBe(document.expires_at)
  })

  it('waits at most until 15 s after expires_at if it came from the Digital Credentials API', () => {
    const document = session()
    const { expires_at } = document
    const byPage = success(document, { channel: 'dc_api' })
    const holding = holdSuccess(document, byPage, expires_at + 5000)
    if (holding === undefined) throw new Error('not held')
    expect(isHeldTooLong(holding, expires_at + 10_000)).toBe(false)
    expect([nextWakeUp(holding, true), nextWakeUp(holding, false)]).toEqual(
      Array(2).fill(expires_at + 15_000),
    )
    expect(holdSuccess(document, byPage, T0)?.held?.until).toBe(T0 + HOLD_MS)
  })

  it('waits beyond expires_at in a login whose browser has returned, and the alarm is set to the end of the wait', () => {
    const now = session().expires_at - 1000
    const { held: before, ...document } = held(now)
    if (before === null) throw new Error('not held')
    const success = { failure: null, at: now } as LoginSuccess
    const until = now + FINISH_MS + CODE_MS
    const returned = { ...document, held: returnHeld({ ...before, login: success }) }
    expect(returned.held).toEqual({ ...before, login: success, until, returned: true })
    expect([nextWakeUp(returned, true), nextWakeUp(returned, false)]).toEqual([until, until])
    expect(isHeldTooLong(returned, until - 1)).toBe(false)
    expect(isHeldTooLong(returned, until)).toBe(true)
  })

  it('keeps its deadline after its browser has returned, if there is no login', () => {
    const { held: before } = held(session().expires_at - 1000)
    if (before === null) throw new Error('not held')
    expect(returnHeld(before)).toEqual({ ...before, returned: true })
  })

  it('is not stored if a different response already waits, the session has ended, or its request is invalid or not bound to a browser', () => {
    const document = session()
    const link = success(document)
    expect(holdSuccess(held(), { ...link, winner: 'other' }, T0)).toBeUndefined()
    expect(holdSuccess({ ...document, status: 'canceled' }, link, T0)).toBeUndefined()
    expect(holdSuccess({ ...document, generations: [] }, link, T0)).toBeUndefined()
    expect(holdSuccess(document, success(document, { browser: null }), T0)).toBeUndefined()
  })

  it('is recorded as an attempt when it is discarded, and only its own request becomes invalid', () => {
    const discarded = discardHeld(held(), T0 + 1000)
    expect(discarded.held).toBeNull()
    expect(discarded.generations.map(({ number }) => number)).toEqual([1])
    expect(discarded.attempts.at(-1)).toEqual({
      at: T0 + 1000,
      reason: 'same_device_return_missing',
      channel: 'link',
    })
    expect(discarded.version).toBe(held().version + 1)
    expect(nextWakeUp(discarded, true)).toBe(discarded.expires_at)
  })

  it('is recorded with its channel when it is discarded', () => {
    const document = session()
    const outcome = { ...OUTCOME, channel: 'dc_api' } as const
    const holding = holdSuccess(document, { ...success(document, { channel: 'dc_api' }), outcome }, T0)
    if (holding === undefined) throw new Error('not held')
    expect(discardHeld(holding, T0).attempts.at(-1)?.channel).toBe('dc_api')
  })

  it('is discarded without making a replaced link valid again', () => {
    const document = held()
    const stale = { ...success(document).generation, number: 1.5, fetched: false, superseded_at: T0 - 60_000 }
    const discarded = discardHeld({ ...document, generations: [...document.generations, stale] }, T0)
    expect(discarded.generations.map(({ number }) => number)).toEqual([1])
  })
})

describe('the end of a session', () => {
  const ending = (status: 'verified' | 'rejected' | 'declined', winner: string) => ({
    status,
    outcome: OUTCOME,
    winner,
  })

  it('is caused only by expiry, cancellation or the waiting response, while a response waits for its browser', () => {
    expect(mayEnd(held(), ending('verified', 'digest'))).toBe(true)
    for (const status of ['verified', 'rejected', 'declined'] as const) {
      expect(mayEnd(held(), ending(status, 'other'))).toBe(false)
    }
    for (const status of ['expired', 'canceled'] as const) {
      expect(mayEnd(held(), { status, outcome: OUTCOME, winner: null })).toBe(true)
    }
  })

  it('is refused for a successful response whose binding is weaker than required', () => {
    for (const required of SESSION_BINDINGS) {
      const { request } = session()
      const document = session({ request: { ...request, required_session_binding: required } })
      const mayBe = SESSION_BINDINGS.filter((session_binding) =>
        mayEnd(document, { ...ending('verified', 'a'), outcome: { ...OUTCOME, session_binding } }),
      )
      expect(mayBe).toEqual(SESSION_BINDINGS.slice(SESSION_BINDINGS.indexOf(required)))
      expect(mayEnd(document, ending('rejected', 'a'))).toBe(true)
    }
  })

  it.each<[SessionBinding | null, SessionBinding, boolean]>([
    [null, 'none', true],
    [null, 'page', false],
    ['none', 'page', false],
    ['page', 'page', true],
    ['page', 'relying_party', false],
    ['relying_party', 'page', true],
  ])(
    'for the binding %s and the required binding %s, the function reaches returns %s',
    (shown, required, expected) => {
      expect(reaches(shown, required)).toBe(expected)
    },
  )
})

describe('return codes and browser marks', () => {
  it('differ by purpose, response and session, and the same input always gives the same value', async () => {
    const one = session()
    const other = session({
      handle_key: one.handle_key.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    })
    const made = await Promise.all(
      [one, other].flatMap((document) =>
        ['a', 'b'].flatMap((text) => [
          deriveResponseCode(document, text),
          deriveReturnCode(document, text),
          browserMark(document, text),
        ]),
      ),
    )
    expect(new Set(made).size).toBe(12)
    for (const text of made) expect(text).toMatch(CODE)
    expect(await deriveResponseCode(one, 'a')).toBe(made[0])
  })
})
