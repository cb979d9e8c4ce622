// Builds the entry that the list of the relying party has for a session (api/lists).

import type { IndexEntry } from '../../relying-party/index/index-entry.ts'
import { readProtocol, type SessionDocument, toStage } from '../document/document.ts'
import { firstTime } from '../document/timeline.ts'
import { webhookResult } from '../store/changed-entry.ts'

/** Returns an entry as the index stores it. */
export function toEntry(document: SessionDocument, revision: number): IndexEntry {
  const { request, outcome, ended_at } = document
  return {
    verification_id: document.verification_id,
    revision,
    created_at: document.created_at,
    expires_at: document.expires_at,
    request_fetched_at: firstTime(document, 'request_fetched'),
    ended_at,
    status: document.status,
    stage: toStage(document),
    credential_types: request.credential_types ?? [],
    reason: outcome?.reason ?? null,
    attempt_count: document.attempt_count,
    ...refusedResponses(document),
    protocol: readProtocol(document),
    channel: outcome?.channel ?? null,
    metadata: request.metadata,
    metadata_until: (ended_at ?? document.expires_at) + document.retention_ms,
    webhook: webhookResult(document),
    livemode: document.livemode,
  }
}

/** Returns the last refused response, and the number of refusals by reason; no member without refusals. */
function refusedResponses({ attempts, timeline = [] }: SessionDocument): Pick<IndexEntry, 'attempts'> {
  const last = attempts.at(-1)
  if (last === undefined) return {}
  const reasons: Record<string, number> = {}
  for (const step of timeline) {
    if (step.type !== 'response_refused') continue
    reasons[step.reason] = (reasons[step.reason] ?? 0) + (step.count ?? 1)
  }
  return { attempts: { last_at: last.at, last_reason: last.reason, reasons } }
}
