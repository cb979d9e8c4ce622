// Records the metric of an evaluated response. This does not affect the evaluation.

import { record } from '../../metrics/record.ts'
import type { SessionDocument } from '../document/document.ts'
import type { ReasonCode } from '../document/reasons.ts'
import { readChannel } from '../request/terms.ts'
import { toMode } from '../store/measures.ts'
import { noteRefusal } from '../store/refusals-by-time.ts'
import type { Evaluation } from './evaluate-response.ts'

/**
 * Records an evaluation that took `ms`. The label `decided` means an authentic response, verified or
 * rejected.
 */
export function recordEvaluation(document: SessionDocument, evaluation: Evaluation, ms: number): void {
  const labels = {
    verdict: evaluation.kind,
    reason: chooseReason(evaluation),
    protocol: document.request.protocol,
    channel: evaluation.generation && readChannel(document, evaluation.generation),
    mode: toMode(document),
  }
  record('answers', labels, { ms })
  if (labels.reason !== null) noteRefusal(labels.reason, Date.now())
}

function chooseReason(evaluation: Evaluation): ReasonCode | null {
  if (evaluation.kind === 'refused') return evaluation.reason
  return evaluation.kind === 'decided' ? evaluation.decision.reason : null
}
