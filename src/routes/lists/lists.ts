// Lists of a relying party's verifications (api/lists). Days are read one by one, newest first. A page
// without a filter reads one entry more than it returns, to find out if there is a next page.

import { Hono } from 'hono/tiny'
import { listQuery, NOT_A_CURSOR } from '../../api/requests.ts'
import type { VerificationPage } from '../../api/responses/lists.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { toDay } from '../../relying-party/events/event-days.ts'
import { callDay } from '../../relying-party/index/damaged-days.ts'
import type { EntryFilter } from '../../relying-party/index/entry-filter.ts'
import { type ListedDay, listStub, unlistedAt } from '../../relying-party/index/index-days.ts'
import { type IndexEntry, readWebhookState } from '../../relying-party/index/index-entry.ts'
import type { EntryPosition } from '../../relying-party/index/stored-entry.ts'
import { describeReason, REASONS, type ReasonCode } from '../../session/document/reasons.ts'
import { authenticate } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { memberProblem, problem } from '../edge/problems.ts'
import { readQuery } from '../edge/validate.ts'
import { listAudit } from './audit.ts'
import { readInsights } from './insights.ts'
import {
  cursorContext,
  isUnfiltered,
  leftOut,
  parseFilter,
  readListCursor,
  writeListCursor,
} from './list-query.ts'
import { withStages } from './pending-stages.ts'
import { listWallets } from './wallets.ts'

/** Builds the routes `GET /v1/verify`, `GET /v1/insights`, `GET /v1/wallets` and `GET /v1/audit`. */
export function listRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/v1/verify', list)
    .get('/v1/insights', readInsights)
    .get('/v1/wallets', listWallets)
    .get('/v1/audit', listAudit)
}

/** Largest number of entries that a page with a filter reads. */
const SCANNED = 5_000

async function list(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:read')
  if (!caller.ok) return caller.error
  const query = readQuery(c, listQuery)
  if (!query.ok) return query.error
  const { relying_party_id, index } = caller.value.settings
  if (index === false) return problem(c, 'index_disabled')
  const { after, limit, reason = null } = query.value
  if (reason !== null && !Object.hasOwn(REASONS, reason)) {
    const message = 'must be the code of a reason, as untrusted_issuer'
    return memberProblem(c, { pointer: '/reason', code: 'invalid_value', message })
  }
  const config = loadConfig(c.env)
  const context = cursorContext(relying_party_id, query.value)
  const { filter, before } = parseFilter(query.value)
  const cursor = after === undefined ? before : await readListCursor(config, context, after)
  if (cursor === undefined)
    return memberProblem(c, { pointer: '/after', code: 'invalid_value', message: NOT_A_CURSOR })
  const page = await collect(c.env, relying_party_id, { before: cursor, limit, filter, now: Date.now() })
  const next = page.more && page.last !== null ? await writeListCursor(config, context, page.last) : null
  const entries = await withStages(c.env, relying_party_id, page.found)
  const verifications = entries.map((entry) => listed(entry, config.baseUrl))
  const body: VerificationPage = { verifications, next, has_more: page.more, ...leftOut(page.incomplete) }
  return c.json(body, 200, { 'Cache-Control': 'no-store' })
}

type PageQuery = {
  readonly before: EntryPosition | null
  readonly limit: number
  readonly filter: EntryFilter
  readonly now: number
}

type Listed = VerificationPage['verifications'][number]
type Status = Listed['status']
type Stage = Listed['stage']

/**
 * Reads days from the newest on, until the page is full or enough entries were read. `incomplete`: damaged
 * days, which are left out.
 */
async function collect(env: Env, relyingPartyId: string, { before, limit, filter, now }: PageQuery) {
  const days = (await relyingPartyStub(env, relyingPartyId)?.listedDays()) ?? []
  const newest = before === null ? Infinity : toDay(before.created_at)
  const oldest = toDay(filter.created_after ?? 0)
  const isRead = ({ day }: ListedDay) => day <= newest && day >= oldest && unlistedAt(day) > now
  const readable = days.filter(isRead).toReversed()
  let left = isUnfiltered(filter) ? limit + 1 : SCANNED
  const found: IndexEntry[] = []
  const incomplete: number[] = []
  let last: EntryPosition | null = before
  for (const [number, listedDay] of readable.entries()) {
    const { day } = listedDay
    const query = { limit: limit - found.length, scan: left, filter, now }
    const from = day === newest ? before : null
    const stub = listStub(env, relyingPartyId, listedDay)
    const read = await callDay(stub, 'read', () => stub.page(from, query))
    if (!read.ok) {
      incomplete.push(day)
      continue
    }
    const page = read.value
    found.push(...page.found.map(({ entry }) => entry))
    last = page.last ?? last
    left -= page.scanned
    const isFull = found.length === limit || left <= 0
    if (page.more || isFull)
      return { found, last, incomplete, more: page.more || number + 1 < readable.length }
  }
  return { found, last, incomplete, more: false }
}

function listed(entry: IndexEntry, baseUrl: string): Listed {
  const { verification_id, status, stage, credential_types, attempt_count, metadata, livemode } = entry
  const describe = (code: string | null) =>
    code === null ? null : describeReason(code as ReasonCode, baseUrl)
  return {
    verification_id,
    // A session wrote these values, so they are not checked.
    status: status as Status,
    stage: stage as Stage,
    created_at: isoTime(entry.created_at),
    ended_at: isoTimeOrNull(entry.ended_at),
    expires_at: isoTime(entry.expires_at),
    credential_types,
    reason: describe(entry.reason),
    attempt_count,
    last_attempt_reason: describe(entry.attempts?.last_reason ?? null),
    webhook_state: readWebhookState(entry),
    metadata,
    livemode,
  }
}
