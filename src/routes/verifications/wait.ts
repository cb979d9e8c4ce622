// `?wait=&after_version=`: an answer that comes when there is something new to say (CONTRACT 4). The edge waits on the session's
// hibernating socket; no call waits inside the object, which may sleep meanwhile.

import { ok, type Result } from '../../result.ts'
import { type SessionAccess, watchAddress } from '../../session/access.ts'
import type { SessionError, View } from '../../session/results.ts'
import type { VerificationSession } from '../../session/verification-session.ts'
import type { AppContext } from '../context.ts'
import { readQuery } from '../edge/validate.ts'
import { waitQuery } from './schemas.ts'

/** For how long at most, and for a version above which. `afterVersion` is null for the one that is found. */
export type Wait = { readonly milliseconds: number; readonly afterVersion: number | null }

/** What the query asks to wait for; null where it asks for the state as it is. The error is the response to send. */
export function readWait(c: AppContext): Result<Wait | null, Response> {
  if (!c.req.url.includes('?')) return ok(null) // as most polls are
  const query = readQuery(c, waitQuery)
  if (!query.ok) return query
  const { wait, after_version } = query.value
  return ok(wait === undefined ? null : { milliseconds: wait * 1000, afterVersion: after_version ?? null })
}

/** How soon an answer comes that could not watch. */
const UNWATCHED_MS = 1_000

/** The session, who watches, and the request that waits. */
type Watching = {
  readonly session: DurableObjectStub<VerificationSession>
  readonly by: SessionAccess
  readonly request: Pick<Request, 'signal'>
}

/**
 * What `look` finds when the session has a version above the one waited for, is over, is gone, or the time is up. It looks
 * once before, and so finds out whether the caller may. The socket tells the state first of all,
 * once it is open, so that nothing is missed between that look and its opening.
 */
export async function longPoll(
  look: () => Promise<Result<View, SessionError>>,
  wait: Wait | null,
  { session, by, request }: Watching,
): Promise<Result<View, SessionError>> {
  const found = await look()
  if (!found.ok || wait === null) return found
  const afterVersion = wait.afterVersion ?? found.value.version
  const isChange = (json: string) => {
    const { version, status } = JSON.parse(json) as { version: number; status: string } // our own session's words
    return version > afterVersion || status !== 'pending'
  }
  if (isChange(found.value.json)) return found
  const response = await session.fetch(watchAddress(by), { headers: { Upgrade: 'websocket' } })
  if (response.webSocket !== null)
    await nextChange(response.webSocket, isChange, { wait, signal: request.signal })
  // Too many watch already: who cannot wait is slowed down, lest it ask again and again.
  else if (response.status !== 404) await scheduler.wait(UNWATCHED_MS)
  return look()
}

/** Waits for the socket's first news, its end, the caller's going away, or the end of the time. Closes the socket. */
async function nextChange(
  socket: WebSocket,
  isChange: (json: string) => boolean,
  { wait, signal }: { readonly wait: Wait; readonly signal: AbortSignal },
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await new Promise<void>((resolve) => {
    const finish = () => resolve()
    timer = setTimeout(finish, wait.milliseconds)
    signal.addEventListener('abort', finish)
    socket.addEventListener('close', finish)
    socket.addEventListener('error', finish)
    socket.addEventListener('message', ({ data }) => {
      if (isChange(String(data))) finish()
    })
    socket.accept()
    if (signal.aborted) finish()
  })
  clearTimeout(timer)
  socket.close(1000)
}
