// Rows that objects read.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'

/** Returns the rows of lists that objects read while `work` runs, by the platform's own method. */
export async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  const anyObject = env.VERIFICATION_SESSION.get(env.VERIFICATION_SESSION.newUniqueId())
  const kv = await runInDurableObject(anyObject, (_, state) => Object.getPrototypeOf(state.storage.kv))
  const list = kv.list
  let rows = 0
  const counted = vi.spyOn(kv, 'list').mockImplementation(function* (this: unknown, options: unknown) {
    for (const row of list.call(this, options)) {
      rows += 1
      yield row
    }
  })
  await work()
  counted.mockRestore()
  return rows
}
