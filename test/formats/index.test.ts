import { describe, expect, it } from 'vitest'
import { credentialFormat, FORMATS } from '../../src/formats/index.ts'

describe('the registry of formats', () => {
  it.each(Object.entries(FORMATS))('contains the format %s under its own identifier', (id, format) => {
    expect(format.id).toBe(id)
    expect(credentialFormat(id)).toBe(format)
  })

  it.each(['vc+sd-jwt', 'DC+SD-JWT', '', 'constructor', '__proto__', 'toString'])(
    'contains no format %j',
    (id) => {
      expect(credentialFormat(id)).toBeUndefined()
    },
  )
})

describe('dc+sd-jwt', () => {
  const format = FORMATS['dc+sd-jwt']

  it('advertises fully-specified algorithms for issuer and holder (OpenID4VP 1.0 B.3.4)', () => {
    const algorithms = ['ES256', 'ES384', 'ES512', 'Ed25519']
    expect(format.metadata).toEqual({ 'sd-jwt_alg_values': algorithms, 'kb-jwt_alg_values': algorithms })
  })

  it('requests types by vct_values (B.3.5)', () => {
    expect(format.buildMeta(['urn:a', 'urn:b'])).toEqual({ vct_values: ['urn:a', 'urn:b'] })
    expect(format.metaTypes({ vct_values: ['urn:a'], other: 1 })).toEqual(['urn:a'])
  })

  it.each([
    {},
    { vct_values: [] },
    { vct_values: 'urn:a' },
    { vct_values: [1] },
    { vct_values: [''] },
    { doctype_value: 'a' },
  ])('refuses %j as a meta object', (meta) => {
    expect(format.metaTypes(meta)).toBeUndefined()
  })
})
