// Audit log of a relying party (api/audit), newest first.

import { auditQuery, NOT_A_CURSOR } from '../../api/requests.ts'
import type { AuditPageView } from '../../api/responses/audit.ts'
import { isoTime } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import type { Actor } from '../../relying-party/audit/actor.ts'
import type { AuditEntry } from '../../relying-party/audit/audit-log.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { authenticate } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { memberProblem, problem } from '../edge/problems.ts'
import { readQuery } from '../edge/validate.ts'
import { cursorContext, readAuditCursor, writeAuditCursor } from './list-query.ts'

/** GET: sends a page of the log. */
export async function listAudit(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'settings:manage')
  if (!caller.ok) return caller.error
  const query = readQuery(c, auditQuery)
  if (!query.ok) return query.error
  const { relying_party_id } = caller.value.settings
  const { action, actor, created_after, created_before, limit, after } = query.value
  const config = loadConfig(c.env)
  const context = cursorContext(relying_party_id, query.value)
  const before = after === undefined ? null : await readAuditCursor(config, context, after)
  if (before === undefined)
    return memberProblem(c, { pointer: '/after', code: 'invalid_value', message: NOT_A_CURSOR })
  const filter = {
    ...(action !== undefined && { actions: [action].flat() }),
    ...(actor !== undefined && { actor }),
    ...(created_after !== undefined && { created_after: Date.parse(created_after) }),
    ...(created_before !== undefined && { created_before: Date.parse(created_before) }),
  }
  const page = await relyingPartyStub(c.env, relying_party_id)?.readAudit({ before, limit, filter })
  if (page === undefined) return problem(c, 'not_found')
  const last = page.more ? page.entries.at(-1) : undefined
  const { missing } = page
  const body: AuditPageView = {
    entries: page.entries.map(toWire),
    next: last === undefined ? null : await writeAuditCursor(config, context, last.number),
    has_more: page.more,
    missing: missing && { entries: missing.entries, until: isoTime(missing.until) },
  }
  return c.json(body, 200, { 'Cache-Control': 'no-store' })
}

function toWire({ at, actor, ...entry }: AuditEntry): AuditPageView['entries'][number] {
  const { number, action, target, target_name, members, channel, address } = entry
  const shown = { action, actor: actor && actorToWire(actor), target, target_name, members }
  return { number, at: isoTime(at), ...shown, channel, address }
}

function actorToWire(actor: Actor) {
  const { kind, name } = actor
  const id = kind === 'api_key' ? actor.key_id : kind === 'person' ? actor.subject : null
  return { kind, id, name, email: kind === 'person' ? actor.email : null }
}
