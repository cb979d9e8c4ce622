// The module `cloudflare:test` in Node, for mutation testing.

import { accessTo } from './objects.ts'

/** Calls a function with the instance of an object and its context. */
export async function runInDurableObject<T>(
  stub: object,
  work: (instance: unknown, context: unknown) => T | Promise<T>,
): Promise<T> {
  const { instance, context } = await accessTo(stub).open()
  return work(instance, context)
}

/** Runs the alarm of an object now. Returns false if none is set. */
export function runDurableObjectAlarm(stub: object): Promise<boolean> {
  return accessTo(stub).runAlarm()
}

export async function evictDurableObject(stub: object): Promise<void> {
  accessTo(stub).evict()
}
