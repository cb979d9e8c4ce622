// Origin of a call, for the audit log: who made it, by which channel, and from which address.

import { loadConfig } from '../../config.ts'
import type { Origin } from '../../relying-party/audit/actor.ts'
import type { AuditEvent } from '../../relying-party/audit/audit-log.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import { findConsoleCall } from '../../relying-party/people/console-calls.ts'
import { logError } from '../../session/store/background.ts'
import type { AppContext } from '../edge/context.ts'
import { clientAddress } from '../edge/rate-limit.ts'

/** Returns true if the console makes this call. */
export function isConsoleCall(c: AppContext): boolean {
  return findConsoleCall(c.req.raw) !== undefined
}

/**
 * Returns the origin of a call whose caller was authenticated. Throws if the caller was not authenticated.
 */
export function readOrigin(c: AppContext): Origin {
  const caller = c.get('caller')
  if (caller === undefined) throw new Error('a change without an authenticated caller')
  const call = findConsoleCall(c.req.raw)
  if (call !== undefined) return { actor: caller.actor, channel: 'console', address: call.address }
  const channel = caller.relyingPartyId === undefined ? 'admin' : 'api'
  return { actor: caller.actor, channel, address: readAddress(c) }
}

/** Returns the origin of a sign-in or sign-out. `actor`: null if no identity was proven. */
export function consoleOrigin(c: AppContext, actor: Origin['actor']): Origin {
  return { actor, channel: 'console', address: readAddress(c) }
}

/**
 * Appends an audit entry if the console made this call. Do not use it for a change of settings, whose entry
 * is stored together with the change. The change is already made, so an entry that cannot be stored is only
 * logged.
 */
export async function noteConsoleChange(
  c: AppContext,
  relyingPartyId: string,
  event: AuditEvent,
): Promise<void> {
  if (!isConsoleCall(c)) return
  try {
    await relyingPartyStub(c.env, relyingPartyId)?.audit(readOrigin(c), event)
  } catch (error) {
    logError('audit_entry_lost', error)
  }
}

/** Returns the address of the caller; null if it is unknown. */
export function readAddress(c: AppContext): string | null {
  return clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader) ?? null
}
