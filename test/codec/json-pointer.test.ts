import { expect, it } from 'vitest'
import { fromPointer, toPointer } from '../../src/codec/json-pointer.ts'

it.each([
  [[], ''],
  [['a', 0, 'b'], '/a/0/b'],
  [['a/b', 'c~d', '~1', ''], '/a~1b/c~0d/~01/'],
])('the path %j is written as the JSON Pointer %j, and read back', (path, pointer) => {
  expect(toPointer(path)).toBe(pointer)
  expect(fromPointer(pointer)).toEqual(path.map(String))
})
