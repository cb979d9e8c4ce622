import { describe, expect, it } from 'vitest'
import {
  buildPresentationDefinition,
  type RequestedType,
} from '../../../src/openid4vp/presentation-exchange/presentation-definition.ts'

const AGE: RequestedType = {
  name: 'age_attestation',
  claims: [{ scope: 'age_over_18', paths: [['age_over_18'], ['eu.europa.ec.av.1', 'age_over_18']] }],
}
const PID: RequestedType = {
  name: 'pid',
  claims: [
    { scope: 'age_over_18', paths: [['age_equal_or_over', '18']] },
    {
      scope: 'nationalities',
      paths: [
        ['nationalities', null],
        ['nationalities', 0],
      ],
    },
  ],
}

describe('a presentation definition', () => {
  it('has the documented fields, with the path $.credentialSubject.<claim> first', () => {
    expect(build([AGE], 'any')).toEqual({
      id: 'pd_v_1',
      input_descriptors: [
        {
          id: 'descriptor_v_1',
          name: 'age_attestation',
          constraints: {
            fields: [
              {
                path: [
                  '$.credentialSubject.age_over_18',
                  '$.age_over_18',
                  "$['eu.europa.ec.av.1'].age_over_18",
                ],
              },
            ],
          },
        },
      ],
    })
  })

  it('lets the wallet choose one of several types if one type is enough', () => {
    const definition = build([AGE, PID], 'any')
    expect(definition.input_descriptors.map(({ id, group }) => [id, group])).toEqual([
      ['descriptor_v_1', ['A']],
      ['descriptor_v_1_2', ['A']],
    ])
    expect(definition.submission_requirements).toEqual([{ rule: 'pick', count: 1, from: 'A' }])
  })

  it('requests every type if all types are required', () => {
    const definition = build([AGE, PID], 'all')
    expect(definition).not.toHaveProperty('submission_requirements')
    expect(definition.input_descriptors.every((descriptor) => !('group' in descriptor))).toBe(true)
  })

  it('writes array elements and unusual names in JSONPath', () => {
    const odd: RequestedType = { name: 'odd', claims: [{ scope: "it's\\", paths: [] }] }
    const [pid, quoted] = build([PID, odd], 'all').input_descriptors
    expect(pid!.constraints.fields.map(({ path }) => path.slice(1))).toEqual([
      ["$.age_equal_or_over['18']"],
      ['$.nationalities[*]', '$.nationalities[0]'],
    ])
    expect(quoted!.constraints.fields[0]!.path).toEqual(["$.credentialSubject['it\\'s\\\\']"])
  })

  it('contains a path once if two formats have the same path', () => {
    const type = { name: 't', claims: [{ scope: 's', paths: [['a'], ['a'], ['credentialSubject', 's']] }] }
    expect(build([type], 'any').input_descriptors[0]!.constraints.fields[0]!.path).toEqual([
      '$.credentialSubject.s',
      '$.a',
    ])
  })

  it('is empty for a session made from a DCQL query', () => {
    expect(build([], 'any')).toEqual({ id: 'pd_v_1', input_descriptors: [] })
  })
})

function build(credentialTypes: readonly RequestedType[], match: 'any' | 'all') {
  return buildPresentationDefinition({ verificationId: 'v_1', match, credentialTypes })
}
