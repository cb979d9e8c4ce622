// OpenID4VP 1.0 B.3.3.1: hashes in the KB-JWT, of the texts as they were sent. Each case changes one thing in
// a good KB-JWT; the hashes are made by `node:crypto`.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { matchTransactionData } from '../../../src/formats/sd-jwt-vc/transaction-data.ts'
import type { TransactionData } from '../../../src/formats/verification/format.ts'

// The texts need not be base64url to be hashed; what they encode is never looked at.
const FIRST: TransactionData = { index: 0, encoded: 'eyJ0eXBlIjoiYSJ9' }
const SECOND: TransactionData = {
  index: 3,
  encoded: 'eyJ0eXBlIjoiYiJ9',
  hashAlgorithms: ['sha-256', 'sha-512'],
}
const THIRD: TransactionData = { index: 4, encoded: 'eyJ0eXBlIjoiYyJ9', hashAlgorithms: ['sha-384'] }

const hashOf = ({ encoded }: TransactionData, algorithm = 'sha256') =>
  createHash(algorithm).update(encoded).digest('base64url')

const claims = (hashes: unknown, alg?: unknown) => ({
  ...(hashes === undefined ? {} : { transaction_data_hashes: hashes as string[] }),
  ...(alg === undefined ? {} : { transaction_data_hashes_alg: alg as string }),
})

const mismatch = 'transaction_data_mismatch'
const malformed = 'malformed_holder_binding'

describe('transaction data', () => {
  it.each<[string, object, readonly TransactionData[], number[]]>([
    ['is not confirmed if the KB-JWT has no hashes', claims(undefined), [FIRST], []],
    ['is not confirmed if none was requested', claims(undefined), [], []],
    [
      'is confirmed by SHA-256 without an algorithm name if the request names no algorithm',
      claims([hashOf(FIRST)]),
      [FIRST],
      [0],
    ],
    [
      'is confirmed by SHA-256 with its name if the request names no algorithm',
      claims([hashOf(FIRST)], 'sha-256'),
      [FIRST],
      [0],
    ],
    [
      'is confirmed by an algorithm that the request names',
      claims([hashOf(SECOND, 'sha512')], 'sha-512'),
      [SECOND],
      [3],
    ],
    ['is confirmed for one of two transactions', claims([hashOf(SECOND)], 'sha-256'), [FIRST, SECOND], [3]],
    [
      'is confirmed for two transactions in any order of the hashes',
      claims([hashOf(SECOND), hashOf(FIRST)], 'sha-256'),
      [FIRST, SECOND],
      [0, 3],
    ],
  ])('transaction data %s', async (_, signed, asked, confirmed) => {
    const matched = await matchTransactionData(signed as never, asked)
    expect(matched).toMatchObject({ ok: true, value: confirmed.map((index) => ({ index })) })
    expect(matched.ok && matched.value).toHaveLength(confirmed.length)
  })
})

describe('transaction data is refused', () => {
  it.each<[string, object, readonly TransactionData[], string]>([
    [
      'if the KB-JWT names no algorithm and the request names some',
      claims([hashOf(SECOND)]),
      [SECOND],
      mismatch,
    ],
    [
      'if its hash was made with another algorithm than the KB-JWT names',
      claims([hashOf(SECOND)], 'sha-512'),
      [SECOND],
      mismatch,
    ],
    ['if its algorithm is not in the request', claims([hashOf(THIRD)], 'sha-256'), [THIRD], mismatch],
    [
      'if its algorithm is not SHA-256 and the request names none',
      claims([hashOf(FIRST, 'sha512')], 'sha-512'),
      [FIRST],
      mismatch,
    ],
    ['if its algorithm is md5', claims([hashOf(FIRST)], 'md5'), [FIRST], mismatch],
    ['if its algorithm is called constructor', claims([hashOf(FIRST)], 'constructor'), [FIRST], mismatch],
    ['if its hash is of another text', claims([hashOf(THIRD)]), [FIRST], mismatch],
    ['if a second hash is of another text', claims([hashOf(FIRST), hashOf(THIRD)]), [FIRST], mismatch],
    ['if its hash occurs twice', claims([hashOf(FIRST), hashOf(FIRST)]), [FIRST], mismatch],
    [
      'if the hash of the first of two transactions occurs twice',
      claims([hashOf(FIRST), hashOf(FIRST)], 'sha-256'),
      [FIRST, SECOND],
      mismatch,
    ],
    ['if its hash has padding', claims([`${hashOf(FIRST)}=`]), [FIRST], mismatch],
    [
      'if its hash is in base64 instead of base64url',
      claims([createHash('sha256').update(FIRST.encoded).digest('base64')]),
      [FIRST],
      mismatch,
    ],
    [
      'if its hash is over the decoded text',
      claims([createHash('sha256').update(Buffer.from(FIRST.encoded, 'base64url')).digest('base64url')]),
      [FIRST],
      mismatch,
    ],
    ['if none was requested', claims([hashOf(FIRST)]), [], mismatch],
    ['if the list of hashes is empty', claims([]), [FIRST], malformed],
    ['if the hashes are a text instead of a list', claims(hashOf(FIRST)), [FIRST], malformed],
    ['if a hash is a number', claims([1]), [FIRST], malformed],
    ['if the algorithm is a list', claims([hashOf(FIRST)], ['sha-256']), [FIRST], malformed],
    ['if the KB-JWT names an algorithm and has no hashes', claims(undefined, 'sha-256'), [FIRST], malformed],
    ['if the hashes are null', claims(null), [FIRST], malformed],
  ])('%s', async (_, signed, asked, reason) => {
    expect(await matchTransactionData(signed as never, asked)).toEqual({ ok: false, error: { reason } })
  })
})
