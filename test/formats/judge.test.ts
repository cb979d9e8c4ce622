// The judge refuses what is forged, and a difference without a reason is an error.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CredentialFormat } from '../../src/formats/verification/format.ts'
import { ok } from '../../src/result.ts'
import { compare, DIFFERENCES, nameOf } from '../support/judge/differences.ts'
import { alter } from '../support/people/issuer.ts'
import { verifyTraced } from './contract.ts'
import * as jwtVcJson from './jwt-vc-json/good.ts'
import { flipLast } from './mdoc/changes.ts'
import * as mdoc from './mdoc/good.ts'
import * as sdJwtVc from './sd-jwt-vc/good.ts'

const { HOLDER_KEY, STRANGER_KEY } = sdJwtVc

/** For each format: its world, a good presentation, and the same with another signature of the issuer. */
const FORMATS = [
  {
    id: 'dc+sd-jwt',
    world: sdJwtVc,
    good: async () => sdJwtVc.GOOD,
    forged: () => alter(sdJwtVc.GOOD, { issuer: STRANGER_KEY, holder: HOLDER_KEY }, () => undefined),
    words: 'signature verification failed',
  },
  {
    id: 'jwt_vc_json',
    world: jwtVcJson,
    good: () => jwtVcJson.presentOf({}),
    forged: () => jwtVcJson.presentOf({ key: jwtVcJson.STRANGER_KEY }),
    words: 'signature verification failed',
  },
  {
    id: 'mso_mdoc',
    world: mdoc,
    good: async () => mdoc.make(),
    forged: async () => mdoc.make({ issuerAuth: (message) => message.fill(flipLast(message[3]), 3) }),
    words: 'Issuer auth signature is invalid',
  },
]

/** A service that returns one result for every presentation. */
function serviceThat(accepts: boolean, id: string): CredentialFormat {
  const result = accepts ? ok({ reasons: [] }) : { ok: false, error: { reason: 'nonce_mismatch' } }
  return { id, verify: async () => result } as unknown as CredentialFormat
}

describe.each(FORMATS)('the judge (an independent verifier) of $id', ({ id, world, good, forged, words }) => {
  const put = (service: CredentialFormat, presentation: string) =>
    verifyTraced(service, presentation, world.EXPECTED, world.CONTEXT)

  it('reports a service that accepts a forged signature of the issuer', async () => {
    const difference = `a difference without a reason: ${id}: service accepted, judge ${words}`
    await expect(put(serviceThat(true, id), await forged())).rejects.toThrow(difference)
  })

  it('reports a service that refuses the good presentation', async () => {
    const difference = `a difference without a reason: ${id}: service nonce_mismatch, judge accepted`
    await expect(put(serviceThat(false, id), await good())).rejects.toThrow(difference)
  })

  it('agrees with a service that accepts the good and refuses the forged presentation', async () => {
    await put(serviceThat(true, id), await good())
    await put(serviceThat(false, id), await forged())
  })
})

it('the code of the judges imports no file from src', () => {
  const folder = join(import.meta.dirname, '../support/judge')
  const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  expect(sources.length).toBeGreaterThan(5)
  expect(sources.filter((source) => source.includes('/src/'))).toEqual([])
})

describe('the table of accepted differences between service and judge', () => {
  it('has no row twice, and every row has a reason', () => {
    const names = DIFFERENCES.map(nameOf)
    expect(new Set(names).size).toBe(names.length)
    expect(DIFFERENCES.filter(({ reason, judge }) => reason === '' || judge === '')).toEqual([])
  })

  it('accepts no difference about an issuer’s signature, a nonce, an audience, or an untrusted issuer', () => {
    const codes = ['invalid_issuer_signature', 'nonce_mismatch', 'audience_mismatch', 'sd_hash_mismatch']
    const proofs = [...codes, 'untrusted_issuer', 'holder_binding_missing', 'invalid_certificate_path']
    expect(DIFFERENCES.filter(({ service }) => proofs.includes(service))).toEqual([])
  })

  it('has rows that each apply to only one format, one code of the service and one message of the judge', () => {
    const [row] = DIFFERENCES.filter(({ judge }) => judge !== 'accepted')
    const { format, judge } = row!
    expect(compare(format, 'accepted', `${judge}, and more`)).toBe(nameOf(row!))
    for (const other of FORMATS.map(({ id }) => id).filter((id) => id !== format)) {
      expect(() => compare(other, 'accepted', judge)).toThrow('a difference without a reason')
    }
    expect(() => compare(format, 'nonce_mismatch', 'accepted')).toThrow('a difference without a reason')
    expect(() => compare(format, 'accepted', 'other words')).toThrow('a difference without a reason')
  })
})
