// Results computed once for each key object, and kept as long as the object itself.

/** Returns `compute` with a memory. `undefined` is not stored. */
export function oncePer<Key extends WeakKey, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const results = new WeakMap<Key, Value>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const result = compute(key)
    if (result !== undefined) results.set(key, result)
    return result
  }
}
