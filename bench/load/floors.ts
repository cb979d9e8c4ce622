// Floors as targets of the load: bench/floors.ts on the same workerd, with its objects in memory.

import { startBenchWorker } from '../workerd.ts'
import type { Answer } from './run.ts'
import { callTo, PUT_AWAY_MS, RELYING_PARTIES, type Session, type Target, usageOf } from './target.ts'

/** A response is as long as that of a wallet. */
const FORM = new URLSearchParams({ response: 'x'.repeat(2_000) }).toString()
const CREATION = { method: 'POST', body: JSON.stringify({ request: 'x'.repeat(100) }) }

/** Starts a floor that only repeats one request without a session: `hello` or `call`. */
export async function startRequestFloor(path: 'hello' | 'call', under: string): Promise<Target> {
  const worker = await startWorker(under)
  return {
    ...worker,
    create: async () => ({ id: '', requestUri: `/${path}`, caller: '' }),
    poll: async () => 'pending',
  }
}

/** Starts a skeleton with one object for each session, or with shared objects. */
export async function startSkeleton(kind: 'own' | 'shared', under: string): Promise<Target> {
  const worker = await startWorker(under)
  let turn = 0
  return {
    ...worker,
    create: async () => {
      const caller = String(turn++ % RELYING_PARTIES)
      const created = await worker.call(`/${kind}/${caller}`, CREATION)
      if (created.status !== 201) throw new Error(`create: HTTP ${created.status}`)
      const { id } = JSON.parse(created.text) as { id: string }
      return { id, requestUri: `/${kind}/${caller}/${id}/request`, caller }
    },
    poll: async ({ id, caller }: Session) => {
      const polled = await worker.call(`/${kind}/${caller}/${id}`)
      if (polled.status !== 200) throw new Error(`poll: HTTP ${polled.status}`)
      return (JSON.parse(polled.text) as { status: string }).status
    },
  }
}

export const answerSkeleton: Answer = async ({ requestUri }) => ({
  path: requestUri.replace(/request$/, 'response'),
  form: FORM,
})

async function startWorker(under: string) {
  const { port, pid, stop } = await startBenchWorker({
    main: 'floors.ts',
    objects: { SESSIONS: 'Sessions', LOG: 'Log' },
    under,
  })
  const call = callTo(`http://127.0.0.1:${port}`)
  return { call, usage: () => usageOf(pid), putAwayMs: PUT_AWAY_MS, stop }
}
