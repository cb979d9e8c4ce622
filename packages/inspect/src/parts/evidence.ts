// A container of evidence: every check of the offline verifier, what was asked and decided, and the files.

import { parseJson } from '../../../../src/codec/json.ts'
import { offeredIdentities } from '../../../evidence/src/multi-signed.ts'
import type { Check as EvidenceCheck } from '../../../evidence/src/report.ts'
import { LIMITS } from '../../../evidence/src/show.ts'
import { verifyContainer } from '../../../evidence/src/verify.ts'
import { UnreadableError } from '../../../evidence/src/zip-reader.ts'
import type { Context } from '../context.ts'
import { INPUT } from '../limits.ts'
import { type Check, check, type Part, part, row, UnreadableInputError } from '../report.ts'
import { jsonRows } from '../rows.ts'
import type { Bytes } from '../source.ts'

/** Returns the parts of a container. Throws `UnreadableInputError` if it is none. */
export async function evidenceParts(zip: Bytes, { now }: Context): Promise<readonly Part[]> {
  const { report, caseFile, decided } = await verifyContainer(zip, { at: now }).catch((error: unknown) => {
    throw error instanceof UnreadableError ? new UnreadableInputError(error.message) : error
  })
  const { index, files, decision, session } = caseFile
  const clause = 'docs/evidence-audit.md'
  const facts = [
    row('verification', index.verification_id),
    row('relying party', index.relying_party_id),
    row('mode', index.livemode ? 'live' : 'test'),
    row('requested', index.requested_at),
    row('received', index.received_at),
    row('decided', index.decided_at),
    ...offeredIdentities(caseFile).map((clientId) => row('offered identity', clientId)),
    row('result of the checks', report.result),
    ...LIMITS.map((limit) => row('limit', limit)),
  ]
  const claims = decided?.presentations.map(({ queryId, credential }) =>
    part(`disclosed: ${queryId}`, 'OpenID4VP 1.0 8.6', jsonRows(credential.claims)),
  )
  return [
    part('evidence', clause, facts, report.checks.map(toCheck)),
    part('decision', clause, jsonRows(jsonOf(decision.decision))),
    ...(claims ?? []),
    part('request', clause, jsonRows(jsonOf(session))),
    part(
      'files',
      clause,
      [...files].map(([name, bytes]) => row(name, `${bytes.length} bytes`)),
    ),
  ]
}

function jsonOf(value: object) {
  const parsed = parseJson(JSON.stringify(value), INPUT.json)
  return parsed.ok ? parsed.value : null
}

const RESULTS = { pass: 'holds', fail: 'fails', not_in_evidence: 'not_checked' } as const

function toCheck({ id, result, file, clause, detail }: EvidenceCheck): Check {
  const words = [file, detail].filter((text) => text !== null && text !== undefined)
  return check(id, RESULTS[result], words.join(': ') || 'as the container says', clause)
}
