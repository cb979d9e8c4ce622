// Verified presentations, matched again with the query of the policy: a chosen wallet may have been asked for
// less, and only the policy decides.

import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../../src/formats/index.ts'
import type { CredentialQuery, DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import { matchAgain, type VerifiedPresentation } from '../../../src/openid4vp/response/verify-response.ts'

const VCT = 'urn:example:card'
const CARD: CredentialQuery = {
  id: 'card',
  format: 'dc+sd-jwt',
  meta: { vct_values: [VCT] },
  claims: [{ path: ['level'], values: ['gold'] }, { path: ['number'] }],
}
const CARD_MDOC: CredentialQuery = {
  id: 'mdoc',
  format: 'mso_mdoc',
  meta: { doctype_value: 'org.example.card' },
}
const EITHER: DcqlQuery = {
  credentials: [CARD, CARD_MDOC],
  credential_sets: [{ options: [['card'], ['mdoc']] }],
}

/** Members of a verified credential that matching reads. */
function presentation(changes: object = {}, queryId = 'card'): VerifiedPresentation {
  const claims = { level: 'gold', number: '17' }
  const credential = {
    format: 'dc+sd-jwt',
    typeIdentifier: VCT,
    holderBound: true,
    authorityKeyIdentifiers: [],
    anchor: {},
    claims,
    ...changes,
  }
  return { queryId, credential: credential as never, valueMismatches: [] }
}

describe('a presentation for a query that requires less than the policy', () => {
  it('satisfies the query of the policy if it has all claims of one option', () => {
    expect(matchAgain(EITHER, [presentation()], FORMATS)).toMatchObject({
      ok: true,
      value: [{ queryId: 'card', valueMismatches: [] }],
    })
  })

  it('has a value mismatch if the policy does not allow one of its values', () => {
    const other = presentation({ claims: { level: 'silver', number: '17' } })
    expect(matchAgain(EITHER, [other], FORMATS)).toMatchObject({
      ok: true,
      value: [{ valueMismatches: [['level']] }],
    })
  })

  it.each([
    ['lacks a claim', presentation({ claims: { level: 'gold' } })],
    ['is of another type', presentation({ typeIdentifier: 'urn:example:other' })],
    ['is of another format', presentation({ format: 'jwt_vc_json' })],
    ['has no holder binding', presentation({ holderBound: false })],
    ['is for a query that the policy does not have', presentation({}, 'other')],
    ['is for another query of the policy', presentation({}, 'mdoc')],
  ])('does not satisfy the policy if it %s', (_, presented) => {
    expect(matchAgain(EITHER, [presented], FORMATS)).toEqual({
      ok: false,
      error: { reason: 'query_not_satisfied' },
    })
  })

  it('is not enough if the policy needs two credentials', () => {
    const both = { credentials: [CARD, CARD_MDOC] }
    expect(matchAgain(both, [presentation()], FORMATS)).toMatchObject({ ok: false })
  })
})
