// Verification of a container: everything is checked again, with the clock and the network of the container.

import { encodeBase64url } from '../../../src/codec/base64url.ts'
import { isJsonObject, type JsonObject, member } from '../../../src/codec/json.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import { parsePublicJwk } from '../../../src/crypto/jwk.ts'
import { decodeJws, verifyJws } from '../../../src/crypto/jws.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import { EVIDENCE } from '../../../src/evidence/limits.ts'
import { type CaseFile, readCase, readJson } from './case-file.ts'
import { checkClock, checkDecision, type Decided } from './check-decision.ts'
import { checkFiles, checkIndex, checkStatement } from './check-files.ts'
import { checkDeviceRequestHash, checkRequest } from './check-request.ts'
import { checkResponse, readGroups, readResponseKey } from './check-response.ts'
import { checkTimeStamp } from './check-time-stamp.ts'
import { checkMissing, checkTrust } from './check-trust.ts'
import { createReporter, type Report, type Reporter } from './report.ts'
import type { Trust } from './trust.ts'
import { UnreadableError } from './zip-reader.ts'

/**
 * How to verify. `at`: time of the check in Unix seconds, by default now. `receipt`: the text of a receipt.
 */
export type VerifyOptions = {
  readonly trust?: Trust
  readonly at?: number
  readonly receipt?: string
}

/** A verified container. `decided`: the evaluation, if it has a decision. */
export type Verified = {
  readonly report: Report
  readonly caseFile: CaseFile
  readonly decided: Decided | undefined
}

/** Verifies a container. Throws `UnreadableError` if the bytes are no container. */
export async function verifyContainer(zip: Uint8Array, options: VerifyOptions = {}): Promise<Verified> {
  const caseFile = readCase(new Uint8Array(zip))
  const { trust = {}, at = Math.floor(Date.now() / 1000) } = options
  const reporter = createReporter()
  await checkFiles(caseFile, reporter)
  checkIndex(caseFile, reporter)
  const statement = await checkStatement(caseFile, trust, reporter)
  await checkTimeStamp(caseFile, { trust, at }, reporter)
  const decided = await checkContent(caseFile, { trust, statement, at }, reporter)
  if (options.receipt !== undefined)
    await checkReceipt(caseFile, { receipt: options.receipt, statement, trust }, reporter)
  checkMissing(caseFile, reporter)
  return { report: reporter.report(), caseFile, decided }
}

/** Checks what the files say. Inputs that no evaluation can have are a failed check, not an exception. */
async function checkContent(
  caseFile: CaseFile,
  { trust, statement, at }: { readonly trust: Trust; readonly statement: JsonObject; readonly at: number },
  reporter: Reporter,
): Promise<Decided | undefined> {
  try {
    const responseKey = readResponseKey(caseFile)
    const groups = readGroups(caseFile)
    await checkRequest(caseFile, { statement, responseKey }, reporter)
    await checkDeviceRequestHash(caseFile, statement, reporter)
    await checkResponse(caseFile, { groups, responseKey }, reporter)
    checkClock(caseFile, at, reporter)
    const evaluated = await checkDecision(caseFile, { groups, responseKey, statement }, reporter)
    if (evaluated !== undefined) await checkTrust(caseFile, { evaluated, trust }, reporter)
    return evaluated
  } catch (error) {
    const detail =
      error instanceof UnreadableError ? error.message : 'the recorded inputs cannot be evaluated'
    reporter.fail('content', detail)
    return undefined
  }
}

/** Compares a receipt with the statement and the manifest. The key of the service must have signed it. */
async function checkReceipt(
  { files, manifestBytes }: CaseFile,
  {
    receipt,
    statement,
    trust,
  }: { readonly receipt: string; readonly statement: JsonObject; readonly trust: Trust },
  reporter: Reporter,
): Promise<void> {
  const jws = decodeJws(receipt.trim(), EVIDENCE.json)
  const own = member(readJson(files, NAMES.serviceKeys), 'keys')
  const keys = trust.serviceKeys ?? (Array.isArray(own) ? own.filter(isJsonObject).map(parsePublicJwk) : [])
  const results = jws.ok ? await Promise.all(keys.map((key) => key && verifyJws(jws.value, key))) : []
  if (!jws.ok || !results.includes(true)) {
    reporter.fail('receipt', 'no key of the service made the signature of the receipt')
    return
  }
  const { evidence_hash, session_binding, ...members } = jws.value.payload
  const { files: _files, ...stated } = statement
  const isHash = evidence_hash === encodeBase64url(await sha256(manifestBytes))
  const names = new Set([...Object.keys(members), ...Object.keys(stated)])
  // A success that is bound to a browser ends when the browser returns, after the decision.
  const isLater = session_binding !== 'none' && endsLater(members, stated)
  if (isLater) for (const name of END_TIMES) names.delete(name)
  const wrong = [...names].find((name) => JSON.stringify(members[name]) !== JSON.stringify(stated[name]))
  reporter.expect('receipt', isHash, 'the receipt has the hash of other evidence')
  reporter.expect(
    'receipt_members',
    wrong === undefined,
    `the receipt has another ${wrong} than the statement`,
    { file: NAMES.statement },
  )
}

/** The only members that may differ: the time of the end, as Unix seconds and as text. */
const END_TIMES = ['iat', 'ended_at'] as const

/** Returns true if the receipt has a later end than the statement, and the two times of each agree. */
function endsLater(receipt: JsonObject, statement: JsonObject): boolean {
  const [ended, decided] = [receipt, statement].map((claims) => {
    const time = Date.parse(String(member(claims, 'ended_at')))
    return member(claims, 'iat') === Math.floor(time / 1000) ? time : Number.NaN
  })
  return Number(ended) >= Number(decided)
}
