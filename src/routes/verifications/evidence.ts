// Routes of evidence (api/evidence). Only the scope `evidence:read` opens them. `ADMIN_TOKEN` does not.

import { evidenceQuery } from '../../api/requests.ts'
import type { SessionStub } from '../../relying-party/document/session-stub.ts'
import { materialsStub } from '../../relying-party/materials/keep-material.ts'
import { authenticate } from '../edge/authenticate.ts'
import type { AppContext } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { sendJsonText, sessionProblem } from '../edge/session-view.ts'
import { readQuery } from '../edge/validate.ts'
import { awaitChange } from './wait.ts'

/**
 * Sends the sealed evidence of a finished verification. With `wait`, waits until a pending time stamp is
 * present or has failed.
 */
export async function sendEvidence(
  c: AppContext,
  session: SessionStub,
  relyingPartyId: string,
): Promise<Response> {
  const read = () => session.evidence(relyingPartyId, 'read')
  let evidence = await read()
  // The session is checked before the query. So a call for another relying party's session gets the error of
  // a missing session, even if its query is invalid.
  if (!evidence.ok) return sessionProblem(c, evidence.error)
  const query = readQuery(c, evidenceQuery)
  if (!query.ok) return query.error
  const { wait } = query.value
  if (wait !== undefined && 'json' in evidence.value && evidence.value.waitingVersion !== null) {
    const { waitingVersion } = evidence.value
    const watching = { session, by: { relyingPartyId }, request: c.req.raw }
    await awaitChange(({ version }) => version > waitingVersion, wait * 1000, watching)
    evidence = await read()
  }
  if (!evidence.ok) return sessionProblem(c, evidence.error)
  const { value } = evidence
  if ('json' in value) return sendJsonText(c, value.json)
  return problem(c, 'evidence_erased', { members: { erased_at: value.erasedAt } })
}

/** DELETE: erases the sealed evidence. The verification stays. A repeated call succeeds, too. */
export async function eraseEvidence(
  c: AppContext,
  session: SessionStub,
  relyingPartyId: string,
): Promise<Response> {
  const erased = await session.evidence(relyingPartyId, 'erase')
  return erased.ok ? c.body(null, 204) : sessionProblem(c, erased.error)
}

/**
 * Sends the bytes of a public list (status list, revocation list or trust list), as this service fetched
 * them. The path contains their SHA-256. Only a relying party whose evidence names this digest gets the
 * bytes. The bytes of a digest never change.
 */
export async function sendMaterial(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'evidence:read')
  if (!caller.ok) return caller.error
  const { relying_party_id } = caller.value.settings
  const digest = c.req.param('sha256') ?? ''
  const body = DIGEST.test(digest) && (await materialsStub(c.env, digest).read(digest, relying_party_id))
  if (!body) return problem(c, 'not_found')
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Cache-Control': 'immutable',
  }
  return c.body(body, 200, headers)
}

/** A SHA-256 in hexadecimal. */
const DIGEST = /^[0-9a-f]{64}$/
