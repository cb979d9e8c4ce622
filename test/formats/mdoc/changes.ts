// One thing changed in a good mdoc, and the reason it is refused for.

import { describe, expect, it } from 'vitest'
import type { CheckId, PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { expectRefusal } from '../contract.ts'
import { make, verifyGood } from './good.ts'
import { type Changes, type Fields, type Making, makePrivateKey, type Value } from './maker.ts'
import { verifyOverAnnexC } from './over-annex-c.ts'

export type Case = readonly [
  name: string,
  changes: Changes,
  refusal: PresentationRefusal,
  making?: Partial<Making>,
]

/**
 * Reasons of a whole response of `org-iso-mdoc`: it may have several documents, so it counts them and reads
 * their types before any is verified.
 */
const WHOLE: Readonly<Record<string, string>> = {
  'the same document twice': 'wrong_presentation_count',
  'a docType that is not the MSO’s': 'unknown_credential_query',
  'an unknown docType': 'unknown_credential_query',
}

/** Each case is refused at this check, for its own reason, over OpenID4VP and over `org-iso-mdoc`. */
export function describeRefusals(check: CheckId, cases: readonly Case[], base: Partial<Making> = {}): void {
  describe(`an mdoc is refused at the check ${check}`, () => {
    for (const [name, changes, refusal, making] of cases) {
      it(`with ${name}`, async () => {
        expectRefusal(await verifyGood(make(changes, { ...base, ...making })), refusal, check)
      })

      it(`with ${name}, if the protocol is org-iso-mdoc`, async () => {
        const found = await verifyOverAnnexC(changes, { ...base, ...making })
        if (typeof found === 'string') expect(found).toBe(WHOLE[name] ?? refusal.reason)
        else expectRefusal(found, refusal, check)
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
