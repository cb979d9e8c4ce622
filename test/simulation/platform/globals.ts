// Globals of the service's code. Each delegates to the history that runs. The service's modules are evaluated
// once for many histories, because that takes longer than a history.

import { createRequire } from 'node:module'
import type { openCrypto } from './crypto.ts'
import { SimulatedKey } from './crypto.ts'
import type { Random } from './random.ts'
import { currentOwner, type Scheduler, type Timer } from './scheduler.ts'
import { openPair } from './sockets.ts'

/** Platform of the history that runs. */
export type Platform = {
  readonly scheduler: Scheduler
  readonly crypto: ReturnType<typeof openCrypto>
  readonly random: Random
  readonly env: object
  readonly fetch: (url: string, init: RequestInit) => Promise<unknown>
  readonly log: (line: string) => void
}

/** Makes the globals. `running` returns the platform of the history that runs. */
export function globalsOf(running: () => Platform) {
  const wall = () => running().scheduler.wall()
  class SimulatedDate extends Date {
    constructor(...parameters: readonly unknown[]) {
      if (parameters.length === 0) super(wall())
      else super(...(parameters as [number]))
    }
    static override now(): number {
      return wall()
    }
  }
  const setTimer = (run: () => void, delay = 0): Timer =>
    running().scheduler.after(delay, run, currentOwner())
  return {
    crypto: {
      get subtle() {
        return running().crypto.subtle
      },
      getRandomValues: (into: Uint8Array) => running().crypto.getRandomValues(into),
      randomUUID: () => running().crypto.randomUUID(),
    },
    CryptoKey: SimulatedKey,
    Date: SimulatedDate,
    Math: Object.assign(Object.create(Math) as Math, { random: () => running().random.next() }),
    setTimeout: setTimer,
    clearTimeout: (timer: Timer | undefined) => {
      if (timer !== undefined) timer.stopped = true
    },
    scheduler: { wait: (delay: number) => new Promise<void>((resolve) => setTimer(resolve, delay)) },
    fetch: (url: string, init: RequestInit) => running().fetch(url, init),
    Response: SimulatedResponse,
    WebSocketPair: class {
      constructor() {
        Object.assign(this, openPair())
      }
    },
    console: { log: () => {}, error: (line: string) => running().log(line) },
    caches: undefined,
    require: requireOf(running),
  }
}

/** The part of a `Response` that objects use: a switch of protocols, and a status. */
class SimulatedResponse {
  readonly status: number
  readonly webSocket: unknown
  readonly body: unknown
  constructor(body: unknown, init: { readonly status?: number; readonly webSocket?: unknown } = {}) {
    this.body = body
    this.status = init.status ?? 200
    this.webSocket = init.webSocket
  }
}

/** Modules that are not part of the bundle. */
function requireOf(running: () => Platform) {
  const require = createRequire(import.meta.url)
  const workers = {
    DurableObject: class {
      readonly ctx: unknown
      readonly env: unknown
      constructor(ctx: unknown, env: unknown) {
        this.ctx = ctx
        this.env = env
      }
    },
    get env() {
      return running().env
    },
    waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
  }
  return (name: string): unknown => (name === 'cloudflare:workers' ? workers : require(name))
}
