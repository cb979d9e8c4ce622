// A receiver that fails a third of the time: six of ten events are refused or broken off when they first come, and taken when
// they come again. Which, and who has to wait for an answer, is worked out from a seed and the session's number.

import { createHash } from 'node:crypto'
import { type ReceivedRequest, type ScriptedAnswer, startReceiver } from '../../support/service/receiver.ts'

/** One POST as it came, and what the receiver did with it. */
export type Receipt = {
  readonly verificationId: string
  readonly eventId: string
  readonly event: Readonly<Record<string, unknown>>
  readonly digest: string
  readonly accepted: boolean
  /** When it was or will be answered, Unix milliseconds. */
  readonly answeredAt: number
}

export type FailingReceiver = {
  readonly url: string
  readonly receipts: readonly Receipt[]
  /** POSTs that are being answered now. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

const TAKEN = 204
const REFUSED = 500
const LONGEST_WAIT_MS = 2_500

// An event that could not be sent at first must not be refused as well: after three failures it would come in ten minutes only.
const REFUSED_WITHIN_MS = 20_000

/** Starts it. Sessions carry their number as `metadata.number`. */
export async function startFailingReceiver(seed: number): Promise<FailingReceiver> {
  const receiver = await startReceiver()
  const receipts: Receipt[] = []
  const seen = new Set<string>()
  receiver.answer((request) => {
    const event = JSON.parse(request.body.toString()) as Receipt['event']
    const eventId = String(event.event_id)
    const answer = answerTo(event, seed, !seen.has(eventId))
    seen.add(eventId)
    receipts.push(receiptOf(request, event, answer))
    return answer
  })
  return {
    url: receiver.url,
    receipts,
    open: () => receipts.filter(({ answeredAt }) => answeredAt > Date.now()).length,
    close: receiver.close,
  }
}

function answerTo(event: Receipt['event'], seed: number, isFirst: boolean): ScriptedAnswer {
  const { number } = event.metadata as { number: string }
  const [fate = 0, wait = 0] = createHash('sha256').update(`${seed} ${number} ${isFirst}`).digest()
  const delayMs = wait < 64 ? (wait * LONGEST_WAIT_MS) / 64 : 0
  const isFresh = Date.now() - Date.parse(String(event.created_at)) < REFUSED_WITHIN_MS
  if (!isFirst || !isFresh || fate >= 154) return { status: TAKEN, delayMs }
  return fate < 77 ? { status: REFUSED, delayMs } : { act: 'reset', delayMs }
}

function receiptOf(
  { body, at }: ReceivedRequest,
  event: Receipt['event'],
  { status, delayMs = 0 }: ScriptedAnswer,
): Receipt {
  return {
    verificationId: String(event.verification_id),
    eventId: String(event.event_id),
    event,
    digest: createHash('sha256').update(body).digest('hex'),
    accepted: status === TAKEN,
    answeredAt: at + delayMs,
  }
}
