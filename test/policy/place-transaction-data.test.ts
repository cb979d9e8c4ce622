// OpenID4VP 1.0 §5.1, §6.4.2: which credentials may confirm a transaction, and whether every answer must.

import { describe, expect, it } from 'vitest'
import type { CredentialQuery, CredentialSetQuery } from '../../src/openid4vp/dcql/query.ts'
import { placeTransactionData, type RequestedTransaction } from '../../src/policy/place-transaction-data.ts'

const FORMATS = { 'dc+sd-jwt': { confirmsTransactionData: true }, mso_mdoc: {} } as const

const query = (id: string, changes: Partial<CredentialQuery> = {}): CredentialQuery => ({
  id,
  format: 'dc+sd-jwt',
  meta: {},
  ...changes,
})
const A = query('a')
const B = query('b')
const MDOC = query('m', { format: 'mso_mdoc' })

const asked = (changes: Partial<RequestedTransaction> = {}): RequestedTransaction => ({
  type: 'order',
  members: { id: '7' },
  ...changes,
})

function place(
  credentials: readonly CredentialQuery[],
  transactions: readonly RequestedTransaction[] = [asked()],
  credential_sets?: readonly CredentialSetQuery[],
) {
  const sets = credential_sets === undefined ? {} : { credential_sets }
  return placeTransactionData(transactions, { credentials, ...sets }, FORMATS)
}

const refused = (code: string, pointer: string) => ({ ok: false, error: [{ code, pointer }] })

describe('a transaction', () => {
  it('a transaction that names no credential may be confirmed by every credential that can confirm it', () => {
    const unbound = query('u', { require_cryptographic_holder_binding: false })
    const placed = place([A, MDOC, B, unbound, query('n', { multiple: true })])
    expect(placed).toEqual({ ok: true, value: [{ type: 'order', credential_ids: ['a', 'b'], id: '7' }] })
  })

  it('keeps the members that the relying party requested', () => {
    const one = asked({ credential_ids: ['b'], transaction_data_hashes_alg: ['sha-512'] })
    expect(place([A, B], [one])).toEqual({
      ok: true,
      value: [{ type: 'order', transaction_data_hashes_alg: ['sha-512'], credential_ids: ['b'], id: '7' }],
    })
  })

  it.each<[string, readonly CredentialSetQuery[], boolean]>([
    [
      'is accepted if each option of the credential set has a credential that may confirm it',
      [{ options: [['a'], ['b', 'm']] }],
      true,
    ],
    [
      'is refused if an option of the credential set has no credential that may confirm it',
      [{ options: [['a'], ['m']] }],
      false,
    ],
    [
      'is accepted if one of two credential sets always confirms it',
      [{ options: [['m']] }, { options: [['a'], ['b']] }],
      true,
    ],
    [
      'is refused if neither of two credential sets always confirms it',
      [{ options: [['a'], ['m']] }, { options: [['b'], ['m']] }],
      false,
    ],
    [
      'is refused if the only credential set that confirms it is optional',
      [{ options: [['m']] }, { options: [['a']], required: false }],
      false,
    ],
  ])('a transaction %s', (_, sets, certain) => {
    const placed = place([A, B, MDOC], [asked()], sets)
    if (certain) expect(placed.ok).toBe(true)
    else expect(placed).toEqual(refused('confirmation_avoidable', '/0'))
  })

  it('is refused if it has no hash algorithm in common with another transaction for the same credential', () => {
    const by = (id: string, ...names: ('sha-256' | 'sha-384' | 'sha-512')[]) =>
      asked({ members: { id }, transaction_data_hashes_alg: names })
    expect(place([A], [by('1', 'sha-256', 'sha-512'), by('2', 'sha-512'), by('3', 'sha-512')]).ok).toBe(true)
    expect(place([A], [by('1', 'sha-256', 'sha-512'), by('2', 'sha-384')])).toEqual(
      refused('no_common_hash', ''),
    )
    expect(place([A], [asked(), by('2', 'sha-512')])).toEqual(refused('no_common_hash', ''))
  })

  it('a transaction with an unknown credential name gets the error for this name before any other error', () => {
    const both = [asked({ credential_ids: ['m'] }), asked({ credential_ids: ['x'] })]
    expect(place([A, MDOC], both)).toEqual(refused('unknown_credential_query', '/1/credential_ids/0'))
  })
})
