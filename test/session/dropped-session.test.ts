// A session that was dropped from the memory of a shared object (src/session/store/shared-slot.ts).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openSharedSlot } from '../../src/session/store/shared-slot.ts'
import { SlotTable } from '../../src/session/store/slot-table.ts'
import { PENDING } from './recorded-sessions.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const ADDRESS = { id: `v_${'a'.repeat(43)}`, mark: 'ab'.repeat(16) }

it('a session that was dropped from memory can no longer change a row', async () => {
  await inObject((state) => {
    const table = new SlotTable(state.storage.sql)
    const nothing = () => {}
    const observer = { plan: nothing, written: nothing, erased: nothing, moved: nothing }
    const slot = openSharedSlot(state, table, { ...ADDRESS, row: undefined }, observer)
    slot.write(PENDING, NOW)
    slot.close()
    const dropped = 'the session was dropped from memory'
    expect(() => slot.write(PENDING, NOW + 1)).toThrow(dropped)
    expect(() => slot.erase(null)).toThrow(dropped)
    slot.postpone(NOW + 1)
    slot.setAlarm(NOW - 1)
    expect(table.find(ADDRESS.mark)).toMatchObject({ wakeUp: NOW })
  })
})

/** Runs code with the state of an object. */
function inObject<T>(work: (state: DurableObjectState) => T | Promise<T>): Promise<T> {
  const stub = env.VERIFICATION_SESSION.get(env.VERIFICATION_SESSION.newUniqueId())
  return runInDurableObject(stub, (_, state) => work(state))
}
