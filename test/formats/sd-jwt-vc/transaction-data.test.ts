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

describe('transaction data is confirmed', () => {
  it.each<[string, object, readonly TransactionData[], number[]]>([
    ['nothing, where nothing is signed', claims(undefined), [FIRST], []],
    ['nothing, where nothing was asked', claims(undefined), [], []],
    ['by SHA-256 without a name, where none was offered', claims([hashOf(FIRST)]), [FIRST], [0]],
    ['by SHA-256 named all the same', claims([hashOf(FIRST)], 'sha-256'), [FIRST], [0]],
    ['by what was offered', claims([hashOf(SECOND, 'sha512')], 'sha-512'), [SECOND], [3]],
    ['one of two', claims([hashOf(SECOND)], 'sha-256'), [FIRST, SECOND], [3]],
    [
      'both, whatever their order',
      claims([hashOf(SECOND), hashOf(FIRST)], 'sha-256'),
      [FIRST, SECOND],
      [0, 3],
    ],
  ])('%s', async (_, signed, asked, confirmed) => {
    const matched = await matchTransactionData(signed as never, asked)
    expect(matched).toMatchObject({ ok: true, value: confirmed.map((index) => ({ index })) })
    expect(matched.ok && matched.value).toHaveLength(confirmed.length)
  })
})

describe('transaction data is refused', () => {
  it.each<[string, object, readonly TransactionData[], string]>([
    ['without a name for its hash, where names were offered', claims([hashOf(SECOND)]), [SECOND], mismatch],
    ['by another hash than the one it names', claims([hashOf(SECOND)], 'sha-512'), [SECOND], mismatch],
    ['by a hash not offered', claims([hashOf(THIRD)], 'sha-256'), [THIRD], mismatch],
    [
      'by another than SHA-256, where none was offered',
      claims([hashOf(FIRST, 'sha512')], 'sha-512'),
      [FIRST],
      mismatch,
    ],
    ['by a hash unknown here', claims([hashOf(FIRST)], 'md5'), [FIRST], mismatch],
    ['by a hash called constructor', claims([hashOf(FIRST)], 'constructor'), [FIRST], mismatch],
    ['with a hash of something else', claims([hashOf(THIRD)]), [FIRST], mismatch],
    ['with a hash of something else besides', claims([hashOf(FIRST), hashOf(THIRD)]), [FIRST], mismatch],
    ['with one hash twice', claims([hashOf(FIRST), hashOf(FIRST)]), [FIRST], mismatch],
    [
      'with one hash twice in place of two',
      claims([hashOf(FIRST), hashOf(FIRST)], 'sha-256'),
      [FIRST, SECOND],
      mismatch,
    ],
    ['with padding', claims([`${hashOf(FIRST)}=`]), [FIRST], mismatch],
    ['in base64', claims([createHash('sha256').update(FIRST.encoded).digest('base64')]), [FIRST], mismatch],
    [
      'over what the text encodes',
      claims([createHash('sha256').update(Buffer.from(FIRST.encoded, 'base64url')).digest('base64url')]),
      [FIRST],
      mismatch,
    ],
    ['where nothing was asked', claims([hashOf(FIRST)]), [], mismatch],
    ['with an empty list', claims([]), [FIRST], malformed],
    ['with a text in place of the list', claims(hashOf(FIRST)), [FIRST], malformed],
    ['with a number in the list', claims([1]), [FIRST], malformed],
    ['with a list of names', claims([hashOf(FIRST)], ['sha-256']), [FIRST], malformed],
    ['with a name and no hashes', claims(undefined, 'sha-256'), [FIRST], malformed],
    ['with null', claims(null), [FIRST], malformed],
  ])('%s', async (_, signed, asked, reason) => {
    expect(await matchTransactionData(signed as never, asked)).toEqual({ ok: false, error: { reason } })
  })
})
