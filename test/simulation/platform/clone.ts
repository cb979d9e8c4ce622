// A copy of plain data, as a call between objects or a write to storage makes it. It is some times faster
// than `structuredClone`. Whatever else is sent fails, as most of it would on the platform.

export function cloneOf<T>(value: T): T {
  return copy(value) as T
}

function copy(value: unknown): unknown {
  if (typeof value === 'function') throw new DOMException('a function cannot be cloned', 'DataCloneError')
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  if (value instanceof Uint8Array) return value.slice()
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, copy(one)]))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value)
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(value)) copied[key] = copy((value as Record<string, unknown>)[key])
  return copied
}
