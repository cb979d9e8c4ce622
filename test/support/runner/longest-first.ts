// Order of test files. On a fresh clone Vitest knows no times and starts with the largest files. The longest
// files would then begin last, and run alone.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONGEST = ['slow/full-size.test.ts', 'slow/crash.test.ts', 'slow/mutation.test.ts']

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((path) => moduleId.endsWith(path))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
