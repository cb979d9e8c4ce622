// api/trust: the reason if a list of issuers is missing, and what is accepted if a status is unknown.

import { describe, expect, it } from 'vitest'
import { BUILT_IN_TYPES } from '../../../src/policy/built-in-types.ts'
import { REASONS, type RefusalReason } from '../../../src/session/document/reasons.ts'
import {
  anchorsOf,
  type EvaluationInput,
  reasonOf,
  uncheckedRules,
} from '../../../src/session/response/trust-rules.ts'

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
    anchorsOf({
      settings: { trust_anchors: [own] },
      subscribed: { anchors: [listed] },
      sandboxed,
    } as unknown as EvaluationInput)

  it('are the anchors of the relying party and of its trust lists, without the sandbox', () => {
    expect(anchors(false)).toEqual([own, listed])
  })

  it('for the sandbox also include the sandbox’s own anchor, for every credential type', () => {
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
  it.each(Object.keys(REASONS) as RefusalReason[])(
    '%s is replaced by trust_list_unavailable only if it says that the issuer is untrusted while a trust list is unavailable',
    (reason) => {
      const missing = UNTRUSTED.includes(reason) ? 'trust_list_unavailable' : reason
      expect(reasonOf(reason, { anchors: [], incomplete: true } as never)).toBe(missing)
      expect(reasonOf(reason, { anchors: [], incomplete: false } as never)).toBe(reason)
    },
  )
})

describe('the rule for a check that could not be made', () => {
  it.each([
    ['low', 'accept', 'accept_unknown', 'accept', 'accept_unknown'],
    ['low', 'refuse', 'require', 'refuse', 'require'],
    ['low', 'refuse', 'off', 'refuse', 'off'],
    ['substantial', 'accept', 'accept_unknown', 'refuse', 'require'],
    ['high', 'accept', 'off', 'refuse', 'off'],
    ['high', 'refuse', 'require', 'refuse', 'require'],
  ])(
    'at the required level %s, turns status_unavailable %s and certificate_revocation %s into %s and %s',
    (level, status, revocation, statusUnavailable, certificateRevocation) => {
      const input = {
        document: { request: { required_assurance_level: level } },
        settings: { status_unavailable: status, certificate_revocation: revocation },
      } as unknown as EvaluationInput
      expect(uncheckedRules(input)).toEqual({ statusUnavailable, certificateRevocation })
    },
  )
})
