import { expect, it } from 'vitest'
import TEXTS from '../../../assets/texts/en.json' with { type: 'json' }
import { REASONS, type Reason, type ReasonCode } from '../../../src/session/document/reasons.ts'
import { type AttemptReason, endFamily, refusalFamily } from '../../../src/session/document/refusal-family.ts'
import { FAMILY_OF } from './refusal-families.ts'

/** Reasons of an end, which no page shows as an attempt. */
const ENDS = ['access_denied', 'declined_on_page', 'session_expired', 'canceled_by_relying_party']

it('each reason of an attempt has one family, and each family has a text on the session page', () => {
  const reasons = Object.keys(REASONS).filter((reason) => !ENDS.includes(reason)) as AttemptReason[]
  expect(Object.fromEntries(reasons.map((reason) => [reason, refusalFamily(reason)]))).toEqual(
    Object.fromEntries(FAMILY_OF),
  )
  expect(Object.keys(TEXTS.refusals).sort()).toEqual([...new Set(FAMILY_OF.values())].sort())
})

it('each reason of a rejected session has one family, and each family of ended sessions has a text on the session page', () => {
  const all = Object.entries(REASONS as Readonly<Record<ReasonCode, Reason>>)
  const rejections = all.filter(([, { ends }]) => ends === 'rejected').map(([reason]) => reason as ReasonCode)
  const familyOf = (reason: ReasonCode) => endFamily({ status: 'rejected', outcome: { reason } })
  expect(Object.fromEntries(rejections.map((reason) => [reason, familyOf(reason)]))).toEqual({
    credential_revoked: 'revoked',
    credential_suspended: 'revoked',
    credential_expired: 'expired',
    credential_not_yet_valid: 'not_suitable',
    predicate_false: 'not_suitable',
    value_mismatch: 'not_suitable',
    holder_key_mismatch: 'not_suitable',
    assurance_level_too_low: 'not_suitable',
  })
  expect(Object.keys(TEXTS.ends).sort()).toEqual(['declined_on_page', 'expired', 'not_suitable', 'revoked'])
})

it.each([
  ['pending', null, null],
  ['verified', null, null],
  ['declined', 'access_denied', null],
  ['declined', 'declined_on_page', 'declined_on_page'],
  ['expired', 'untrusted_issuer', null],
  ['expired', 'session_expired', null],
  ['canceled', 'canceled_by_relying_party', null],
] as const)('a session with the status %s and the reason %s has the family %s', (status, reason, family) => {
  expect(endFamily({ status, outcome: { reason: reason as ReasonCode | null } })).toBe(family)
})
