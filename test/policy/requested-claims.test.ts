import { describe, expect, it } from 'vitest'
import type { CredentialSetQuery } from '../../src/openid4vp/dcql/query.ts'
import { requestedClaims } from '../../src/policy/requested-claims.ts'
import { ALL_FORMATS, policyOf, SD_JWT } from './fixtures.ts'

const claim = (name: string, optional = false) => ({ kind: 'claim', name, optional })

describe('the claims that types and scopes request', () => {
  it('are the scopes, and the types that have these scopes are alternatives', () => {
    const asked = requestedClaims(policyOf({ credential_types: ['age_attestation', 'pid'] }))
    expect(asked).toEqual({
      items: [claim('age_over_18')],
      groups: [{ alternatives: [[['age_attestation']], [['pid']]], optional: false }],
    })
  })

  it('keep the order of the scopes', () => {
    const all = { credential_types: ['membership', 'pid'], scope: ['family_name', 'active'] }
    const { items } = requestedClaims(policyOf({ ...all, credential_match: 'all' }))
    expect(items).toEqual([claim('family_name'), claim('active')])
  })

  it('contain a type once, even if it has several formats', () => {
    const { groups } = requestedClaims(policyOf({}, ALL_FORMATS))
    expect(groups).toEqual([{ alternatives: [[['age_attestation']]], optional: false }])
  })

  it('are one group if all types are required, even if one type has no requested claim', () => {
    const all = { credential_types: ['pid', 'membership'], scope: ['family_name', 'active'] }
    const both = policyOf({ ...all, credential_match: 'all' }, [SD_JWT])
    const asked = requestedClaims({
      ...both,
      scope: ['family_name'],
      descriptors: both.descriptors.map((one) => (one.query_id === 'pid' ? one : { ...one, scopes: [] })),
    })
    expect(asked).toEqual({
      items: [claim('family_name'), { kind: 'credential', name: 'membership', optional: false }],
      groups: [{ alternatives: [[['pid'], ['membership']]], optional: false }],
    })
  })
})

describe('the claims that a query requests', () => {
  const descriptors = ['a', 'b', 'c'].map((id) => ({
    query_id: id,
    credential_type: id.toUpperCase(),
    scopes: [{ scope: `${id}.x`, display_name: id === 'c' ? 'a' : id, path: ['x'], boolean: false }],
  }))
  const credentials = ['a', 'b', 'c'].map((id) => ({ id, format: 'dc+sd-jwt', meta: {} }))
  const asked = (credential_sets?: CredentialSetQuery[]) =>
    requestedClaims({
      scope: [],
      query: { credentials, ...(credential_sets && { credential_sets }) },
      descriptors,
    })

  it('are all claims, by their display names, if the query has no credential sets', () => {
    expect(asked()).toEqual({
      items: [claim('a'), claim('b')],
      groups: [{ alternatives: [[['A'], ['B'], ['C']]], optional: false }],
    })
  })

  it('are optional if only optional credential sets request them', () => {
    const sets = [{ options: [['c']] }, { options: [['b'], ['a', 'c']], required: false }]
    expect(asked(sets)).toEqual({
      items: [claim('a'), claim('b', true)],
      groups: [
        { alternatives: [[['C']]], optional: false },
        { alternatives: [[['B']], [['A'], ['C']]], optional: true },
      ],
    })
  })

  it('are a choice between types if a query accepts several types', () => {
    const both = [...descriptors, { ...descriptors[0]!, credential_type: 'Z' }]
    expect(
      requestedClaims({ scope: [], query: { credentials: credentials.slice(0, 1) }, descriptors: both })
        .groups,
    ).toEqual([{ alternatives: [[['A', 'Z']]], optional: false }])
  })
})
