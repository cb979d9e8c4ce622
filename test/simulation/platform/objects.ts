// Durable Objects: namespaces, stubs, instances, calls between them, and alarms. An object has one instance
// at a time. An instance can be lost between any two steps. Then its memory is gone, its calls fail, and its
// code never continues.

import { createHash } from 'node:crypto'
import { openAlarms } from './alarms.ts'
import { cloneOf } from './clone.ts'
import { Fault, type Faults } from './faults.ts'
import type { Random } from './random.ts'
import { currentOwner, type Owner, type Scheduler } from './scheduler.ts'
import { closeSockets, type SimulatedSocket } from './sockets.ts'
import { type Durable, emptyDurable, type InstanceStorage, openStorage } from './storage.ts'

/** A class of the service. Its instances are called by the names of their methods. */
export type ObjectClass = new (ctx: never, env: never) => object

export type SimulatedObject = {
  /** Kind and number, the same in each run of a history. */
  readonly name: string
  readonly kind: string
  readonly id: string
  /** Name that the service calls it by; null for an object that has an id alone. */
  readonly label: string | null
  readonly durable: Durable
  readonly sockets: Set<SimulatedSocket>
  instance: Instance | undefined
}

/** Returns true for an object that may have the list of a day, with the log of the day or alone. */
export function isList({ kind }: Pick<SimulatedObject, 'kind'>): boolean {
  return kind === 'EVENT_LOG' || kind === 'VERIFICATION_INDEX'
}

export type Instance = Owner & {
  readonly object: SimulatedObject
  readonly storage: InstanceStorage
  readonly fails: Set<(error: Fault) => void>
  target: Readonly<Record<string, (...parameters: readonly unknown[]) => unknown>>
  blocked: Promise<unknown>
}

/** Reports of the platform to the ledger of a history. */
export type PlatformEvents = {
  readonly committed: (object: SimulatedObject, before: ReadonlyMap<string, unknown>) => void
  readonly noted: (text: string) => void
  /** An instance was lost, or a write of it failed. */
  readonly interrupted: (object: SimulatedObject) => void
  /** The process ended. */
  readonly crashed: () => void
}

export type Objects = ReturnType<typeof openObjects>

/** The world outside the objects. It is never lost. */
export const WORLD: Owner = { name: 'world', alive: true }

export function openObjects({
  scheduler,
  faults,
  random,
  events,
}: {
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly random: Random
  readonly events: PlatformEvents
}) {
  const objects = new Map<string, SimulatedObject>()
  /** Ids that namespaces have made, with the kind of their objects. */
  const issued = new Set<string>()
  const classes = new Map<string, ObjectClass>()
  const shared = { env: {} }

  const objectOf = (kind: string, id: string, label: string | null = null): SimulatedObject => {
    const known = objects.get(`${kind}/${id}`)
    if (known !== undefined) return known
    const durable = emptyDurable()
    const name = `${kind} ${objects.size + 1}`
    const made = { name, kind, id, label, durable, sockets: new Set<SimulatedSocket>(), instance: undefined }
    objects.set(`${kind}/${id}`, made)
    return made
  }
  const lose = (instance: Instance, why: string): void => {
    if (!instance.alive) return
    instance.alive = false
    instance.object.instance = undefined
    events.noted(`${instance.name} is lost: ${why}`)
    instance.storage.lose()
    events.interrupted(instance.object)
    for (const fail of [...instance.fails]) fail(new Fault(`the object was reset: ${why}`))
  }
  /** Returns the living instance, and makes one if there is none. */
  const open = (object: SimulatedObject): Instance => {
    if (object.instance !== undefined) return object.instance
    const Class = classes.get(object.kind)
    if (Class === undefined) throw new Error(`no class ${object.kind}`)
    const instance = {
      name: object.name,
      alive: true,
      object,
      fails: new Set(),
    } as unknown as Instance
    const storage = openStorage(object.durable, instance, {
      scheduler,
      faults,
      events: {
        committed: (before) => events.committed(object, before),
        alarmChanged: () => alarms.set(object),
        broken: () => lose(instance, 'a write failed'),
        refused: () => events.interrupted(object),
      },
    })
    Object.assign(instance, { storage, blocked: Promise.resolve() })
    object.instance = instance
    const ctx = contextOf(instance, (fault) => lose(instance, fault))
    try {
      scheduler.as(instance, () => {
        instance.target = new Class(ctx as never, shared.env as never) as Instance['target']
      })
    } catch (error) {
      lose(instance, 'its constructor threw')
      throw error
    }
    return instance
  }
  /** Runs a method. `respond` gets its result when all writes before it are durable, or the error. */
  const run = (
    object: SimulatedObject,
    method: string,
    parameters: readonly unknown[],
    respond: Respond,
  ): void => {
    let instance: Instance
    try {
      instance = open(object)
    } catch (error) {
      respond(error, undefined) // its constructor threw
      return
    }
    let isOver = false
    const settle: Respond = (error, value) => {
      if (isOver) return
      isOver = true
      instance.fails.delete(fail)
      respond(error, value)
    }
    const fail = (error: unknown) => settle(error, undefined)
    instance.fails.add(fail)
    scheduler.as(instance, async () => {
      try {
        await instance.blocked
        const value = await instance.target[method]?.(...parameters)
        if (instance.alive) instance.storage.whenWritten(() => settle(undefined, value))
      } catch (error) {
        // A rejected call also waits for the writes before it.
        if (instance.alive) instance.storage.whenWritten(() => fail(error))
      }
    })
  }
  const alarms = openAlarms({ scheduler, faults, run, world: WORLD, noted: events.noted })

  const call = (object: SimulatedObject, method: string, parameters: readonly unknown[]) => {
    const caller = currentOwner()
    return new Promise((resolve, reject) => {
      const answer: Respond = (error, value) => {
        const isLost = faults.happens('answerLost')
        const copy = method === 'fetch' ? value : cloneOf(value)
        const arrive = () => {
          if (isLost) reject(new Fault(`the answer of ${method} was lost`))
          else if (error !== undefined) reject(error)
          else resolve(copy)
        }
        scheduler.post(caller, arrive)
      }
      whenSent(caller, () => {
        const sent = method === 'fetch' ? parameters : cloneOf(parameters)
        if (faults.happens('requestLost')) {
          return scheduler.post(caller, () => reject(new Fault(`the call of ${method} was lost`)))
        }
        const delay = faults.callDelay()
        const deliver = () => run(object, method, sent, answer)
        if (delay === 0) scheduler.post(WORLD, deliver)
        else scheduler.after(delay, deliver, WORLD)
      })
    })
  }

  return {
    shared,
    all: () => [...objects.values()],
    objectOf,
    alarms,
    register: (kind: string, Class: ObjectClass) => void classes.set(kind, Class),
    namespace: (kind: string) => namespaceOf({ kind, random, issued, objectOf, call }),
    /** Makes an instance, as any request to the object does. */
    touch: (object: SimulatedObject) => void open(object),
    evict: (object: SimulatedObject, why: string) => {
      if (object.instance !== undefined) lose(object.instance, why)
    },
    /** The process ends: all instances and sockets are gone. */
    crash: (why: string) => {
      for (const { instance, sockets } of objects.values()) {
        if (instance !== undefined) lose(instance, why)
        closeSockets(sockets)
      }
      events.crashed()
    },
    living: () => [...objects.values()].filter(({ instance }) => instance !== undefined),
    whenSent,
  }
}

export type Respond = (error: unknown, value: unknown) => void

/** Output gate: a message leaves when the writes of its sender before it are durable. */
export function whenSent(owner: Owner, send: () => void): void {
  if ('storage' in owner) (owner as Instance).storage.whenWritten(send)
  else send()
}

function contextOf(instance: Instance, fail: (why: string) => void) {
  const { object, storage } = instance
  return {
    id: idOf(object.id),
    storage: storage.api,
    getWebSockets: (tag?: string) =>
      [...object.sockets].filter(({ tags }) => tag === undefined || tags.includes(tag)),
    acceptWebSocket: (socket: SimulatedSocket, tags: readonly string[] = []) =>
      void object.sockets.add(socket.of(instance, tags)),
    waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
    blockConcurrencyWhile: (work: () => Promise<unknown>) => {
      const done = work()
      instance.blocked = Promise.all([instance.blocked, done])
      instance.blocked.catch(() => fail('its constructor failed'))
      done.catch(() => undefined) // the service does not wait for it
      return done
    },
  }
}

let runs = 0

function idOf(id: string) {
  return { toString: () => id, equals: (other: unknown) => String(other) === id }
}

function namespaceOf({
  kind,
  random,
  issued,
  objectOf,
  call,
}: {
  readonly kind: string
  readonly random: Random
  readonly issued: Set<string>
  readonly objectOf: (kind: string, id: string, label?: string) => SimulatedObject
  readonly call: (object: SimulatedObject, method: string, parameters: readonly unknown[]) => unknown
}) {
  const stubOf = (id: string, label?: string) => {
    const object = objectOf(kind, id, label)
    return new Proxy(
      { id: idOf(id) },
      {
        get: (target, name) => {
          if (name === 'id') return target.id
          // A stub is not a promise.
          if (name === 'then') return undefined
          // The platform makes a request of the address.
          if (name === 'fetch') return (url: string) => call(object, 'fetch', [{ url }])
          return (...parameters: readonly unknown[]) => call(object, String(name), parameters)
        },
      },
    )
  }
  const made = (id: string) => {
    issued.add(`${kind}/${id}`)
    return idOf(id)
  }
  /** As on the platform, an id is valid in the namespace alone that made it. */
  const checked = (id: { toString(): string }) => {
    if (!issued.has(`${kind}/${id}`)) throw new TypeError('the namespace did not make this id')
    return String(id)
  }
  const named = (name: string) => createHash('sha256').update(`${kind} ${name}`).digest('hex')
  return {
    newUniqueId: () => {
      const bytes = new Uint8Array(32)
      random.bytes(bytes)
      return made(Buffer.from(bytes).toString('hex'))
    },
    /** An id of its own in every run: caches of the service's modules outlive a history. */
    newIdOfRun: () => {
      const id = createHash('sha256').update(`run ${++runs}`).digest('hex')
      objectOf(kind, id)
      return made(id)
    },
    idFromName: (name: string) => made(named(name)),
    idFromString: (id: string) => idOf(checked(id)),
    get: (id: { toString(): string }) => stubOf(checked(id)),
    getByName: (name: string) => stubOf(String(made(named(name))), name),
  }
}
