// Ids of the listed verifications (api/lists): rows of constant length, in which a removed id is overwritten.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { ListedIds } from '../../src/relying-party/index/listed-ids.ts'

/** Runs with the storage of an object of its own. */
function inStorage(check: (kv: SyncKvStorage) => void): Promise<void> {
  const stub = env.VERIFICATION_INDEX.get(env.VERIFICATION_INDEX.newUniqueId())
  return runInDurableObject(stub, (_, { storage }) => check(storage.kv))
}

const idOf = (number: number) => `v_${String(number).padStart(43, 'A')}`

it('each id is read at its place, also after a restart and after ids were removed', () =>
  inStorage((kv) => {
    let ids = new ListedIds(kv)
    const places = new Map<number, string>()
    for (let number = 0; number < 500; number++) {
      if (number % 70 === 0) ids = new ListedIds(kv)
      places.set(ids.add(idOf(number)), idOf(number))
      const removed = [...places.keys()][(number * 31) % places.size]
      if (number % 4 !== 0 || removed === undefined) continue
      ids.remove(removed)
      places.delete(removed)
    }
    for (const reader of [ids, new ListedIds(kv)]) {
      for (const [place, id] of places) expect(reader.get(place)).toBe(id)
    }
  }))

it('all rows have one length, in which a removed id is zeros', () =>
  inStorage((kv) => {
    const ids = new ListedIds(kv)
    const places = Array.from({ length: 200 }, (_, number) => ids.add(idOf(number)))
    const rows = () => [...kv.list<Uint8Array>({ prefix: 'ids/' })].map(([, bytes]) => bytes)
    const before = rows()
    expect(new Set(before.map(({ length }) => length)).size).toBe(1)
    for (const place of places) ids.remove(place)
    expect(rows()).toEqual(before.map(({ length }) => new Uint8Array(length)))
  }))

it('an id whose write fails is not stored by the next write', () =>
  inStorage((kv) => {
    let isFull = false
    const put = (key: string, value: unknown) => {
      if (isFull) throw new Error('the disk is full')
      kv.put(key, value)
    }
    const ids = new ListedIds({ get: kv.get.bind(kv), list: kv.list.bind(kv), put } as SyncKvStorage)
    ids.add(idOf(1))
    isFull = true
    expect(() => ids.add(idOf(2))).toThrow('the disk is full')
    isFull = false
    ids.add(idOf(3))
    const [row] = [...kv.list<Uint8Array>({ prefix: 'ids/' })].map(([, bytes]) =>
      new TextDecoder().decode(bytes),
    )
    expect(row).toContain(idOf(3))
    expect(row).not.toContain(idOf(2))
  }))
