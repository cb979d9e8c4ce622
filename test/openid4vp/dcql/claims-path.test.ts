import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/codec/json.ts'
import { selectClaims, selectDataElement } from '../../../src/openid4vp/dcql/claims-path.ts'
import type { ClaimsPath } from '../../../src/openid4vp/dcql/query.ts'

// The credential and the pointers of OpenID4VP 1.0 §7.3.
const CREDENTIAL: Json = {
  name: 'Arthur Dent',
  address: { street_address: '42 Market Street', locality: 'Milliways', postal_code: '12345' },
  degrees: [
    { type: 'Bachelor of Science', university: 'University of Betelgeuse' },
    { type: 'Master of Science', university: 'University of Betelgeuse' },
  ],
  nationalities: ['British', 'Betelgeusian'],
}

describe('a claims path pointer', () => {
  it.each<[ClaimsPath, Json[]]>([
    [['name'], ['Arthur Dent']],
    [['address', 'street_address'], ['42 Market Street']],
    [
      ['degrees', null, 'type'],
      ['Bachelor of Science', 'Master of Science'],
    ],
    [['nationalities', 1], ['Betelgeusian']],
    [
      ['nationalities', null],
      ['British', 'Betelgeusian'],
    ],
  ])('selects the claims at %j', (path, selected) => {
    expect(selectClaims(CREDENTIAL, path)).toEqual(selected)
  })

  it.each<[why: string, root: Json, path: ClaimsPath]>([
    ['an empty path', {}, []],
    ['a name that does not exist', { a: 1 }, ['b']],
    ['a name in an array', { a: [{ b: 1 }] }, ['a', 'b']],
    ['a name in a string', { a: 'text' }, ['a', 'length']],
    ['a name in null', { a: null }, ['a', 'b']],
    ['a name if one of the selected elements is no object', { a: [{ b: 1 }, 2] }, ['a', null, 'b']],
    ['null in an object', { a: { b: 1 } }, ['a', null]],
    ['null if one of the selected elements is no array', { a: [[1], 2] }, ['a', null, null]],
    ['null in an empty array', { a: [] }, ['a', null]],
    ['an index in an object', { a: { 0: 1 } }, ['a', 0]],
    ['an index past the end', { a: [1] }, ['a', 1]],
    ['an index if one of the selected elements is no array', { a: [[1], 2] }, ['a', null, 0]],
    ['a negative index', { a: [1] }, ['a', -1]],
    ['a fractional index', { a: [1, 2] }, ['a', 0.5]],
    ['a component that is a boolean', { true: 1 }, [true as never]],
    ['an inherited name', {}, ['toString']],
    ['the name __proto__', {}, ['__proto__', 'toString']],
    ['the inherited name constructor in an object', { a: {} }, ['a', 'constructor', 'name']],
  ])('gives an error for %s', (_why, root, path) => {
    expect(selectClaims(root, path)).toBeUndefined()
  })

  it('selects a claim named __proto__', () => {
    expect(selectClaims(JSON.parse('{"__proto__":{"a":1}}') as Json, ['__proto__', 'a'])).toEqual([1])
  })

  it('drops the elements that lack the name or the index, and keeps the other elements', () => {
    expect(selectClaims([{ a: 1 }, { b: 2 }], [null, 'a'])).toEqual([1])
    expect(selectClaims([[1], [], [2, 3]], [null, 0])).toEqual([1, 2])
  })

  it('selects claims with the value null or false', () => {
    expect(selectClaims({ a: null, b: false }, ['a'])).toEqual([null])
    expect(selectClaims({ a: null, b: false }, ['b'])).toEqual([false])
  })
})

describe('a claims path pointer into an mdoc', () => {
  const namespaces = { 'org.iso.18013.5.1': { given_name: 'Arthur', codes: ['B'] } }

  it('selects a data element of a namespace', () => {
    expect(selectDataElement(namespaces, ['org.iso.18013.5.1', 'given_name'])).toEqual(['Arthur'])
  })

  it.each<[ClaimsPath]>([
    [['org.iso.18013.5.1']],
    [['org.iso.18013.5.1', 'codes', 0]],
    [['org.iso.18013.5.1', null]],
    [['org.iso.18013.5.1', 'family_name']],
    [['org.iso.23220.1', 'given_name']],
  ])('gives an error for %j', (path) => {
    expect(selectDataElement(namespaces, path)).toBeUndefined()
  })
})
