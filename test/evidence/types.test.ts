// The types of packages/evidence/types.d.ts are those of its sources. The compiler checks the comparisons.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, it } from 'vitest'
import * as Source from '../../packages/evidence/src/evidence.ts'
import type * as Public from '../../packages/evidence/types.d.ts'

it('the published types declare exactly the functions of the package', () => {
  const text = readFileSync(join(import.meta.dirname, '../../packages/evidence/types.d.ts'), 'utf8')
  const named = [...text.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(Object.keys(Source).toSorted())
})

it('the published types are equal to the types in the source code', () => {
  expectTypeOf<Public.CheckResult>().toEqualTypeOf<Source.CheckResult>()
  expectTypeOf<Public.Check>().toEqualTypeOf<Source.Check>()
  expectTypeOf<Public.Report>().toEqualTypeOf<Source.Report>()
  expectTypeOf<Omit<Public.VerifyOptions, 'trust'>>().toEqualTypeOf<Omit<Source.VerifyOptions, 'trust'>>()
  expectTypeOf<typeof Public.exitStatus>().toEqualTypeOf<typeof Source.exitStatus>()
  expectTypeOf<Source.Verified>().toExtend<Public.Verified>()
  expectTypeOf<Source.OpenedCase>().toExtend<Public.OpenedCase>()
  expectTypeOf<Omit<Source.OpenedCase, 'zip'>>().toEqualTypeOf<Omit<Public.OpenedCase, 'zip'>>()
  expectTypeOf<Parameters<typeof Public.verifyContainer>[0]>().toEqualTypeOf<
    Parameters<typeof Source.verifyContainer>[0]
  >()
  expectTypeOf<Parameters<typeof Public.readTrust>>().toEqualTypeOf<Parameters<typeof Source.readTrust>>()
  expectTypeOf<Parameters<typeof Public.openEnvelope>[2]>().toEqualTypeOf<
    Parameters<typeof Source.openEnvelope>[2]
  >()
  for (const show of ['showText', 'showHtml'] as const)
    expectTypeOf<ReturnType<(typeof Public)[typeof show]>>().toEqualTypeOf<
      ReturnType<(typeof Source)[typeof show]>
    >()
})
