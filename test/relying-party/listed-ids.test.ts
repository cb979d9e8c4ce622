// Ids of the listed verifications (api/lists): masked by rows of constant length, in which zeros erase an id.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { ListedIds, type MaskedId } from '../../src/relying-party/index/listed-ids.ts'
import { toKey } from '../../src/relying-party/index/stored-entry.ts'

/** Runs with the storage of an object of its own. */
function inStorage(check: (kv: SyncKvStorage) => void): Promise<void> {
  const stub = env.VERIFICATION_INDEX.get(env.VERIFICATION_INDEX.newUniqueId())
  return runInDurableObject(stub, (_, { storage }) => check(storage.kv))
}

const idOf = (number: number) => `v_${String(number).padStart(43, 'A')}`
const keyOf = (number: number, createdAt: number) => toKey({ created_at: createdAt, mark: `${number}` })
const rowsIn = (kv: SyncKvStorage) => [...kv.list<Uint8Array>({ prefix: 'id_masks/' })].map(([, row]) => row)
const numberOf = (prefix: string, kv: SyncKvStorage) => [...kv.list({ prefix })].length

/** Stores an entry as the index does. */
function add(kv: SyncKvStorage, ids: ListedIds, number: number, createdAt: number): MaskedId {
  const entry = ids.add(idOf(number), createdAt)
  kv.put(keyOf(number, createdAt), entry)
  return entry
}

it('each id is read from its entry, also after restarts, late entries and removals', () =>
  inStorage((kv) => {
    let ids = new ListedIds(kv)
    const entries = new Map<number, MaskedId>()
    for (let number = 0; number < 500; number++) {
      if (number % 7 === 0) ids = new ListedIds(kv)
      const createdAt = 1_000_000 + number * 1_000 - (number % 5 === 0 ? 400_000 : 0)
      entries.set(number, add(kv, ids, number, createdAt))
      const removed = entries.get(Math.floor((number * 31) / 40))
      if (number % 4 !== 0 || removed === undefined) continue
      ids.remove(removed)
      entries.delete(Math.floor((number * 31) / 40))
    }
    expect(new Set([...entries.values()].map(({ id_place }) => id_place)).size).toBe(entries.size)
    for (const reader of [ids, new ListedIds(kv)]) {
      for (const [number, entry] of entries) expect(reader.get(entry)).toBe(idOf(number))
    }
  }))

it('only every eightieth id writes a row besides its entry, even if the object restarts after each id', () =>
  inStorage((kv) => {
    for (let number = 0; number < 160; number++) add(kv, new ListedIds(kv), number, 1_000_000 + number)
    expect(numberOf('', kv)).toBe(160 + 2)
  }))

it('all rows have the same length, and a removed id can no longer be read from its row', () =>
  inStorage((kv) => {
    const ids = new ListedIds(kv)
    const entries = Array.from({ length: 160 }, (_, number) => add(kv, ids, number, 1_000_000))
    const before = rowsIn(kv)
    expect(new Set(before.map(({ length }) => length)).size).toBe(1)
    const texts = [...before, ...entries].map((one) => JSON.stringify(one)).join()
    expect(texts).not.toContain(idOf(1))
    for (const entry of entries) ids.remove(entry)
    expect(rowsIn(kv)).toEqual(before.map(({ length }) => new Uint8Array(length)))
    for (const entry of entries) expect(() => ids.get(entry)).toThrow('the id of an entry is missing')
  }))

it('if entries cannot be read, the next id is masked with a new row, so that no mask is used twice', () =>
  inStorage((kv) => {
    const entry = add(kv, new ListedIds(kv), 1, 1_000_000)
    const list = (options: { prefix?: string }) => {
      if (options.prefix === 'entry/') throw new TypeError('the value cannot be decoded')
      return kv.list(options)
    }
    const ids = new ListedIds({
      get: kv.get.bind(kv),
      put: kv.put.bind(kv),
      list,
    } as unknown as SyncKvStorage)
    const next = ids.add(idOf(2), 1_000_000)
    expect([entry, next].map(({ id_place }) => id_place)).toEqual([0, 80])
    expect([ids.get(entry), ids.get(next)]).toEqual([idOf(1), idOf(2)])
  }))

it('an id that an earlier version stored is read from its row, and is removed from this row', () =>
  inStorage((kv) => {
    const row = new Uint8Array(1_024 + 80 * 48)
    row.set(new TextEncoder().encode(idOf(1)), 1_024 + 5 * 48)
    kv.put('ids/00000000', row)
    const old = { verification_id: '', id_place: 5 }
    kv.put(keyOf(1, 1_000_000), old)
    const ids = new ListedIds(kv)
    const entry = add(kv, ids, 2, 1_000_000)
    expect([ids.get(old), ids.get(entry)]).toEqual([idOf(1), idOf(2)])
    ids.remove(old)
    expect(kv.get('ids/00000000')).toEqual(new Uint8Array(row.length))
    expect(ids.get(entry)).toBe(idOf(2))
  }))

it('if the write of a row fails, the next id does not use this row', () =>
  inStorage((kv) => {
    let isFull = true
    const put = (key: string, value: unknown) => {
      if (isFull) throw new Error('the disk is full')
      kv.put(key, value)
    }
    const ids = new ListedIds({ get: kv.get.bind(kv), list: kv.list.bind(kv), put } as SyncKvStorage)
    expect(() => ids.add(idOf(1), 1_000_000)).toThrow('the disk is full')
    isFull = false
    const entry = ids.add(idOf(2), 1_000_000)
    expect(new ListedIds(kv).get(entry)).toBe(idOf(2))
  }))
