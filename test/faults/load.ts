// Many calls to a running service, and probes of its health meanwhile. Nothing here is checked against the
// API description, which would take longer than the calls.

import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CreatedSession, expectStatus, OVER_18, type RelyingParty } from '../support/service/service.ts'
import { WAIT } from '../support/wait.ts'

/** Callers at a time. */
const CALLERS = 12
const BETWEEN_PROBES_MS = 100
/** Longest time of `/healthz` in a run at full size. At the sizes of CI no test depends on the speed. */
export const HEALTHY_WITHIN_MS = 1_000

/** A relying party's server that makes many calls. */
export type Caller = {
  /** Creates a session, and returns its id. Waits if the service asks for that. */
  readonly create: (request?: object) => Promise<string>
  readonly cancel: (verificationId: string) => Promise<void>
}

/** Returns the server of a relying party. */
export function callerOf(origin: string, { api_key }: Pick<RelyingParty, 'api_key'>): Caller {
  const post = async (path: string, body?: object): Promise<Response> => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const retryAfter = response.headers.get('retry-after')
    if (retryAfter === null) return response
    await response.body?.cancel()
    await sleep(Number(retryAfter) * 1000)
    return post(path, body)
  }
  return {
    create: async (request = {}) => {
      const response = await post('/v1/verify', { ...OVER_18, ...request })
      return ((await expectStatus(response, 201)) as CreatedSession).verification_id
    },
    cancel: async (id) => {
      await expectStatus(await post(`/v1/verify/${id}/cancel`), 200)
    },
  }
}

/**
 * Does a piece of work `count` times, some at a time, and at most `perSecond` also after a delay. Returns the
 * results.
 */
export async function repeat<T>(
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
  work: () => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = []
  let begun = 0
  let turn = Date.now()
  const worker = async () => {
    while (begun++ < count) {
      turn = Math.max(turn + 1000 / perSecond, Date.now())
      await sleepUntil(turn)
      results.push(await work())
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, worker))
  return results
}

/** Waits until a time (Unix milliseconds). */
export function sleepUntil(at: number): Promise<void> {
  return sleep(Math.max(0, at - Date.now()))
}

/**
 * Requests `/healthz` until `end`, which returns every response that was not 200, the slowest response, and
 * the most descriptors that workerd (`pid`) had open. The service may be busy, but must not hang.
 */
export function probeHealth(origin: string, pid?: number) {
  const failures: string[] = []
  let [slowestMs, isOver, mostDescriptors] = [0, false, 0]
  const watch = setInterval(() => {
    if (pid !== undefined) mostDescriptors = Math.max(mostDescriptors, countDescriptors(pid))
  }, BETWEEN_PROBES_MS)
  const probing = (async () => {
    while (!isOver) {
      const begun = Date.now()
      const outcome = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(WAIT.timeout) }).then(
        ({ status }) => String(status),
        (error: Error) => error.name,
      )
      if (outcome !== '200') failures.push(outcome)
      slowestMs = Math.max(slowestMs, Date.now() - begun)
      await sleep(BETWEEN_PROBES_MS)
    }
  })()
  return {
    end: async () => {
      isOver = true
      clearInterval(watch)
      await probing
      return { failures, slowestMs, mostDescriptors }
    },
  }
}

/** Returns 0 if the process has ended. */
function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}
