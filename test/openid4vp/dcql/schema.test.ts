// The shape of callers' queries: every refusal by one change in a good query.

import { describe, expect, it } from 'vitest'
import { describeIssue } from '../../../src/codec/schema.ts'
import { DCQL } from '../../../src/limits.ts'
import { dcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import vectors from '../../vectors/oid4vp-1.0.json' with { type: 'json' }

type Loose = Record<string, unknown>

/** A query with everything in it. */
const good = () => ({
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      multiple: true,
      require_cryptographic_holder_binding: true,
      trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }],
      claims: [
        { id: 'a', path: ['address', 'locality'], values: ['Bonn', 1, true] },
        { id: 'b', path: ['nationalities', null, 0] },
      ] as Loose[],
      claim_sets: [['a', 'b'], ['b']],
    } as Loose,
    { id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } } as Loose,
  ],
  credential_sets: [{ options: [['pid'], ['mdl']], required: false }, { options: [['pid', 'mdl']] }],
})

describe('a caller’s own query', () => {
  it('is accepted unchanged', () => {
    expect(dcqlQuery.parse(good())).toEqual(good())
  })

  it.each(Object.entries(vectors.dcql))('is accepted as published in the specification: %s', (_, query) => {
    expect(dcqlQuery.parse(query)).toEqual(query)
  })

  const many = (count: number, item: (i: number) => unknown) =>
    Array.from({ length: count }, (_, i) => item(i))
  const credential = (member: string, value: unknown) => (query: Loose) => {
    ;(query.credentials as Loose[])[0]![member] = value
  }
  const claim = (member: string, value: unknown) => (query: Loose) => {
    ;((query.credentials as Loose[])[0]!.claims as Loose[])[0]![member] = value
  }
  const set = (value: unknown) => (query: Loose) => {
    query.credential_sets = value
  }
  const FIRST = 'credentials/0'

  it.each<[fault: string, change: (query: Loose) => void, place: string]>([
    ['an unknown member', (query) => Object.assign(query, { purpose: 'x' }), ''],
    ['an empty list of credentials', (query) => Object.assign(query, { credentials: [] }), 'credentials'],
    ['an unknown member of a credential', credential('purpose', 'x'), FIRST],
    ['no id', credential('id', undefined), `${FIRST}/id`],
    ['an empty id', credential('id', ''), `${FIRST}/id`],
    ['an id with a character that is not allowed', credential('id', 'p.id'), `${FIRST}/id`],
    ['an id that is too long', credential('id', 'x'.repeat(DCQL.idCharacters + 1)), `${FIRST}/id`],
    ['an id that occurs twice', credential('id', 'mdl'), 'credentials/1/id'],
    ['no format', credential('format', undefined), `${FIRST}/format`],
    ['no meta', credential('meta', undefined), `${FIRST}/meta`],
    ['`meta` that is a list', credential('meta', []), `${FIRST}/meta`],
    ['`multiple` that is text', credential('multiple', 'true'), `${FIRST}/multiple`],
    [
      '`require_cryptographic_holder_binding` that is null',
      credential('require_cryptographic_holder_binding', null),
      `${FIRST}/require_cryptographic_holder_binding`,
    ],
    ['an empty list of authorities', credential('trusted_authorities', []), `${FIRST}/trusted_authorities`],
    [
      'an authority without values',
      credential('trusted_authorities', [{ type: 'aki', values: [] }]),
      `${FIRST}/trusted_authorities/0/values`,
    ],
    [
      'an authority with an unknown member',
      credential('trusted_authorities', [{ type: 'aki', values: ['a'], value: 'a' }]),
      `${FIRST}/trusted_authorities/0`,
    ],
    ['an empty list of claims', credential('claims', []), `${FIRST}/claims`],
    [
      'too many claims',
      credential(
        'claims',
        many(DCQL.claims + 1, (i) => ({ id: i === 0 ? 'a' : i === 1 ? 'b' : `c${i}`, path: [`c${i}`] })),
      ),
      `${FIRST}/claims`,
    ],
    ['`claim_sets` without `claims`', credential('claims', undefined), `${FIRST}/claim_sets`],
    ['an empty list of claim sets', credential('claim_sets', []), `${FIRST}/claim_sets`],
    ['an empty claim set', credential('claim_sets', [['a', 'b'], []]), `${FIRST}/claim_sets/1`],
    [
      'a claim set that names an unknown claim',
      credential('claim_sets', [['a', 'b', 'c']]),
      `${FIRST}/claim_sets/0/2`,
    ],
    [
      'a claim set that names a claim twice',
      credential('claim_sets', [['a', 'b', 'a']]),
      `${FIRST}/claim_sets/0/2`,
    ],
    ['a claim that no claim set names', credential('claim_sets', [['b']]), `${FIRST}/claims/0/id`],
    ['a claim without an id in a query with `claim_sets`', claim('id', undefined), `${FIRST}/claims/0/id`],
    ['a claim with the id of another claim', claim('id', 'b'), `${FIRST}/claims/1/id`],
    [
      'a claim with the path of another claim',
      claim('path', ['nationalities', null, 0]),
      `${FIRST}/claims/1/path`,
    ],
    ['a claim with an unknown member', claim('purpose', 'x'), `${FIRST}/claims/0`],
    ['no path', claim('path', undefined), `${FIRST}/claims/0/path`],
    ['an empty path', claim('path', []), `${FIRST}/claims/0/path`],
    ['a path that is text', claim('path', '$.address'), `${FIRST}/claims/0/path`],
    ['a path that is too long', claim('path', many(DCQL.pathLength + 1, String)), `${FIRST}/claims/0/path`],
    ['a negative index', claim('path', ['a', -1]), `${FIRST}/claims/0/path/1`],
    ['a fractional index', claim('path', ['a', 0.5]), `${FIRST}/claims/0/path/1`],
    ['an index above the largest safe integer', claim('path', ['a', 2 ** 53]), `${FIRST}/claims/0/path/1`],
    ['a boolean in a path', claim('path', ['a', true]), `${FIRST}/claims/0/path/1`],
    [
      'a name that is too long',
      claim('path', ['x'.repeat(DCQL.textCharacters + 1)]),
      `${FIRST}/claims/0/path/0`,
    ],
    ['an empty list of values', claim('values', []), `${FIRST}/claims/0/values`],
    ['a value that is null', claim('values', [null]), `${FIRST}/claims/0/values/0`],
    ['a value that is a fraction', claim('values', [0.5]), `${FIRST}/claims/0/values/0`],
    ['a value that is an object', claim('values', [{}]), `${FIRST}/claims/0/values/0`],
    [
      '`intent_to_retain` that is text',
      claim('intent_to_retain', 'no'),
      `${FIRST}/claims/0/intent_to_retain`,
    ],
    ['an empty list of credential sets', set([]), 'credential_sets'],
    ['a credential set without options', set([{ options: [] }]), 'credential_sets/0/options'],
    ['an empty option', set([{ options: [['pid'], []] }]), 'credential_sets/0/options/1'],
    [
      'an option that names an unknown query',
      set([{ options: [['pid', 'x']] }]),
      'credential_sets/0/options/0/1',
    ],
    [
      'an option that names a query twice',
      set([{ options: [['pid', 'pid']] }]),
      'credential_sets/0/options/0/1',
    ],
    [
      'a credential set with an unknown member',
      set([{ options: [['pid']], purpose: 'x' }]),
      'credential_sets/0',
    ],
  ])('a caller’s own query with %s is refused, and the error names the place', (_, change, place) => {
    const query = good()
    change(query)
    // Undefined members are absent in JSON.
    const parsed = dcqlQuery.safeParse(JSON.parse(JSON.stringify(query)), { error: describeIssue })
    expect(parsed.error?.issues[0]?.path.join('/')).toBe(place)
    expect(parsed.error?.issues[0]?.message).toMatch(/\w/)
  })

  it('is refused if it has more credentials than the limit', () => {
    const credentials = many(DCQL.credentials + 1, (i) => ({ id: `c${i}`, format: 'x', meta: {} }))
    expect(dcqlQuery.safeParse({ credentials }).success).toBe(false)
    expect(dcqlQuery.safeParse({ credentials: credentials.slice(1) }).success).toBe(true)
  })
})
