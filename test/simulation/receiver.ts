// Receivers of webhooks. They fail in every way: refused and broken connections, statuses of all kinds,
// redirects, wishes to wait, bodies that stall, and no response at all.

import { Fault, type Faults } from './platform/faults.ts'
import { whenSent } from './platform/objects.ts'
import type { Random } from './platform/random.ts'
import { currentOwner, type Scheduler } from './platform/scheduler.ts'

/** A POST that left the service. */
export type Post = {
  readonly url: string
  readonly eventId: string
  readonly verificationId: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly step: number
  /** Status that the receiver sends; null for none. */
  readonly status: number | null
}

type Reaction = { readonly status: number | null; readonly delay: number; readonly stalls?: boolean } & {
  readonly headers?: Readonly<Record<string, string>>
}

const FAILURES = [
  'refused',
  'reset',
  'silent',
  'slow',
  'stalls',
  'status',
  'gone',
  'redirect',
  'later',
] as const

/** Makes the `fetch` of the service. */
export function openReceivers({
  scheduler,
  faults,
  random,
  posted,
}: {
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly random: Random
  readonly posted: (post: Post) => void
}) {
  return (url: string, init: RequestInit): Promise<unknown> => {
    const owner = currentOwner()
    const { signal, body, headers } = init
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      whenSent(owner, () => {
        if (signal?.aborted) return
        const { status, delay, stalls, headers: answered = {} } = reactionOf(random, faults)
        const text = String(body)
        const event = JSON.parse(text) as { event_id: string; verification_id: string }
        posted({
          url,
          eventId: event.event_id,
          verificationId: event.verification_id,
          body: text,
          headers: headers as Record<string, string>,
          step: scheduler.state.step,
          status,
        })
        if (delay === Number.POSITIVE_INFINITY) return
        scheduler.after(
          delay,
          () =>
            status === null
              ? reject(new Fault('the connection broke'))
              : resolve(responseOf({ status, headers: answered, stalls: stalls ?? false, signal })),
          owner,
        )
      })
    })
  }
}

function reactionOf(random: Random, faults: Faults): Reaction {
  const delay = random.chance(0.2) ? random.between(1, 3_000) : random.below(20)
  if (!faults.happens('badReceiver')) return { status: random.pick([200, 202, 204]), delay }
  const failure = random.pick(FAILURES)
  if (failure === 'refused' || failure === 'reset') return { status: null, delay }
  if (failure === 'silent') return { status: 200, delay: Number.POSITIVE_INFINITY }
  if (failure === 'slow') return { status: 200, delay: random.between(10_000, 20_000) }
  if (failure === 'stalls') return { status: 200, delay, stalls: true }
  if (failure === 'gone') return { status: random.chance(0.2) ? 410 : 404, delay }
  if (failure === 'redirect') return { status: random.pick([301, 304, 307]), delay }
  const status = random.pick([400, 429, 500, 503])
  if (failure === 'status') return { status, delay }
  return { status, delay, headers: { 'retry-after': String(random.pick([1, 30, 3_600, 999_999])) } }
}

/** The part of a `Response` that the delivery reads. */
function responseOf({
  status,
  headers,
  stalls,
  signal,
}: {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly stalls: boolean
  readonly signal: AbortSignal | null | undefined
}) {
  const reader = {
    read: () =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      }),
    cancel: () => Promise.resolve(),
  }
  const body = stalls ? { getReader: () => reader, cancel: () => Promise.resolve() } : null
  return { status, headers: new Headers({ ...headers }), body }
}
