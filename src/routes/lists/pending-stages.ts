// Stages of the pending sessions on a page of the list (api/lists). The stage is read from each of these
// sessions. A session sends no update to the list if only its stage changes, except for the first action of a
// wallet in a login. Each update would cost a call and a written row, and the list is rarely read.

import type { Env } from '../../env.ts'
import { mayBegin } from '../../metrics/capacity.ts'
import { withDeadline } from '../../net/time-limit.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import type { IndexEntry } from '../../relying-party/index/index-entry.ts'

/** Time limit for the answer of a session. */
const ANSWER_MS = 1_000

/**
 * Returns the entries with the current stage of each pending session. All sessions are read at the same time.
 * An entry keeps its stage if its session has ended or cannot be read, or if the process has little capacity.
 */
export function withStages(
  env: Env,
  relyingPartyId: string,
  entries: readonly IndexEntry[],
): Promise<readonly IndexEntry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (entry.status !== 'pending' || !mayBegin('new', Date.now())) return entry
      const stage = await withDeadline(readStage(env, relyingPartyId, entry), ANSWER_MS, null)
      return stage === null ? entry : { ...entry, stage }
    }),
  )
}

/** Returns the stage of a session that is still pending; otherwise null. */
async function readStage(
  env: Env,
  relyingPartyId: string,
  { verification_id, status: listed }: IndexEntry,
): Promise<string | null> {
  try {
    const session = await sessionStub(env, verification_id)?.readPublic({ relyingPartyId })
    if (!session?.ok) return null
    const { status, stage } = JSON.parse(session.value.json) as { status: string; stage: string }
    return status === listed ? stage : null
  } catch {
    return null
  }
}
