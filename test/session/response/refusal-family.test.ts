import { expect, it } from 'vitest'
import TEXTS from '../../../assets/texts/en.json' with { type: 'json' }
import { REASONS } from '../../../src/session/document/reasons.ts'
import { type AttemptReason, refusalFamily } from '../../../src/session/document/refusal-family.ts'
import { FAMILY_OF } from './refusal-families.ts'

/** Reasons of an end, which no page shows as an attempt. */
const ENDS = ['access_denied', 'session_expired', 'canceled_by_relying_party']

it('each reason of an attempt has one family, and each family has a text on the session page', () => {
  const reasons = Object.keys(REASONS).filter((reason) => !ENDS.includes(reason)) as AttemptReason[]
  expect(Object.fromEntries(reasons.map((reason) => [reason, refusalFamily(reason)]))).toEqual(
    Object.fromEntries(FAMILY_OF),
  )
  expect(Object.keys(TEXTS.refusals).sort()).toEqual([...new Set(FAMILY_OF.values())].sort())
})
