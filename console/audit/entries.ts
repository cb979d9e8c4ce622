// Entries of the audit log as texts, and as rows of a file.

import type { AuditPage } from '../../packages/client/src/wire.ts'

export type AuditEntry = AuditPage['entries'][number]

/** Every action that the console has a text for, in the order of the filter. */
export const ACTIONS = [
  'settings.changed',
  'api_key.created',
  'api_key.deleted',
  'webhook.secret_rotated',
  'webhook.enabled',
  'webhook.tested',
  'webhook.redelivered',
  'oidc_client.created',
  'oidc_client.changed',
  'oidc_client.deleted',
  'oidc_client.secret_rotated',
  'console.signed_in',
  'console.sign_in_failed',
  'console.signed_out',
  'verification.canceled',
  'verification.erased',
  'verification.redelivered',
  'verification.outcome_set',
  'verification.evidence_erased',
  'relying_party.created',
] as const

/** Header of the file: members of the API. */
export const HEADER = [
  'number',
  'at',
  'action',
  'actor_kind',
  'actor_id',
  'actor_name',
  'actor_email',
  'target',
  'target_name',
  'members',
  'channel',
  'address',
]

/** Returns an entry as a row of the file. What is unknown is an empty cell. */
export function toRow({ actor, members, ...entry }: AuditEntry): readonly string[] {
  const { number, at, action, target, target_name, channel, address } = entry
  const who = [actor?.kind, actor?.id, actor?.name, actor?.email]
  const cells = [number, at, action, ...who, target, target_name, members.join(' '), channel, address]
  return cells.map((cell) => String(cell ?? ''))
}

/** Returns the name of an actor: the name, else the email or the id. An unnamed operator has none. */
export function nameOf(actor: AuditEntry['actor']): string | null {
  return actor && (actor.name ?? actor.email ?? actor.id)
}
