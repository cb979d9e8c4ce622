// `?wait=&after_version=`: long poll of a session (api/result). The edge waits on the session's hibernating
// socket. No call waits inside the object, which may hibernate meanwhile.

import { waitQuery } from '../../api/requests.ts'
import { ok, type Result } from '../../result.ts'
import { type SessionAccess, watchAddress } from '../../session/access.ts'
import type { SessionError } from '../../session/document/results.ts'
import type { View } from '../../session/document/state-view.ts'
import type { SessionStub } from '../../session/store/identifier.ts'
import type { AppContext } from '../edge/context.ts'
import { isDraining } from '../edge/drain.ts'
import { readQuery } from '../edge/validate.ts'

/** Longest wait, and the version to exceed. `afterVersion` null: the version found at the start. */
export type Wait = { readonly milliseconds: number; readonly afterVersion: number | null }

/** Parses the query; null without `wait`. The error is the response to send. */
export function readWait(c: AppContext): Result<Wait | null, Response> {
  if (!c.req.url.includes('?')) return ok(null) // as most polls are
  const query = readQuery(c, waitQuery)
  if (!query.ok) return query
  const { wait, after_version } = query.value
  return ok(wait === undefined ? null : { milliseconds: wait * 1000, afterVersion: after_version ?? null })
}

/** Interval at which a waiting request looks for the end of the process. */
const DRAIN_CHECK_MS = 500

/** Delay of a response for a caller that could not watch. */
const UNWATCHED_MS = 1_000

/** The session, the caller's access, and the waiting request. */
type Watching = {
  readonly session: SessionStub
  readonly by: SessionAccess
  readonly request: Pick<Request, 'signal'>
}

/**
 * Returns the result of `look` when the session has a newer version, has ended, is erased, or the time is
 * over. The first look checks the caller's access. The socket sends the state when it opens, so that no
 * change between is missed.
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
    // Sent by our own session
    const { version, status } = JSON.parse(json) as { version: number; status: string }
    return version > afterVersion || status !== 'pending'
  }
  if (isChange(found.value.json)) return found
  const response = await session.fetch(watchAddress(by), { headers: { Upgrade: 'websocket' } })
  if (response.webSocket !== null)
    await nextChange(response.webSocket, isChange, { wait, signal: request.signal })
  // Too many callers watch already: slow this one down, so that it does not poll in a loop.
  else if (response.status !== 404) await scheduler.wait(UNWATCHED_MS)
  return look()
}

/**
 * Waits for the socket's first change or its end, for the caller to leave, for the end of the time, or of the
 * process. Closes the socket.
 */
async function nextChange(
  socket: WebSocket,
  isChange: (json: string) => boolean,
  { wait, signal }: { readonly wait: Wait; readonly signal: AbortSignal },
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let drainCheck: ReturnType<typeof setInterval> | undefined
  await new Promise<void>((resolve) => {
    const finish = () => resolve()
    timer = setTimeout(finish, wait.milliseconds)
    drainCheck = setInterval(() => isDraining() && finish(), DRAIN_CHECK_MS)
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
  clearInterval(drainCheck)
  socket.close(1000)
}
