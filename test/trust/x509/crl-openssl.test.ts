// Lists that OpenSSL made, compared with `openssl verify -crl_check -extended_crl`. Some lists that OpenSSL
// accepts are unknown here, never good: incomplete lists, or lists of another issuer.

import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '../../../src/codec/base64url.ts'
import { decodeCertificate } from '../../../src/trust/x509/certificate.ts'
import vectors from '../../vectors/crl-openssl.json' with { type: 'json' }
import { standingIn, word } from './crl-fixtures.ts'

const MADE = Date.parse('2026-11-21T12:00:00Z') / 1000
const ADDRESS = 'http://crl.authority.example.org/1.crl'

const certificate = (base64: string) => decodeCertificate(decodeBase64(base64)!)!
const authority = certificate(vectors.authority)

type List = keyof typeof vectors.lists
type Comparison = { readonly openssl: string; readonly here: string }
const both = (result: string): Comparison => ({ openssl: result, here: result })

const GONE = 'unable to get certificate CRL'
const RESULTS: Readonly<Record<List, Readonly<Record<'good' | 'revoked' | 'held', Comparison>>>> = {
  complete: { good: both('valid'), revoked: both('revoked'), held: both('revoked') },
  placed: { good: both('valid'), revoked: both('revoked'), held: both('revoked') },
  version_1: { good: both('valid'), revoked: both('revoked'), held: both('revoked') },
  elsewhere: every({ openssl: 'different CRL scope', here: 'another_list' }),
  delta: every({ openssl: GONE, here: 'unsupported' }),
  indirect: {
    good: { openssl: 'valid', here: 'unsupported' },
    revoked: { openssl: 'revoked', here: 'unsupported' },
    held: { openssl: 'revoked', here: 'unsupported' },
  },
  some_reasons: {
    good: { openssl: GONE, here: 'unsupported' },
    revoked: { openssl: 'revoked', here: 'unsupported' },
    held: { openssl: 'revoked', here: 'unsupported' },
  },
}

function every(result: Comparison) {
  return { good: result, revoked: result, held: result }
}

describe('a revocation list that OpenSSL made', () => {
  it.each(Object.entries(RESULTS))(
    'a revocation list of the kind “%s” that OpenSSL made gives the expected status of each certificate',
    async (name, results) => {
      const list = decodeBase64(vectors.lists[name as List])!
      for (const [which, { here, openssl }] of Object.entries(results)) {
        const path = [certificate(vectors.certificates[which as 'good']), authority]
        const found = word(await standingIn({ [ADDRESS]: list }, path, MADE))
        expect([which, found]).toEqual([which, here])
        // Valid here is valid there.
        expect(found === 'valid' && openssl !== 'valid').toBe(false)
      }
    },
  )
})
