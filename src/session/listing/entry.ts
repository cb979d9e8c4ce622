// Entry of a session as the list of its relying party has it (CONTRACT 13).

import type { IndexEntry, WebhookResult } from '../../relying-party/index/index-entry.ts'
import { isStepEvent } from '../../relying-party/settings/settings.ts'
import { protocolOf, type SessionDocument, stageOf } from '../document/document.ts'
import { firstTime } from '../document/timeline.ts'

/** Returns an entry as the index stores it. */
export function entryOf(document: SessionDocument, revision: number): IndexEntry {
  const { request, outcome, ended_at } = document
  return {
    verification_id: document.verification_id,
    revision,
    created_at: document.created_at,
    expires_at: document.expires_at,
    request_fetched_at: firstTime(document, 'request_fetched'),
    ended_at,
    status: document.status,
    stage: stageOf(document),
    credential_types: request.credential_types ?? [],
    reason: outcome?.reason ?? null,
    attempt_count: document.attempt_count,
    protocol: protocolOf(document),
    channel: outcome?.channel ?? null,
    metadata: request.metadata,
    metadata_until: (ended_at ?? document.expires_at) + document.retention_ms,
    webhook: webhookResult(document),
    livemode: document.livemode,
  }
}

/** Returns true for a document whose entry needs no new revision. Refused responses alone need none. */
export function hasSameEntry(before: SessionDocument, after: SessionDocument): boolean {
  return JSON.stringify(changesOf(before)) === JSON.stringify(changesOf(after))
}

/** Returns what a new revision reports. Other members change only with these. */
function changesOf(document: SessionDocument): readonly unknown[] {
  return [stageOf(document), document.status, webhookResult(document)]
}

function webhookResult({ deliveries }: SessionDocument): WebhookResult | null {
  const outcome = deliveries.find((delivery) => !isStepEvent(delivery))
  if (outcome === undefined || outcome.state === 'owed') return null
  const duration_ms = outcome.attempts.at(-1)?.duration_ms ?? 0
  return { delivered: outcome.state === 'delivered', attempts: outcome.attempts.length, duration_ms }
}
