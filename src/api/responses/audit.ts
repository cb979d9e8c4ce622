// Response of the audit log (api/audit), as a schema.

import * as z from 'zod/mini'
import { ACTOR_KINDS, CHANNELS } from '../../relying-party/audit/actor.ts'
import { AUDIT_ACTIONS } from '../../relying-party/audit/audit-log.ts'
import { list, maybe, time } from './parts.ts'

/** An entry. `id` of the actor: id of the API key, `sub` of the person, or null for the operator. */
const auditEntry = z.object({
  number: z.int(),
  at: time,
  action: z.enum(AUDIT_ACTIONS),
  actor: maybe(
    z.object({
      kind: z.enum(ACTOR_KINDS),
      id: maybe(z.string()),
      name: maybe(z.string()),
      email: maybe(z.string()),
    }),
  ),
  target: maybe(z.string()),
  target_name: maybe(z.string()),
  members: list(z.string()),
  channel: maybe(z.enum(CHANNELS)),
  address: maybe(z.string()),
})

/** Response of `GET /v1/audit`. */
export const auditPage = z.object({
  entries: list(auditEntry),
  next: maybe(z.string()),
  has_more: z.boolean(),
  missing: maybe(z.object({ entries: z.int(), until: time })),
})

export type AuditPageView = z.infer<typeof auditPage>
