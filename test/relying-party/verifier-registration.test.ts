import { describe, expect, it } from 'vitest'
import {
  registeredUses,
  verifierRegistration,
} from '../../src/relying-party/verifier/verifier-registration.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jws = (header: object, payload: object) => `${part(header)}.${part(payload)}.c2lnbmF0dXJl`

const HEADER = { alg: 'ES256', typ: 'rc-wrp+jwt' }
const GOOD = { certificate: jws(HEADER, { sub: 'VATDE-1' }), dataset: { identifier: 'VATDE-1' } }

async function errorsOf(registration: object): Promise<string[]> {
  const { error } = await verifierRegistration().safeParseAsync(registration)
  return error?.issues.map(({ path, message }) => `${path.join('/')} ${message}`) ?? []
}

describe('a registration', () => {
  it('is accepted with its dataset exactly as the registrar writes it', async () => {
    const dataset = { purpose: [{ lang: 'en', value: 'x' }], unheard_of: 1 }
    expect(await verifierRegistration().parseAsync({ ...GOOD, dataset })).toEqual({
      certificate: GOOD.certificate,
      dataset: JSON.stringify(dataset),
      encoding: 'compact',
    })
  })

  it.each([
    ['two parts', GOOD.certificate.split('.').slice(0, 2).join('.')],
    ['four parts', `${GOOD.certificate}.x`],
    ['white space', `${GOOD.certificate.slice(0, 8)} ${GOOD.certificate.slice(8)}`],
    ['a payload that is no object', `${part(HEADER)}.${part([])}.c2ln`],
    ['no text', ''],
  ])('is refused with a certificate of %s', async (_, certificate) => {
    expect(await errorsOf({ ...GOOD, certificate })).toEqual([
      'certificate must be a compact JWS, or base64url of a CWT',
    ])
  })

  it.each(['JWT', 'rc-wrp+cwt', undefined])('is refused with a certificate of typ %s', async (typ) => {
    const certificate = jws({ ...HEADER, typ }, {})
    expect(await errorsOf({ ...GOOD, certificate })).toEqual([
      expect.stringContaining('must have the typ rc-wrp+jwt'),
    ])
  })

  it.each([
    ['a text', 'x'],
    ['an array', [{}]],
    ['empty', {}],
    ['absent', undefined],
  ])('is refused with a dataset that is %s', async (_, dataset) => {
    expect(await errorsOf({ ...GOOD, dataset })).toEqual(['dataset must be an object with members'])
  })

  it('is refused if it would make requests too large, or if it has unknown members', async () => {
    const long = 'x'.repeat(17_000)
    expect(await errorsOf({ ...GOOD, dataset: { long } })).toEqual([expect.stringMatching(/^dataset /)])
    expect(await errorsOf({ ...GOOD, certificate: jws(HEADER, { long }) })).not.toEqual([])
    expect(await errorsOf({ ...GOOD, encoding: 'base64' })).toEqual([expect.stringMatching(/^encoding /)])
    expect(await errorsOf({ ...GOOD, key: 1 })).toHaveLength(1)
  })
})

describe('a registration for each intended use', () => {
  const use = (intended_use: string, members: object = {}) => ({ intended_use, ...GOOD, ...members })
  const usesOf = (count: number) => Array.from({ length: count }, (_, i) => use(`use ${i}`))

  it('is accepted with up to eight uses, and has the members of a registration', async () => {
    const parsed = await registeredUses().parseAsync(usesOf(8))
    expect(parsed).toHaveLength(8)
    const dataset = JSON.stringify(GOOD.dataset)
    expect(parsed[0]).toEqual({ ...GOOD, intended_use: 'use 0', dataset, encoding: 'compact' })
  })

  it.each<[string, unknown]>([
    ['nine uses', usesOf(9)],
    ['no use', []],
    ['an empty name', [use('')]],
    ['a name of 101 characters', [use('x'.repeat(101))]],
    ['no name', [GOOD]],
    ['a repeated name', [use('wine'), use('wine')]],
  ])('is refused with %s', async (_, uses) => {
    expect((await registeredUses().safeParseAsync(uses)).success).toBe(false)
  })
})
