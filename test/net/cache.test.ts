import { afterEach, describe, expect, it, vi } from 'vitest'
import { type CacheRules, createCache } from '../../src/net/cache.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const LIFETIME = 1000

/** A cache whose values count the reads of each name. */
function counting(rules: Partial<CacheRules<string>> = {}) {
  const cache = createCache<string>({ names: 2, waitMs: 100, ...rules })
  const reads: string[] = []
  const get = (name: string, now = NOW, read?: () => Promise<string>) =>
    cache.get(name, {
      now,
      isFresh: (_, age) => age < LIFETIME,
      read: async (last) => {
        reads.push(`${name} after ${last ?? 'nothing'}`)
        return read === undefined ? `${name}${reads.length}` : read()
      },
    })
  return { get, reads, forget: cache.forget }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a cache', () => {
  it('returns a fresh value without another read, and passes a stale value to the next read', async () => {
    const { get, reads } = counting()
    expect(await get('a')).toBe('a1')
    expect(await get('a', NOW + LIFETIME - 1)).toBe('a1')
    expect(await get('a', NOW + LIFETIME)).toBe('a2')
    expect(reads).toEqual(['a after nothing', 'a after a1'])
  })

  it('drops the least recently used value', async () => {
    const { get, reads } = counting()
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await get(name)
    expect(reads.map((read) => read[0])).toEqual(['a', 'b', 'c', 'b'])
  })

  it('drops its oldest values if the byte limit is exceeded, but keeps a single value that exceeds the limit alone', async () => {
    const { get, reads } = counting({ names: 9, bytes: { limit: 5, of: (value) => value.length } })
    for (const name of ['aa', 'bb', 'aa', 'cccccccc', 'cccccccc', 'aa']) await get(name)
    expect(reads.map((read) => read[0])).toEqual(['a', 'b', 'a', 'c', 'a'])
  })

  it('reads once for simultaneous callers, and again after a failed read', async () => {
    const { get, reads } = counting()
    expect(await Promise.all([get('a'), get('a')])).toEqual(['a1', 'a1'])
    const failing = () => Promise.reject(new Error('no'))
    await expect(get('b', NOW, failing)).rejects.toThrow('no')
    expect(await get('b')).toBe('b3')
    expect(reads).toHaveLength(3)
  })

  it.each([
    ['starts another read', undefined, 'second'],
    ['returns the substitute', 'late', 'late'],
  ])('%s if the read of another caller takes too long', async (_, late, expected) => {
    vi.useFakeTimers()
    const { get } = counting(late === undefined ? {} : { late })
    void get('a', NOW, () => new Promise(() => undefined))
    const waiting = get('a', NOW, async () => 'second')
    await vi.advanceTimersByTimeAsync(100)
    expect(await waiting).toBe(expected)
  })

  it('does not store a value that `mayStore` refuses, or a value whose read began before `forget`', async () => {
    const { get, reads, forget } = counting({ mayStore: (value) => value !== 'a1' })
    await get('a')
    const before = get('a')
    forget('a')
    await before
    await get('a')
    expect(reads).toHaveLength(3)
  })
})
