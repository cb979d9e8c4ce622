// Results that are computed once for each key object, and are kept for as long as the object itself.

/** `compute` with a memory. `undefined` is not kept. */
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
