// The types of packages/inspect/types.d.ts are those of its sources. The compiler checks the comparisons.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, it } from 'vitest'
import * as Source from '../../packages/inspect/src/inspect.ts'
import type * as Public from '../../packages/inspect/types.d.ts'

it('the published types name every function of the package, and no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../packages/inspect/types.d.ts'), 'utf8')
  const named = [...text.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(Object.keys(Source).toSorted())
})

it('the published types equal the types of the sources', () => {
  expectTypeOf<Public.Report>().toEqualTypeOf<Source.Report>()
  expectTypeOf<Public.InspectInput>().toEqualTypeOf<Source.InspectInput>()
  expectTypeOf<typeof Public.inspect>().toEqualTypeOf<typeof Source.inspect>()
})
