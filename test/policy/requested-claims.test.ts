import { describe, expect, it } from 'vitest'
import type { CredentialSetQuery } from '../../src/openid4vp/dcql/query.ts'
import { requestedClaims } from '../../src/policy/requested-claims.ts'
import { ALL_FORMATS, policyOf, SD_JWT } from './fixtures.ts'

const claim = (name: string, optional = false) => ({ kind: 'claim', name, optional })

describe('what types and scopes ask', () => {
  it('is the scopes, from one of the types that carry them', () => {
    const asked = requestedClaims(policyOf({ credential_types: ['age_attestation', 'pid'] }))
    expect(asked).toEqual({
      items: [claim('age_over_18')],
      groups: [{ alternatives: [[['age_attestation']], [['pid']]], optional: false }],
    })
  })

  it('keeps the order of the scopes, whatever type carries them', () => {
    const all = { credential_types: ['membership', 'pid'], scope: ['family_name', 'active'] }
    const { items } = requestedClaims(policyOf({ ...all, credential_match: 'all' }))
    expect(items).toEqual([claim('family_name'), claim('active')])
  })

  it('names a type once, in however many formats it may come', () => {
    const { groups } = requestedClaims(policyOf({}, ALL_FORMATS))
    expect(groups).toEqual([{ alternatives: [[['age_attestation']]], optional: false }])
  })

  it('is one demand where all are needed, with a credential that is asked for as such', () => {
    const all = { credential_types: ['pid', 'membership'], scope: ['family_name'] }
    const asked = requestedClaims(policyOf({ ...all, credential_match: 'all' }, [SD_JWT]))
    expect(asked).toEqual({
      items: [claim('family_name'), { kind: 'credential', name: 'membership', optional: false }],
      groups: [{ alternatives: [[['pid'], ['membership']]], optional: false }],
    })
  })
})

describe('what a query asks', () => {
  const descriptors = ['a', 'b', 'c'].map((id) => ({
    query_id: id,
    credential_type: id.toUpperCase(),
    scopes: [{ scope: `${id}.x`, shown: id === 'c' ? 'a' : id, path: ['x'], boolean: false }],
  }))
  const credentials = ['a', 'b', 'c'].map((id) => ({ id, format: 'dc+sd-jwt', meta: {} }))
  const asked = (credential_sets?: CredentialSetQuery[]) =>
    requestedClaims({
      scope: [],
      query: { credentials, ...(credential_sets && { credential_sets }) },
      descriptors,
    })

  it('is all of it without credential sets, each thing by the name people know', () => {
    expect(asked()).toEqual({
      items: [claim('a'), claim('b')],
      groups: [{ alternatives: [[['A'], ['B'], ['C']]], optional: false }],
    })
  })

  it('is optional where only optional sets ask for it', () => {
    const sets = [{ options: [['c']] }, { options: [['b'], ['a', 'c']], required: false }]
    expect(asked(sets)).toEqual({
      items: [claim('a'), claim('b', true)],
      groups: [
        { alternatives: [[['C']]], optional: false },
        { alternatives: [[['B']], [['A'], ['C']]], optional: true },
      ],
    })
  })

  it('is either of the types where a query accepts several', () => {
    const both = [...descriptors, { ...descriptors[0]!, credential_type: 'Z' }]
    expect(
      requestedClaims({ scope: [], query: { credentials: credentials.slice(0, 1) }, descriptors: both })
        .groups,
    ).toEqual([{ alternatives: [[['A', 'Z']]], optional: false }])
  })
})
