// A receiver that fails a third of the time. It refuses or breaks off six of ten events at the first attempt,
// and accepts them at the next. A seed and the session's number determine which, and the delay of the
// response.

import { createHash } from 'node:crypto'
import { type ReceivedRequest, type ScriptedResponse, startReceiver } from '../../support/service/receiver.ts'

/** One received POST, and the receiver's reaction. */
export type Receipt = {
  readonly verificationId: string
  readonly eventId: string
  readonly event: Readonly<Record<string, unknown>>
  readonly digest: string
  readonly accepted: boolean
  /** Time of the response in Unix milliseconds; may be in the future. */
  readonly respondedAt: number
}

export type FailingReceiver = {
  readonly url: string
  readonly receipts: readonly Receipt[]
  /** Number of POSTs without a complete response. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

const ACCEPTED = 204
const REFUSED = 500
const LONGEST_WAIT_MS = 2_500

// Time in which events are refused. A later event is accepted, since after three failures the next attempt
// would follow in ten minutes.
const REFUSED_WITHIN_MS = 20_000

/** Starts the receiver. Sessions carry their number as `metadata.number`. */
export async function startFailingReceiver(seed: number): Promise<FailingReceiver> {
  const receiver = await startReceiver()
  const receipts: Receipt[] = []
  const seen = new Set<string>()
  receiver.answer((request) => {
    const event = JSON.parse(request.body.toString()) as Receipt['event']
    const eventId = String(event.event_id)
    const answer = responseTo(event, seed, !seen.has(eventId))
    seen.add(eventId)
    receipts.push(receiptOf(request, event, answer))
    return answer
  })
  return {
    url: receiver.url,
    receipts,
    open: () => receipts.filter(({ respondedAt }) => respondedAt > Date.now()).length,
    close: receiver.close,
  }
}

function responseTo(event: Receipt['event'], seed: number, isFirst: boolean): ScriptedResponse {
  const { number } = event.metadata as { number: string }
  const [lot = 0, wait = 0] = createHash('sha256').update(`${seed} ${number} ${isFirst}`).digest()
  const delayMs = wait < 64 ? (wait * LONGEST_WAIT_MS) / 64 : 0
  const isFresh = Date.now() - Date.parse(String(event.created_at)) < REFUSED_WITHIN_MS
  if (!isFirst || !isFresh || lot >= 154) return { status: ACCEPTED, delayMs }
  return lot < 77 ? { status: REFUSED, delayMs } : { act: 'reset', delayMs }
}

function receiptOf(
  { body, at }: ReceivedRequest,
  event: Receipt['event'],
  { status, delayMs = 0 }: ScriptedResponse,
): Receipt {
  return {
    verificationId: String(event.verification_id),
    eventId: String(event.event_id),
    event,
    digest: createHash('sha256').update(body).digest('hex'),
    accepted: status === ACCEPTED,
    respondedAt: at + delayMs,
  }
}
