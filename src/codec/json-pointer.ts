// JSON Pointer (RFC 6901): the address of a value inside a JSON document.

/**
 * Returns the pointer of a path (§3).
 *
 * @example
 * toPointer(['a/b', 0, 'c']) // '/a~1b/0/c'
 */
export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * Returns the path of a pointer (§4).
 *
 * @example
 * fromPointer('/a~1b/0/c') // ['a/b', '0', 'c']
 */
export function fromPointer(pointer: string): string[] {
  const names = pointer.split('/').slice(1)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}
