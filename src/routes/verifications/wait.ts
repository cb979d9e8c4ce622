// `?wait=&after_version=`: long poll of a session (api/result). The route waits for a message on a WebSocket
// of the session's object. No call waits inside the object, so the object can hibernate.

import { waitQuery } from '../../api/requests.ts'
import type { SessionStub } from '../../relying-party/document/session-stub.ts'
import { ok, type Result } from '../../result.ts'
import { type SessionAccess, watchAddress } from '../../session/access.ts'
import type { SessionError } from '../../session/document/results.ts'
import type { View } from '../../session/document/state-view.ts'
import { isDraining } from '../edge/admission.ts'
import type { AppContext } from '../edge/context.ts'
import { readQuery } from '../edge/validate.ts'

/**
 * Longest wait, and the version that the caller has. `afterVersion` null: the version at the start of the
 * wait.
 */
export type Wait = { readonly milliseconds: number; readonly afterVersion: number | null }

/** Parses the query; null without `wait`. The error is the response to send. */
export function readWait(c: AppContext): Result<Wait | null, Response> {
  if (!c.req.url.includes('?')) return ok(null) // most polls have no query
  const query = readQuery(c, waitQuery)
  if (!query.ok) return query
  const { wait, after_version } = query.value
  return ok(wait === undefined ? null : { milliseconds: wait * 1000, afterVersion: after_version ?? null })
}

/** Interval at which a waiting request checks if the process is about to end. */
const DRAIN_CHECK_MS = 500

/** Delay of a response if the session accepts no further socket. */
const UNWATCHED_MS = 1_000

/** The session, the caller's access to the session, and the waiting request. */
type Watching = {
  readonly session: SessionStub
  readonly by: SessionAccess
  readonly request: Pick<Request, 'signal'>
}

/**
 * Returns the result of `look` when the session gets a newer version, ends or is erased, or when the time is
 * over. The first look checks the caller's access. The socket sends the state when it opens, so no change
 * after the first look is missed.
 */
export async function longPoll(
  look: () => Promise<Result<View, SessionError>>,
  wait: Wait | null,
  { session, by, request }: Watching,
): Promise<Result<View, SessionError>> {
  const view = await look()
  if (!view.ok || wait === null) return view
  const afterVersion = wait.afterVersion ?? view.value.version
  const isChange = ({ version, status }: State) => version > afterVersion || status !== 'pending'
  if (isChange(parseState(view.value.json))) return view
  await awaitChange(isChange, wait.milliseconds, { session, by, request })
  return look()
}

type State = { readonly version: number; readonly status: string }

/** Parses a state. The text is not validated, because our own session sent it. */
function parseState(json: string): State {
  return JSON.parse(json) as State
}

/** Returns once `isChange` is true for the state, the session is erased, or the time is over. */
export async function awaitChange(
  isChange: (state: State) => boolean,
  milliseconds: number,
  { session, by, request }: Watching,
): Promise<void> {
  const response = await session.fetch(watchAddress(by), { headers: { Upgrade: 'websocket' } })
  if (response.webSocket !== null)
    await nextChange(response.webSocket, isChange, { milliseconds, signal: request.signal })
  // Too many callers watch already. This response is delayed, so that the caller does not poll in a fast
  // loop.
  else if (response.status !== 404) await scheduler.wait(UNWATCHED_MS)
}

/**
 * Waits until the socket sends a change or closes, the caller disconnects, the time is over, or the process
 * ends. Then closes the socket.
 */
async function nextChange(
  socket: WebSocket,
  isChange: (state: State) => boolean,
  { milliseconds, signal }: { readonly milliseconds: number; readonly signal: AbortSignal },
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let drainCheck: ReturnType<typeof setInterval> | undefined
  await new Promise<void>((resolve) => {
    const finish = () => resolve()
    timer = setTimeout(finish, milliseconds)
    drainCheck = setInterval(() => isDraining() && finish(), DRAIN_CHECK_MS)
    signal.addEventListener('abort', finish)
    socket.addEventListener('close', finish)
    socket.addEventListener('error', finish)
    socket.addEventListener('message', ({ data }) => {
      if (isChange(parseState(String(data)))) finish()
    })
    socket.accept()
    if (signal.aborted) finish()
  })
  clearTimeout(timer)
  clearInterval(drainCheck)
  socket.close(1000)
}
