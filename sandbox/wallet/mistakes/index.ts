// Reason code → mistake of the test wallet. The verifier produces the remaining codes of its catalogue itself
// (test/conformance/response/every-reason.test.ts covers all).

import type { Mistake } from '../mistake.ts'
import { CREDENTIAL_MISTAKES } from './credential.ts'
import { HOLDER_MISTAKES } from './holder.ts'
import { RESPONSE_MISTAKES } from './response.ts'

/** Every mistake. */
export const MISTAKES = { ...RESPONSE_MISTAKES, ...CREDENTIAL_MISTAKES, ...HOLDER_MISTAKES } as const

export type MistakeName = keyof typeof MISTAKES

/** Returns the mistake that causes a reason, `undefined` if none does. */
export function mistakeOf(reason: string): Mistake | undefined {
  return Object.hasOwn(MISTAKES, reason) ? MISTAKES[reason as MistakeName] : undefined
}
