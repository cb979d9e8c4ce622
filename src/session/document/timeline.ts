// Steps of a session, for the timeline of its relying party (api/lists). A step is written together with the
// change that it describes. The step contains no claim value, nonce or token. Equal steps that follow one
// another are stored as one step with a count.

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
      /** Clause of the check that failed. Absent if no check of a credential failed. */
      readonly clause?: string
    }
  | { readonly type: 'redeemed' }

/**
 * One stored step, or several equal steps in a row. `at`: time of the first step. `last_at`: time of the last
 * step; absent for a single step. Times are Unix milliseconds.
 */
export type StoredStep = Step & { readonly at: number; readonly last_at?: number; readonly count?: number }

/** Default values of the members of a timeline entry. An entry overrides the members that it has. */
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

/** Members of the session's document that contain its steps. */
export type WithTimeline = { readonly timeline?: readonly StoredStep[]; readonly steps_left_out?: number }

/** Limit of stored steps. Beyond this limit, middle steps are removed, but never the first fetch. */
const STEPS_KEPT = 40

/** Adds a step. If the step equals the last step, only the last step's `count` and `last_at` change. */
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

/** Returns the time of the first step of a type; null if there is no such step. */
export function firstTime({ timeline = [] }: WithTimeline, type: Step['type']): number | null {
  return timeline.find((step) => step.type === type)?.at ?? null
}

function isEqual({ at: _, last_at: __, count: ___, ...before }: StoredStep, step: Step): boolean {
  const members = step as Readonly<Record<string, unknown>>
  const earlier = before as Readonly<Record<string, unknown>>
  const names = new Set([...Object.keys(members), ...Object.keys(earlier)])
  return [...names].every((name) => members[name] === earlier[name])
}
