// Routes of a relying party's event log (api/events). A reader gets each event of the last 30 days once, in
// the order of arrival. The log is read day by day. Members that only the session stores are added to each
// event.

import { Hono } from 'hono/tiny'
import { eventsQuery, NOT_A_CURSOR, redeliveryRange } from '../../api/requests.ts'
import type { RedeliveryPage } from '../../api/responses/verifications.ts'
import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { logLine } from '../../metrics/log-line.ts'
import { withDeadline } from '../../net/time-limit.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import type { RecordedEvent } from '../../relying-party/events/day-events.ts'
import { CLOCK_SKEW_MS, eventLogStub, oldestDay, toDay } from '../../relying-party/events/event-days.ts'
import { noteConsoleChange } from '../audit/origin.ts'
import { authenticate } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { memberProblem, problem } from '../edge/problems.ts'
import { readJson, readQuery } from '../edge/validate.ts'
import { type LogPosition, readCursor, writeCursor } from './event-cursor.ts'

/** Builds the routes `GET /v1/events` and `POST /v1/webhook/redeliver`. */
export function eventRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/v1/events', list).post('/v1/webhook/redeliver', redeliverRange)
}

/** Number of events of the log that one call reads. Their deliveries begin at the same time. */
const REDELIVERY_PAGE = 25
const REDELIVERY_BODY_BYTES = 1024

/**
 * Sends events of a time range again, if their delivery is `dead`. Each call handles one page of the event
 * log.
 */
async function redeliverRange(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'webhooks:manage')
  if (!caller.ok) return caller.error
  const body = await readJson(c, redeliveryRange, REDELIVERY_BODY_BYTES)
  if (!body.ok) return body.error
  const { relying_party_id, webhook } = caller.value.settings
  if (webhook === null) return problem(c, 'webhook_not_configured')
  const { after, ...range } = body.value
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)]
  const config = loadConfig(c.env)
  const start = { day: Math.max(0, toDay(from)), position: 0 }
  const cursor = after === undefined ? start : await readCursor(config, relying_party_id, after)
  if (cursor === undefined) return notACursor(c)
  const page = await collect(c.env, relying_party_id, { cursor, limit: REDELIVERY_PAGE, now: Date.now() })
  const begun = await Promise.all(
    page.recorded.map(({ body: event, event_id, verification_id }) => {
      const { created_at } = JSON.parse(event) as { created_at: string } // written by our own session
      const isWanted = Date.parse(created_at) >= from && Date.parse(created_at) <= to
      return isWanted ? sessionStub(c.env, verification_id)?.redeliverDead(relying_party_id, event_id) : 0
    }),
  )
  await noteConsoleChange(c, relying_party_id, { action: 'webhook.redelivered' })
  // An event may enter the log on the day after its creation, so the day after `to` is read, too.
  const isOver = !page.more || page.next.day > toDay(to) + 1
  const redelivered = begun.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  const next = await writeCursor(config, relying_party_id, page.next)
  const result: RedeliveryPage = { redelivered, next, has_more: !isOver }
  return c.json(result, 202, { 'Cache-Control': 'no-store' })
}

function notACursor(c: AppContext): Response {
  return memberProblem(c, { pointer: '/after', code: 'invalid_value', message: NOT_A_CURSOR })
}

async function list(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:read')
  if (!caller.ok) return caller.error
  const { relying_party_id } = caller.value.settings
  const query = readQuery(c, eventsQuery)
  if (!query.ok) return query.error
  const { after, limit } = query.value
  const config = loadConfig(c.env)
  const now = Date.now()
  if (after === 'latest') {
    const next = await writeCursor(config, relying_party_id, await endOfLog(c.env, relying_party_id, now))
    return c.json({ events: [], next, has_more: false }, 200, { 'Cache-Control': 'no-store' })
  }
  const cursor = after === '' ? START : await readCursor(config, relying_party_id, after)
  if (cursor === undefined) return notACursor(c)
  const { recorded, next, more } = await collect(c.env, relying_party_id, { cursor, limit, now })
  const events = await Promise.all(recorded.map((event) => complete(c.env, relying_party_id, event, now)))
  const page = { events, next: await writeCursor(config, relying_party_id, next), has_more: more }
  return c.json(page, 200, { 'Cache-Control': 'no-store' })
}

/** A position before every stored day. */
const START: LogPosition = { day: 0, position: 0 }

/**
 * Returns the position after the last event of the current day. Shortly after midnight, returns the position
 * in the previous day instead. A machine with a slow clock may still add events to that day, and the reader
 * must get them.
 */
async function endOfLog(env: Env, relyingPartyId: string, now: number): Promise<LogPosition> {
  const day = toDay(now - 2 * CLOCK_SKEW_MS)
  return { day, position: await eventLogStub(env, relyingPartyId, day).end() }
}

/**
 * Reads from the cursor, day by day. Stops at a day that is still open, because this day may get another
 * event.
 */
async function collect(
  env: Env,
  relyingPartyId: string,
  { cursor, limit, now }: { readonly cursor: LogPosition; readonly limit: number; readonly now: number },
) {
  const recorded: RecordedEvent[] = []
  const oldest = oldestDay(now)
  let next = cursor.day < oldest ? { day: oldest, position: 0 } : cursor
  for (;;) {
    const log = eventLogStub(env, relyingPartyId, next.day)
    const page = await log.read(next.day, next.position, limit - recorded.length)
    recorded.push(...page.events)
    next = { ...next, position: page.events.at(-1)?.position ?? next.position }
    if (page.more || !page.closed) return { recorded, next, more: page.more }
    next = { day: next.day + 1, position: 0 }
  }
}

/**
 * Returns the event as the webhook sends it, if its session still exists. Otherwise returns the event as the
 * log has it. If the session cannot be read in time, the event gets `metadata: null`, so that other events
 * are not delayed. A reader can recognize this, because no session has `metadata: null`.
 */
async function complete(
  env: Env,
  relyingPartyId: string,
  { body, verification_id, session_until }: RecordedEvent,
  now: number,
): Promise<object> {
  const event = JSON.parse(body) as { created_at: string } // written by our own session
  const session = now < session_until ? sessionStub(env, verification_id) : undefined
  if (session === undefined) return event
  try {
    const members = session.readPersonalMembers(relyingPartyId, event.created_at)
    return { ...event, ...(await withDeadline(members, MEMBERS_MS, UNREADABLE)) }
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    logLine('error', 'event_members_unreadable', { error: name })
    return { ...event, ...UNREADABLE }
  }
}

/** Time limit for the members that one session adds. */
const MEMBERS_MS = 5_000

const UNREADABLE = { metadata: null }
