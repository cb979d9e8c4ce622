// Results computed once for each key object, and kept as long as the object itself.

/**
 * Returns a function that calls `compute` once for each key and stores the result. A result `undefined` is
 * not stored, and is computed again.
 */
export function oncePer<Key extends WeakKey, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const results = new WeakMap<Key, Value>()
  return (key) => {
    const storedResult = results.get(key)
    if (storedResult !== undefined) return storedResult
    const result = compute(key)
    if (result !== undefined) results.set(key, result)
    return result
  }
}
