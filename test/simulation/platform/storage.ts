// Storage of one object: what is durable, and the view of its living instance. Writes of one step are one
// transaction. Transactions become durable in their order, and messages wait for those before them (Durable
// Objects: write coalescing, output gates). As in workerd, `deleteAll` is no part of a transaction: it rolls
// back the open transaction, and becomes durable without the writes after it.

import { cloneOf } from './clone.ts'
import { Fault, type Faults } from './faults.ts'
import { currentOwner, type Owner, type Scheduler } from './scheduler.ts'
import { openSql, type Sql, type Statement } from './sql.ts'

/** State that survives the loss of an instance. */
export type Durable = {
  readonly data: Map<string, unknown>
  /** Values that were replaced or deleted. They can be read in the database file until `deleteAll`. */
  readonly overwritten: Set<unknown>
  readonly sql: Sql
  alarm: number | null
  /** Number of its transactions. */
  version: number
  /** Number of the transaction that set the alarm. */
  alarmSet: number
}

type Write =
  | { readonly kind: 'put'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'sql'; readonly statement: Statement }
  | { readonly kind: 'deleteAll' }
  | { readonly kind: 'alarm'; readonly at: number | null }

type Transaction = {
  readonly step: number
  readonly writes: Write[]
  /** Functions that wait until the transaction is durable. */
  readonly waiting: (() => void)[]
  isDoomed: boolean
  /** True if later writes of its step do not join it. */
  isClosed: boolean
}

/** Returns the state of a new object. */
export function emptyDurable(): Durable {
  return { data: new Map(), overwritten: new Set(), sql: openSql(), alarm: null, version: 0, alarmSet: 0 }
}

export type StorageEvents = {
  /** A transaction became durable. `before`: the values of the keys that it changed. */
  readonly committed: (before: ReadonlyMap<string, unknown>) => void
  readonly alarmChanged: () => void
  /** A transaction failed: the instance is lost. */
  readonly broken: () => void
  /** A write threw, and the instance goes on. The transactions before it are durable by now. */
  readonly refused: () => void
}

type ListOptions = { prefix?: string; startAfter?: string; end?: string; reverse?: boolean; limit?: number }

export type InstanceStorage = ReturnType<typeof openStorage>

export function openStorage(
  durable: Durable,
  owner: Owner,
  { scheduler, faults, events }: { scheduler: Scheduler; faults: Faults; events: StorageEvents },
) {
  const view = new Map(durable.data)
  let alarm = durable.alarm
  const pending: Transaction[] = []
  const sql = openSql(durable.sql.bytes)

  const commitNext = (): void => {
    const transaction = pending[0]
    if (transaction === undefined) return
    const result = transaction.isDoomed ? 'fails_before' : faults.commit()
    if (result === 'fails_before') transaction.isDoomed = true
    else {
      pending.shift()
      apply(transaction)
    }
    if (result !== 'written') events.broken()
    else for (const proceed of transaction.waiting) proceed()
  }
  const apply = ({ writes }: Transaction): void => {
    const before = new Map<string, unknown>()
    const alarmBefore = durable.alarmSet
    durable.version += 1
    for (const write of writes) applyWrite(durable, write, before)
    if (before.size > 0) events.committed(before)
    if (durable.alarmSet !== alarmBefore) events.alarmChanged()
  }
  const openTransaction = (): Transaction | undefined => {
    const last = pending[pending.length - 1]
    return last?.step === scheduler.state.step && !last.isClosed ? last : undefined
  }
  /** Throws if the object cannot write now. */
  const admit = (): void => {
    if (!owner.alive) throw new Fault('the instance is lost')
    if (!faults.refusesWrite()) return
    // A statement that fails inside a transaction rolls all of it back, and the object is lost.
    const open = openTransaction()
    if (open !== undefined) open.isDoomed = true
    whenWritten(events.refused)
    throw new Fault('the write failed')
  }
  const add = (write: Write): void => {
    if (write.kind !== 'alarm') admit()
    else if (!owner.alive) throw new Fault('the instance is lost')
    join(write)
  }
  const join = (write: Write): void => {
    const open = openTransaction()
    const isClosed = write.kind === 'deleteAll'
    if (open !== undefined && isClosed) {
      open.writes.splice(0)
      open.isClosed = true
    } else if (open !== undefined) return void open.writes.push(write)
    pending.push({ step: scheduler.state.step, writes: [write], waiting: [], isDoomed: false, isClosed })
    scheduler.post(owner, commitNext)
  }
  const later = <T>(produce: () => T) => scheduler.complete(produce, 0.3)
  const whenWritten = (proceed: () => void): void => {
    const last = pending[pending.length - 1]
    if (last === undefined) proceed()
    else last.waiting.push(proceed)
  }

  const kv = {
    get: (key: string) => view.get(key),
    put: (key: string, value: unknown): void => {
      const copy = cloneOf(value)
      add({ kind: 'put', key, value: copy })
      view.set(key, copy)
    },
    delete: (key: string): boolean => {
      if (!view.has(key)) return false
      add({ kind: 'delete', key })
      return view.delete(key)
    },
    list: (options: ListOptions = {}) => listOf(view, options),
  }
  const api = {
    kv,
    sql: {
      exec: (text: string, ...values: Statement['values']) => {
        const statement = { text, values: values.map(cloneOf) }
        return sql.run(statement, () => {
          admit()
          join({ kind: 'sql', statement })
        })
      },
    },
    getAlarm: () => later(() => alarm),
    setAlarm: (at: number | Date) => {
      alarm = Number(at)
      add({ kind: 'alarm', at: alarm })
      return later(() => undefined)
    },
    deleteAlarm: () => {
      alarm = null
      add({ kind: 'alarm', at: null })
      return later(() => undefined)
    },
    deleteAll: () => {
      add({ kind: 'deleteAll' })
      view.clear()
      sql.restore(() => undefined)
      alarm = null
      return later(() => undefined)
    },
    sync: () => {
      const caller = currentOwner()
      return new Promise<void>((resolve) => whenWritten(() => scheduler.post(caller, resolve)))
    },
    transactionSync: <T>(work: () => T): T => {
      const before = new Map(view)
      const open = openTransaction()
      const count = open?.writes.length ?? 0
      try {
        return work()
      } catch (error) {
        const opened = openTransaction()
        opened?.writes.splice(opened === open ? count : 0)
        view.clear()
        for (const [key, value] of before) view.set(key, value)
        sql.restore(() => bytesAfter(durable, pending))
        throw error
      }
    },
  }
  return {
    api,
    whenWritten,
    /** The handler of the alarm starts: for the object the alarm is gone. */
    alarmStarted: () => {
      alarm = null
    },
    /** The instance is lost. Some of its last transactions are durable, although nothing confirmed them. */
    lose: () => {
      sql.close()
      const written = faults.random.between(0, pending.length)
      for (const transaction of pending.splice(0).slice(0, written)) {
        if (transaction.isDoomed) return
        apply(transaction)
      }
    },
  }
}

/** Returns the database with the transactions that are not durable yet. */
function bytesAfter({ sql }: Durable, pending: readonly Transaction[]): Uint8Array | undefined {
  const copy = openSql(sql.bytes)
  for (const write of pending.flatMap(({ writes }) => writes)) {
    if (write.kind === 'deleteAll') copy.restore(() => undefined)
    if (write.kind === 'sql') copy.run(write.statement)
  }
  const bytes = copy.bytes()
  copy.close()
  return bytes
}

/** Key under which a change of tables is reported. */
export const SQL = 'sql'

let alarmSettings = 0

function applyWrite(durable: Durable, write: Write, before: Map<string, unknown>): void {
  const remember = (key: string) => {
    if (!before.has(key)) before.set(key, durable.data.get(key))
  }
  const setAlarm = (at: number | null) => {
    durable.alarm = at
    durable.alarmSet = ++alarmSettings
  }
  if (write.kind === 'alarm') setAlarm(write.at)
  else if (write.kind === 'sql') {
    remember(SQL)
    durable.sql.run(write.statement)
  } else if (write.kind === 'deleteAll') {
    for (const key of durable.data.keys()) remember(key)
    durable.data.clear()
    durable.overwritten.clear()
    durable.sql.restore(() => undefined)
    setAlarm(null)
  } else {
    remember(write.key)
    if (durable.data.has(write.key)) durable.overwritten.add(durable.data.get(write.key))
    if (write.kind === 'put') durable.data.set(write.key, write.value)
    else durable.data.delete(write.key)
  }
}

function listOf(view: ReadonlyMap<string, unknown>, options: ListOptions): [string, unknown][] {
  const { prefix = '', startAfter, end, reverse = false, limit = Number.POSITIVE_INFINITY } = options
  const keys = [...view.keys()].filter(
    (key) =>
      key.startsWith(prefix) &&
      (startAfter === undefined || key > startAfter) &&
      (end === undefined || key < end),
  )
  keys.sort()
  if (reverse) keys.reverse()
  return keys.slice(0, limit).map((key) => [key, view.get(key)])
}
