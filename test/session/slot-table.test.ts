// The size of a session in a shared object (src/session/store/slot-table.ts).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { Env } from '../../src/env.ts'
import { SlotTable } from '../../src/session/store/slot-table.ts'

const { SHARED_SESSIONS }: Env = env
const MARK = 'a'.repeat(32)
/** Claims of 850,000 bytes that were encrypted and signed, and 400,000 bytes more. */
const LARGEST = Math.ceil((850_000 * 16) / 9) + 400_000

it.each([
  ['with the largest claims and two tokens is stored', LARGEST, 'stored'],
  ['of 2.1 MB is refused', 2_100_000, 'the document of a session is too long'],
])('a document %s', async (_, length, result) => {
  const stub = SHARED_SESSIONS?.getByName(`size-${length}`)
  if (stub === undefined) throw new Error('no binding SHARED_SESSIONS')
  const stored = await runInDurableObject(stub, (_object, { storage }) => {
    const table = new SlotTable(storage.sql)
    const document = { text: 'x'.repeat(length) }
    try {
      const { place } = table.write(undefined, { id: 'v_1', mark: MARK }, { document, wakeUp: null })
      return JSON.stringify(table.read(place).document) === JSON.stringify(document) ? 'stored' : 'changed'
    } catch (error) {
      return (error as Error).message
    }
  })
  expect(stored).toBe(result)
})
