import { expect, it } from 'vitest'
import { openRecentKeys } from '../../src/crypto/recent-keys.ts'

it('the cache of recent keys returns the key that is stored under a name, and undefined for other names', () => {
  const recent = openRecentKeys<number>(2)
  recent.set('a', 1)
  expect([recent.get('a'), recent.get('b')]).toEqual([1, undefined])
})

it('the cache of recent keys drops the least recently used entry if it has too many entries', () => {
  const recent = openRecentKeys<number>(2)
  recent.set('a', 1)
  recent.set('b', 2)
  recent.get('a')
  recent.set('c', 3)
  expect(['a', 'b', 'c'].map(recent.get)).toEqual([1, undefined, 3])
})
