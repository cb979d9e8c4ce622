// Order of test files. On a fresh clone Vitest knows no times and starts with the largest files. The longest
// files would then begin last, and run alone.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** In this order. */
const LONGEST = [
  'full-size/inputs',
  'full-size/planted',
  'release/release',
  'crash',
  'site/site',
  'mutation',
  'canary',
  'load',
  'expiry',
  'evidence/authority-and-store',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/slow/${name}.test.ts`))
      return at === -1 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}
