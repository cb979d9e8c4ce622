// Storage of one object, in memory: keys and values, SQL, and one alarm.

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

type ListOptions = {
  readonly prefix?: string
  readonly startAfter?: string
  readonly reverse?: boolean
  readonly limit?: number
}

export type Storage = ReturnType<typeof openStorage>

/** For each storage, the function that stops the timer of its alarm. */
const timers = new Set<() => void>()

/**
 * Stops the timers of all alarms. On a slow machine the alarms of an earlier test would ring in a later one.
 * A test can still run them by `runDurableObjectAlarm`.
 */
export function stopTimers(): void {
  for (const stop of timers) stop()
}

/** Opens storage. `ring` is called at the time of the alarm. */
export function openStorage(ring: () => void) {
  const data = new Map<string, unknown>()
  const database = new DatabaseSync(':memory:')
  let alarm: { readonly at: number; readonly timer: ReturnType<typeof setTimeout> } | null = null
  const stopTimer = () => clearTimeout(alarm?.timer)
  const stop = () => {
    stopTimer()
    alarm = null
  }
  timers.add(stopTimer)
  return {
    kv: new Values(data),
    sql: {
      exec: (statement: string, ...values: readonly SQLInputValue[]) => {
        const rows = database.prepare(statement).all(...values)
        const { rowsWritten } = database.prepare('SELECT changes() AS rowsWritten').get() as object & {
          rowsWritten: number
        }
        return { rowsWritten, toArray: () => rows, one: () => rows[0] }
      },
    },
    getAlarm: async () => alarm?.at ?? null,
    setAlarm: async (time: number | Date) => {
      stop()
      const at = Number(time)
      alarm = { at, timer: setTimeout(ring, Math.min(Math.max(0, at - Date.now()), LONGEST_TIMER)).unref() }
    },
    deleteAlarm: async () => stop(),
    deleteAll: async () => {
      data.clear()
      stop()
    },
    sync: async () => undefined,
    transactionSync: <T>(work: () => T): T => work(),
  }
}

/** Values by key. Tests change its methods for all objects at once. */
class Values {
  readonly #data: Map<string, unknown>
  constructor(data: Map<string, unknown>) {
    this.#data = data
  }
  get(key: string): unknown {
    return structuredClone(this.#data.get(key))
  }
  put(key: string, value: unknown): void {
    this.#data.set(key, structuredClone(value))
  }
  delete(key: string): boolean {
    return this.#data.delete(key)
  }
  list(options?: ListOptions): readonly [string, unknown][] {
    return listOf(this.#data, options)
  }
}

/** The longest time of a timer, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1

function listOf(
  data: ReadonlyMap<string, unknown>,
  { prefix = '', startAfter = '', reverse = false, limit }: ListOptions = {},
): readonly [string, unknown][] {
  const keys = [...data.keys()].filter((key) => key.startsWith(prefix) && key > startAfter).toSorted()
  const ordered = reverse ? keys.toReversed() : keys
  return ordered.slice(0, limit).map((key) => [key, structuredClone(data.get(key))])
}
