// One thing changed in a good mdoc, and the reason it is refused for.

import { describe, it } from 'vitest'
import type { CheckId, PresentationRefusal } from '../../../src/formats/format.ts'
import { expectRefusal } from '../contract.ts'
import { make, verifyGood } from './good.ts'
import { type Changes, type Fields, type Making, makePrivateKey, type Value } from './maker.ts'

export type Case = readonly [
  name: string,
  changes: Changes,
  refusal: PresentationRefusal,
  making?: Partial<Making>,
]

/** Each case is refused at this check, for its own reason. */
export function describeRefusals(check: CheckId, cases: readonly Case[], base: Partial<Making> = {}): void {
  describe(`refused at the check ${check}`, () => {
    for (const [name, changes, refusal, making] of cases) {
      it(`with ${name}`, async () => {
        expectRefusal(await verifyGood(make(changes, { ...base, ...making })), refusal, check)
      })
    }
  })
}

export const STRANGER = makePrivateKey('P-256')

export const badAlgorithm: PresentationRefusal = { reason: 'unsupported_algorithm' }
export const critical: PresentationRefusal = { reason: 'unsupported_critical_header' }

/** Sets a member; `undefined` takes it away. */
export function set(name: string, value: Value) {
  return (fields: Fields) => {
    if (value === undefined) delete fields[name]
    else fields[name] = value
  }
}

/** The same bytes but for the last bit. */
export const flipLast = (bytes: Value) => {
  const flipped = Uint8Array.from(bytes as Uint8Array)
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1
  return flipped
}
