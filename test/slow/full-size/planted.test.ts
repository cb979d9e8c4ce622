// Tests of planted mistakes and faults that run at a tenth of their size elsewhere, at their full size
// (test/support/runner/size.ts).

import '../../simulation/histories.test.ts'
import '../../simulation/mutants.test.ts'
import '../../system/fuzz.test.ts'
