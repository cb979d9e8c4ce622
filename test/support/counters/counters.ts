// Takes the counters of a service before its end. The service runs a copy of the project with counters
// (project.ts).

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folder for the counters of `npm run proof -- coverage`. */
const FOLDER = process.env.COUNTERS
const WITHIN_MS = 10_000
const READ = `JSON.stringify(Object.entries(globalThis.__coverage__ ?? {}).map(([file, { s, b }]) => [file, s, b]))`

type Target = { readonly webSocketDebuggerUrl: string }
type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly context?: { readonly id: number } }
  readonly result?: { readonly result?: { readonly value?: string } }
}

/**
 * Writes the counters of each Worker of the service on this port to the folder that `COUNTERS` names. Does
 * nothing without that variable. The counters of a service that has ended by itself are lost.
 */
export async function takeCounters(port: number): Promise<void> {
  if (FOLDER === undefined) return
  try {
    const inspector = `http://127.0.0.1:${(port % 30_000) + 2_000}/json`
    const response = await fetch(inspector, { signal: AbortSignal.timeout(WITHIN_MS) })
    const targets = (await response.json()) as readonly Target[]
    for (const { webSocketDebuggerUrl } of targets) {
      const counters = await evaluate(webSocketDebuggerUrl, READ)
      if (counters !== undefined) writeFileSync(join(FOLDER, `${randomUUID()}.json`), counters)
    }
  } catch {
    // It has ended.
  }
}

/**
 * Evaluates an expression in a Worker, and resolves to its text. Resolves to undefined if the Worker does not
 * answer.
 */
function evaluate(url: string, expression: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url)
    const end = (value?: string) => {
      clearTimeout(deadline)
      socket.close()
      resolve(value)
    }
    const deadline = setTimeout(end, WITHIN_MS)
    socket.addEventListener('error', () => end())
    const send = (id: number, method: string, params = {}) =>
      socket.send(JSON.stringify({ id, method, params }))
    socket.addEventListener('open', () => send(1, 'Runtime.enable'))
    socket.addEventListener('message', ({ data }) => {
      const { id, method, params, result } = JSON.parse(String(data)) as Message
      if (method === 'Runtime.executionContextCreated') {
        send(2, 'Runtime.evaluate', { expression, contextId: params?.context?.id })
      }
      if (id === 2) end(result?.result?.value)
    })
  })
}
