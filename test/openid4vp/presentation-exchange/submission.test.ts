// The presentation submission of the drafts: limits first, then its form, then what it selects.

import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/codec/json.ts'
import type { DcqlQuery } from '../../../src/openid4vp/dcql/query.ts'
import { parseSubmission } from '../../../src/openid4vp/presentation-exchange/submission.ts'
import { RESPONSE_LIMIT } from '../../../src/openid4vp/response/response-encryption.ts'

const QUERY: DcqlQuery = {
  credentials: [
    { id: 'one', format: 'dc+sd-jwt', meta: {} },
    { id: 'two', format: 'dc+sd-jwt', meta: {} },
  ],
}
const ONE = { id: 'one', format: 'vc+sd-jwt', path: '$' }
const BOTH = [
  { ...ONE, path: '$[0]' },
  { ...ONE, id: 'two', path: '$[1]' },
]

function parse(vpToken: Json, presentationSubmission: Json | undefined, hasJsonValues = false) {
  const parsed = parseSubmission(
    { vpToken, presentationSubmission, hasJsonValues },
    { definitionId: 'pd_n', query: QUERY, matches: ({ descriptorId }, { id }) => descriptorId === id },
  )
  return parsed.ok
    ? parsed.value.map(({ query, presentations }) => [query.id, ...presentations])
    : parsed.error
}

const submission = (descriptor_map: Json, more: object = {}) => ({
  ...{ id: 's', definition_id: 'pd_n', descriptor_map },
  ...more,
})
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const withMember = (json: string) =>
  `{"definition_id":"pd_n","descriptor_map":[${JSON.stringify(ONE)}],"more":${json}}`

describe('a presentation submission', () => {
  it('selects a presentation for each input descriptor, both from text and from a decrypted response', () => {
    const expected = [
      ['one', 'a'],
      ['two', 'b'],
    ]
    expect(parse('["a","b"]', JSON.stringify(submission(BOTH)))).toEqual(expected)
    expect(parse(['a', 'b'], submission(BOTH), true)).toEqual(expected)
    expect(parse('a', JSON.stringify(submission([ONE])))).toEqual([['one', 'a']])
  })

  it.each([
    ['accepted', 'nested as deep as the limit allows', withMember(nested(31)), [['one', 'a']]],
    [
      'refused',
      'nested one level deeper than the limit',
      withMember(nested(32)),
      { reason: 'limit_exceeded' },
    ],
    ['refused', 'nested thousands of levels deep', withMember(nested(20_000)), { reason: 'limit_exceeded' }],
    [
      'refused',
      'longer than the limit',
      withMember(`"${'x'.repeat(RESPONSE_LIMIT)}"`),
      { reason: 'limit_exceeded' },
    ],
    [
      'refused',
      'a list of 21 entries',
      JSON.stringify(submission(Array(21).fill(ONE))),
      { reason: 'limit_exceeded' },
    ],
    ['refused', 'no JSON', 'pd_n', { reason: 'invalid_presentation_submission' }],
    [
      'refused',
      'an object in which a member occurs twice',
      withMember('1,"more":2'),
      { reason: 'invalid_presentation_submission' },
    ],
  ])('is %s if it is %s', (_result, _form, text, expected) => {
    expect(parse('a', text)).toEqual(expected)
  })

  it.each<[string, Json | undefined]>([
    ['absent', undefined],
    ['null', null],
    ['a list', []],
    ['text', JSON.stringify(submission([ONE]))],
    ['for another definition', submission([ONE], { definition_id: 'pd_m' })],
    ['a submission with a `definition_id` that is null', submission([ONE], { definition_id: null })],
    ['a submission with an empty list of entries', submission([])],
    ['a submission with an entry that is no object', submission([ONE, 'one'])],
    ['a submission with an entry without a path', submission([{ id: 'one', format: 'vc+sd-jwt' }])],
    ['a submission with a path that is no text', submission([{ ...ONE, path: 0 }])],
  ])('is refused in a decrypted response if it is %s', (_, submitted) => {
    expect(parse('a', submitted, true)).toEqual({ reason: 'invalid_presentation_submission' })
  })

  it.each([
    ['a member of the token', '$.vp', 'a', 'invalid_vp_token'],
    ['an element of a single presentation', '$[0]', 'a', 'invalid_vp_token'],
    ['a whole list of presentations', '$', ['a'], 'invalid_vp_token'],
    ['an element past the end of the list', '$[1]', ['a'], 'invalid_vp_token'],
    ['an element by a negative index', '$[-1]', ['a'], 'invalid_vp_token'],
    ['an inherited member of the list', '$[length]', ['a'], 'invalid_vp_token'],
    ['a value that is a number', '$[0]', [1], 'invalid_vp_token'],
  ])('is refused if its path selects %s', (_, path, vpToken, reason) => {
    expect(parse(vpToken, submission([{ ...ONE, path }]), true)).toEqual({ reason, queryId: 'one' })
  })

  it('is refused for an unknown descriptor, and for two presentations of one descriptor', () => {
    expect(parse('a', submission([{ ...ONE, id: 'three' }]), true)).toEqual({
      reason: 'unknown_credential_query',
    })
    const twice = [BOTH[0]!, { ...BOTH[0]!, path: '$[1]' }]
    const error = { reason: 'wrong_presentation_count', queryId: 'one' }
    expect(parse(['a', 'b'], submission(twice), true)).toEqual(error)
  })
})
