// Steps of a session, for the timeline of its relying party (api/lists). They are written with the change
// that they name, and hold no claim value, nonce or token. Equal neighbours are counted.

import type { Channel } from './generations.ts'
import type { ReasonCode } from './reasons.ts'

/** One step that is stored. Creation, end and webhook attempts are elsewhere in the document. */
export type Step =
  | { readonly type: 'request_drawn'; readonly channel: Channel; readonly wallet?: string }
  | { readonly type: 'request_fetched'; readonly channel: Channel; readonly wallet?: string }
  | {
      readonly type: 'response_refused'
      readonly reason: ReasonCode
      readonly channel: Channel | null
      /** Clause of the check that failed. Absent if no check of a credential did. */
      readonly clause?: string
    }
  | { readonly type: 'redeemed' }

/**
 * `at`: time of the first of equal neighbours. `last_at`: time of the last; absent for a single step. Unix
 * milliseconds.
 */
export type StoredStep = Step & { readonly at: number; readonly last_at?: number; readonly count?: number }

/** Members of an entry that has only its type and times. */
export const NO_MEMBERS = {
  count: 1,
  channel: null,
  wallet: null,
  status: null,
  reason: null,
  clause: null,
  delivery_id: null,
  http_status: null,
  error: null,
  duration_ms: null,
} as const

/** The members of the session's document. */
export type WithTimeline = { readonly timeline?: readonly StoredStep[]; readonly steps_left_out?: number }

/** Most stored steps. Beyond this number, middle steps are left out, but never the first fetch. */
const STEPS_KEPT = 40

/** Adds a step. */
export function addStep<T extends WithTimeline>(document: T, step: Step, at: number): T {
  const steps = document.timeline ?? []
  const last = steps.at(-1)
  const timeline =
    last !== undefined && isEqual(last, step)
      ? [...steps.slice(0, -1), { ...last, last_at: at, count: (last.count ?? 1) + 1 }]
      : [...steps, { ...step, at }]
  if (timeline.length <= STEPS_KEPT) return { ...document, timeline }
  const firstFetch = timeline.findIndex(({ type }) => type === 'request_fetched')
  const [leftOut] = timeline.splice(firstFetch === STEPS_KEPT / 2 ? firstFetch + 1 : STEPS_KEPT / 2, 1)
  const steps_left_out = (document.steps_left_out ?? 0) + (leftOut?.count ?? 1)
  return { ...document, timeline, steps_left_out }
}

/** Returns the time of the first step of a type; null without one. */
export function firstTime({ timeline = [] }: WithTimeline, type: Step['type']): number | null {
  return timeline.find((step) => step.type === type)?.at ?? null
}

function isEqual({ at: _, last_at: __, count: ___, ...before }: StoredStep, step: Step): boolean {
  const members = step as Readonly<Record<string, unknown>>
  const known = before as Readonly<Record<string, unknown>>
  const names = new Set([...Object.keys(members), ...Object.keys(known)])
  return [...names].every((name) => members[name] === known[name])
}
