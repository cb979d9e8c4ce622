// Runs the evaluation of the service again, with the clock and the network of the container, and compares the
// decision.

import { canonicalJson } from '../../../src/codec/canonical-json.ts'
import { type Json, type JsonObject, member } from '../../../src/codec/json.ts'
import type { PrivateJwk } from '../../../src/crypto/jwk.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import { evaluateSubject } from '../../../src/evidence/evaluation/evaluate.ts'
import { replayFetches } from '../../../src/evidence/evaluation/recording.ts'
import type { PresentationsEvaluation } from '../../../src/exchange/evaluate-presentations.ts'
import type { FetchedCopy } from '../../../src/net/guarded-fetch.ts'
import type { PresentationGroup } from '../../../src/openid4vp/response/vp-token.ts'
import type { CaseFile } from './case-file.ts'
import { hashOf } from './check-request.ts'
import type { Reporter } from './report.ts'

/** A decided response. */
export type Decided = PresentationsEvaluation & { readonly kind: 'decided' }

/** Evaluates the presentations again. Returns the evaluation if it has a decision. */
export async function checkDecision(
  caseFile: CaseFile,
  {
    groups,
    responseKey,
    statement,
  }: {
    readonly groups: readonly PresentationGroup[]
    readonly responseKey: PrivateJwk | null
    readonly statement: JsonObject
  },
  reporter: Reporter,
): Promise<Decided | undefined> {
  const { session, decision, index } = caseFile
  const { fetchResource, asked } = replayFetches(recordOf(caseFile))
  const network = { fetchResource }
  const evaluated = await evaluateSubject({ session, rules: decision, groups, responseKey, network })
  const missing = index.materials.filter(
    ({ name, source }) => !caseFile.files.has(name) && asked().includes(source),
  )
  const isDecided = evaluated.kind === 'decided'
  for (const { name, role } of index.files) {
    if (role !== 'presentation') continue
    const line = { file: name, clause: 'OpenID4VP 1.0 8.6' }
    if (isDecided) reporter.pass('presentation', line)
    else if (missing.length > 0) reporter.absent('presentation', MATERIALS_MISSING, line)
    else reporter.fail('presentation', refusalOf(evaluated), line)
  }
  const line = { file: NAMES.decision, clause: null }
  const isSame = isDecided && isSameDecision(caseFile, evaluated)
  if (!isSame && missing.length > 0) reporter.absent('decision', MATERIALS_MISSING, line)
  else reporter.expect('decision', isSame, 'the presentations give another decision', line)
  await checkStatementOfDecision(caseFile, statement, reporter)
  return isDecided ? evaluated : undefined
}

const MATERIALS_MISSING = 'a material is missing: use `evidence open --materials`'

/** Compares the members of the statement that repeat the decision. */
async function checkStatementOfDecision(
  { decision }: CaseFile,
  statement: JsonObject,
  reporter: Reporter,
): Promise<void> {
  const recorded = decision.decision as unknown as JsonObject
  const names = ['status', 'reason', 'checks', 'assurance_level'].filter((name) =>
    Object.hasOwn(statement, name),
  )
  const wrong = names.find((name) => !isSame(member(statement, name), member(recorded, name)))
  const line = { file: NAMES.statement, clause: null }
  reporter.expect(
    'statement_decision',
    wrong === undefined,
    `the statement has another ${wrong} than decision.json`,
    line,
  )
  const hash = member(statement, 'policy_hash')
  if (typeof hash !== 'string') return
  const isSameHash = hash === (await hashOf(decision.asked))
  reporter.expect('policy_hash', isSameHash, 'the statement has the hash of another policy', line)
}

/** Largest clock skew of a decision that is plausible, in seconds. */
const MAXIMUM_SKEW = 300

/**
 * Checks that the clock of the evaluation is `decided_at`, and that the times are in order. `at`: the time of
 * the check, in Unix seconds.
 */
export function checkClock({ index, decision, session }: CaseFile, at: number, reporter: Reporter): void {
  const [requested, received, decided] = [index.requested_at, index.received_at, index.decided_at].map(
    Date.parse,
  )
  const isOrdered = Number(requested) <= Number(received) && Number(received) <= Number(decided)
  const seconds = Math.floor(Number(decided) / 1000)
  const isClock = decision.now === seconds && session.requested_at === Math.floor(Number(requested) / 1000)
  const { clock_skew = 0 } = decision
  const isSkew = Number.isInteger(clock_skew) && clock_skew >= 0 && clock_skew <= MAXIMUM_SKEW
  const faults = [
    !(isOrdered && isClock) && 'the times of the index are not those of the evaluation',
    !isSkew && `the clock skew of the decision is not between 0 and ${MAXIMUM_SKEW} seconds`,
    seconds > at && 'the decision is later than the time of this check',
  ]
  const [fault] = faults.filter((one) => one !== false)
  reporter.expect('times', fault === undefined, fault ?? '', { file: NAMES.index, clause: null })
}

/** Returns what the container has of the network: materials, and the keys that were fetched. */
function recordOf({ index, files }: CaseFile): readonly FetchedCopy[] {
  return [...index.files, ...index.materials].flatMap(({ name, source, fetched_at, media_type }) => {
    const body = files.get(name)
    if (body === undefined || source === undefined || fetched_at === undefined) return []
    return [{ url: source, media_type, body, fetched_at: Date.parse(fetched_at) / 1000 }]
  })
}

function isSameDecision({ decision: recorded, index }: CaseFile, evaluated: Decided): boolean {
  const { claims: _, ...decision } = evaluated.decision
  // A list is read as if it had been fetched just now, so its time may differ.
  const times = new Set(
    [...index.materials, ...index.files].map(({ fetched_at }) => Date.parse(fetched_at ?? '')),
  )
  const known = (text: unknown) =>
    times.has(Date.parse(String(text))) || Date.parse(String(text)) === recorded.now * 1000
  const normal = (value: object) =>
    JSON.parse(
      JSON.stringify(value, (name, member) => (name === 'as_of' && known(member) ? 'recorded' : member)),
    )
  if (!isSame(normal(decision), normal(recorded.decision))) return false
  // A presentation that was discarded leaves checks that depend on anchors outside the container.
  const isComplete = evaluated.trace.every(({ result }) => result !== 'fail')
  return !isComplete || isSame(evaluated.trace as never, recorded.trace as never)
}

function refusalOf(evaluated: PresentationsEvaluation): string {
  if (evaluated.kind === 'decided') return 'decided'
  return `refused: ${evaluated.reason}${evaluated.clause ? ` (${evaluated.clause})` : ''}`
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  const text = (value: Json | undefined) => canonicalJson(JSON.parse(JSON.stringify(value ?? null)) as Json)
  return text(a) === text(b)
}
