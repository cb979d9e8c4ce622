// Rounds of the erasure of metadata in a day's list (api/lists).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { MetadataErasure } from '../../src/relying-party/index/metadata-erasure.ts'
import { type StoredEntry, toKey } from '../../src/relying-party/index/stored-entry.ts'

const NOW = Date.now()
const HOUR = 3_600_000
/** One more than one call reads. */
const ENTRIES = 2_001

/** An entry whose metadata are erased at this time. */
const entryUntil = (metadata_until: number) => ({ metadata_until, sealed_metadata: 'sealed' }) as StoredEntry

it('the metadata erasure reads no entries between the end of one round and the time when metadata is due again', () => {
  const stub = env.VERIFICATION_INDEX.get(env.VERIFICATION_INDEX.newUniqueId())
  return runInDurableObject(stub, (_, { storage: { kv } }) => {
    const keyOf = (number: number) => toKey({ created_at: NOW + number, mark: 'mark' })
    for (let i = 0; i < ENTRIES; i++) kv.put(keyOf(i), entryUntil(NOW))
    const sealed = () =>
      [...kv.list<StoredEntry>({ prefix: 'entry/' })].filter(([, entry]) => entry.sealed_metadata !== null)
    const list = vi.spyOn(kv, 'list')
    const erasure = new MetadataErasure(kv)
    expect(erasure.run(NOW)).toBe(NOW + 1_000)
    expect(erasure.run(NOW + 1_000)).toBeNull()
    expect(sealed()).toEqual([])

    list.mockClear()
    for (let seconds = 2; seconds < 10; seconds++) expect(erasure.run(NOW + seconds * 1_000)).toBeNull()
    expect(list).not.toHaveBeenCalled()

    const added = entryUntil(NOW + 2 * HOUR)
    kv.put(keyOf(ENTRIES), added)
    const at = erasure.plan(added)
    expect(at).toBe(NOW + 2 * HOUR)
    expect(erasure.run(NOW + HOUR)).toBe(at)
    expect(list).not.toHaveBeenCalled()
    expect(erasure.run(NOW + 2 * HOUR)).toBe(NOW + 2 * HOUR + 1_000)
    erasure.run(NOW + 2 * HOUR + 1_000)
    expect(sealed()).toEqual([])
  })
})
