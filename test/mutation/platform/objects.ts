// Durable Objects in one Node process: namespaces, stubs, instances and calls between them. Nothing fails
// here. Faults are the matter of test/simulation, and the real platform the matter of the projects `workers`
// and `system`.

import { createHash, randomBytes } from 'node:crypto'
import { openStorage, type Storage } from './storage.ts'

type Method = (...parameters: readonly unknown[]) => unknown
type Instance = Readonly<Record<string, Method>>
/** A class of the service. */
export type ObjectClass = new (ctx: never, env: never) => object

type Living = { readonly instance: Instance; readonly context: ReturnType<typeof contextOf> }
type ObjectEntry = { readonly id: string; readonly storage: Storage; living: Living | undefined }

/** Opens a namespace. `load` imports the class when the first object is called. */
export function openNamespace(load: () => Promise<ObjectClass>, env: () => object) {
  const objects = new Map<string, ObjectEntry>()

  const entryOf = (id: string): ObjectEntry => {
    const known = objects.get(id)
    if (known !== undefined) return known
    const storage = openStorage(() => void runAlarm(entry).catch(() => undefined))
    const entry: ObjectEntry = { id, storage, living: undefined }
    objects.set(id, entry)
    return entry
  }
  const open = async (entry: ObjectEntry): Promise<Living> => {
    const Class = await load()
    if (entry.living === undefined) {
      const context = contextOf(entry)
      entry.living = { instance: new Class(context as never, env() as never) as Instance, context }
    }
    const { living } = entry
    await living.context.blocked()
    return living
  }
  const call = async (entry: ObjectEntry, method: string, parameters: readonly unknown[]) => {
    const { instance } = await open(entry)
    // A request and a response of `fetch` are not plain data.
    if (method === 'fetch') return instance.fetch?.(new Request(...(parameters as [string, RequestInit])))
    return structuredClone(await instance[method]?.(...structuredClone(parameters)))
  }
  const accessOf = (entry: ObjectEntry): TestAccess => ({
    open: () => open(entry),
    runAlarm: () => runAlarm(entry),
    evict: () => {
      entry.living = undefined
    },
  })
  const stubOf = (id: { toString(): string }) => {
    const entry = entryOf(String(id))
    return new Proxy(
      { id: idOf(entry.id), [ACCESS]: accessOf(entry) },
      {
        get: (target, name) => {
          // A stub is not a promise.
          if (name === 'id' || name === ACCESS || name === 'then') return Reflect.get(target, name)
          return (...parameters: readonly unknown[]) => call(entry, String(name), parameters)
        },
      },
    )
  }
  const runOneAlarm = async (entry: ObjectEntry): Promise<boolean> => {
    if ((await entry.storage.getAlarm()) === null) return false
    await entry.storage.deleteAlarm()
    await (await open(entry)).instance.alarm?.()
    return true
  }
  /** Last alarm of each object: an object runs one alarm after the other. */
  const alarms = new WeakMap<ObjectEntry, Promise<unknown>>()
  const runAlarm = (entry: ObjectEntry): Promise<boolean> => {
    const run = Promise.resolve(alarms.get(entry)).then(() => runOneAlarm(entry))
    alarms.set(
      entry,
      run.catch(() => undefined),
    )
    return run
  }
  const named = (name: string) => idOf(createHash('sha256').update(name).digest('hex'))
  return {
    newUniqueId: () => idOf(entryOf(randomBytes(32).toString('hex')).id),
    idFromName: named,
    idFromString: (id: string) => {
      if (!objects.has(id)) throw new TypeError('the platform did not make this id')
      return idOf(id)
    },
    get: stubOf,
    getByName: (name: string) => stubOf(named(name)),
  }
}

const ACCESS = Symbol('access')

/** Access of tests to the object behind a stub. */
type TestAccess = {
  readonly open: () => Promise<Living>
  readonly runAlarm: () => Promise<boolean>
  /** Drops the instance. Its storage stays. */
  readonly evict: () => void
}

/** Returns the access of tests to an object. */
export function accessTo(stub: object): TestAccess {
  return Reflect.get(stub, ACCESS) as TestAccess
}

function idOf(id: string) {
  return { toString: () => id, equals: (other: unknown) => String(other) === id }
}

function contextOf({ id, storage }: ObjectEntry) {
  let blocked: Promise<unknown> = Promise.resolve()
  const sockets: unknown[] = []
  return {
    id: idOf(id),
    storage,
    getWebSockets: () => sockets,
    acceptWebSocket: (socket: unknown) => void sockets.push(socket),
    waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
    blockConcurrencyWhile: (work: () => Promise<unknown>) => {
      blocked = Promise.all([blocked, work()])
      return blocked
    },
    blocked: () => blocked,
  }
}
