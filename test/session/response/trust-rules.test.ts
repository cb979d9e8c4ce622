// api/trust: the reason if a list of issuers is missing, and what is accepted if a status is unknown.

import { describe, expect, it } from 'vitest'
import {
  chooseReason,
  type EvaluationReason,
  type UncheckedSettings,
  uncheckedRules,
} from '../../../src/exchange/unchecked.ts'
import { BUILT_IN_TYPES } from '../../../src/policy/built-in-types.ts'
import { REASONS } from '../../../src/session/document/reasons.ts'
import { collectAnchors, type EvaluationInput } from '../../../src/session/response/trust-rules.ts'
import type { AssuranceLevel } from '../../../src/trust/anchors/anchor.ts'

/** Refusals of a well-formed chain whose anchor may be in the missing list. */
const UNTRUSTED: readonly string[] = [
  'untrusted_issuer',
  'invalid_certificate_path',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_profile_violation',
  'trust_anchor_in_chain',
  'self_signed_certificate',
]

describe('the trust anchors', () => {
  const own = { name: 'Own', credential_types: ['membership'] }
  const listed = { name: 'Listed', credential_types: ['pid'] }
  const anchors = (sandboxed: boolean) =>
    collectAnchors({
      settings: { trust_anchors: [own] },
      subscribed: { anchors: [listed] },
      document: { request: {} },
      sandboxed,
    } as unknown as EvaluationInput)

  it('are the anchors of the relying party and of its trust lists, without the sandbox', () => {
    expect(anchors(false)).toEqual([own, listed])
  })

  it('include the sandbox’s own anchor for every credential type, if the sandbox is accepted', () => {
    const [first, second, ...sandbox] = anchors(true)
    expect([first, second]).toEqual([own, listed])
    expect(sandbox.length).toBeGreaterThan(0)
    const types = [...BUILT_IN_TYPES.map(({ name }) => name), '*', 'membership', 'pid']
    for (const anchor of sandbox) {
      expect([anchor.name, anchor.credential_types]).toEqual(['Sandbox', types])
    }
  })
})

describe('the reason of a refusal', () => {
  it.each(Object.keys(REASONS) as EvaluationReason[])(
    '%s becomes trust_list_unavailable only if it means an untrusted issuer and a trust list is unavailable',
    (reason) => {
      const missing = UNTRUSTED.includes(reason) ? 'trust_list_unavailable' : reason
      expect(chooseReason(reason, { incomplete: true })).toBe(missing)
      expect(chooseReason(reason, { incomplete: false })).toBe(reason)
    },
  )
})

describe('the rules for a check that is not possible', () => {
  it.each([
    ['low', 'accept', 'accept_unknown', 'accept', 'accept_unknown'],
    ['low', 'refuse', 'require', 'refuse', 'require'],
    ['low', 'refuse', 'off', 'refuse', 'off'],
    ['substantial', 'accept', 'accept_unknown', 'refuse', 'require'],
    ['high', 'accept', 'off', 'refuse', 'off'],
    ['high', 'refuse', 'require', 'refuse', 'require'],
  ])(
    'at the required level %s, the settings status_unavailable %s and certificate_revocation %s are applied as %s and %s',
    (level, status, revocation, statusUnavailable, certificateRevocation) => {
      const settings = { status_unavailable: status, certificate_revocation: revocation }
      const rules = uncheckedRules(settings as UncheckedSettings, level as AssuranceLevel)
      expect(rules).toEqual({ statusUnavailable, certificateRevocation })
    },
  )
})
