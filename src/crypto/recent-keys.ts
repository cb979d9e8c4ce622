// Cache in memory of the keys that were used most recently. The number of keys is limited.

export type RecentKeys<Key> = {
  readonly get: (name: string) => Key | undefined
  readonly set: (name: string, key: Key) => void
}

/** Opens a cache of `limit` keys. The least recently used key is removed first. */
export function openRecentKeys<Key>(limit: number): RecentKeys<Key> {
  const keys = new Map<string, Key>()
  const set = (name: string, key: Key) => {
    keys.delete(name)
    keys.set(name, key) // a Map keeps the order of insertion
    const [oldest] = keys.size > limit ? keys.keys() : []
    if (oldest !== undefined) keys.delete(oldest)
  }
  return {
    get: (name) => {
      const key = keys.get(name)
      if (key !== undefined) set(name, key)
      return key
    },
    set,
  }
}
