// Reason code → what the test wallet does wrong. A code of the verifier's catalogue that is not here is produced by a script of the
// verifier's own (test/conformance/response/every-reason.test.ts holds the two together).

import type { Flaw } from '../flaw.ts'
import { ANSWER_FLAWS } from './answer.ts'
import { CREDENTIAL_FLAWS } from './credential.ts'
import { HOLDER_FLAWS } from './holder.ts'

/** Every flaw. */
export const FLAWS = { ...ANSWER_FLAWS, ...CREDENTIAL_FLAWS, ...HOLDER_FLAWS } as const

export type FlawName = keyof typeof FLAWS

/** The flaw of a reason; `undefined` for what is none, `verified` among them. */
export function flawOf(reason: string): Flaw | undefined {
  return Object.hasOwn(FLAWS, reason) ? FLAWS[reason as FlawName] : undefined
}
