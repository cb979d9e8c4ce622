// EUDI TS12 1.0 §4.3 and the Cloud Signature Consortium's data model: what the objects of each built-in type
// may say. Each refusal changes one thing in an object that has every member.

import { describe, expect, it } from 'vitest'
import {
  type AddedTransactionDataType,
  findTransactionDataType,
} from '../../../src/openid4vp/transaction-data/transaction-data-types.ts'
import { ONCE, WHOLE } from './whole-transactions.ts'

const PAYMENT = 'urn:eudi:sca:payment:1'
const MANDATE = 'urn:eudi:sca:emandate:1'
const SIGNATURE = 'https://cloudsignatureconsortium.org/2025/qes-approval'

function fits(type: string, object: unknown, added: readonly AddedTransactionDataType[] = []): boolean {
  return findTransactionDataType(type, added)!.schema.safeParse(object).success
}

/** A copy with one member set, or taken out. */
function set(object: object, path: readonly (string | number)[], value: unknown): object {
  const copy = structuredClone(object)
  const last = path.at(-1) ?? ''
  const place = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((at, step) => at[step] as never, copy as never)
  if (value === undefined) delete place[last]
  else place[last] = value
  return copy
}

describe('a built-in type', () => {
  it.each(Object.entries(WHOLE))('%s allows every member of its definition', (type, object) => {
    expect(fits(type, object)).toBe(true)
  })

  it('accepts a payment with an execution date', () => {
    expect(fits(PAYMENT, set(ONCE, ['payload', 'recurrence'], undefined))).toBe(true)
  })

  it.each([
    [PAYMENT, ['payload', 'transaction_id']],
    [PAYMENT, ['payload', 'payee']],
    [PAYMENT, ['payload', 'payee', 'id']],
    [PAYMENT, ['payload', 'pisp', 'brand_name']],
    [PAYMENT, ['payload', 'currency']],
    [PAYMENT, ['payload', 'amount']],
    [PAYMENT, ['payload', 'recurrence', 'frequency']],
    ['urn:eudi:sca:login_risk_transaction:1', ['payload', 'action']],
    ['urn:eudi:sca:account_access:1', ['payload', 'aisp', 'legal_name']],
    [SIGNATURE, ['documentDigests']],
    [SIGNATURE, ['documentDigests', 0, 'label']],
    [SIGNATURE, ['documentDigests', 0, 'hash']],
    [SIGNATURE, ['hashAlgorithmOID']],
  ])('%s requires the member %j', (type, path) => {
    expect(fits(type, set(WHOLE[type as keyof typeof WHOLE], path, undefined))).toBe(false)
  })

  it.each<[string, readonly (string | number)[], unknown]>([
    [PAYMENT, ['note'], 'x'],
    [PAYMENT, ['payload', 'payee', 'iban'], 'x'],
    [PAYMENT, ['payload', 'transaction_id'], ''],
    [PAYMENT, ['payload', 'transaction_id'], 'x'.repeat(501)],
    [PAYMENT, ['payload', 'date_time'], '31.1.2027'],
    [PAYMENT, ['payload', 'execution_date'], '2027-02-01'],
    [PAYMENT, ['payload', 'amount'], '12.50'],
    [PAYMENT, ['payload', 'amount'], Infinity],
    [PAYMENT, ['payload', 'currency'], 'eur'],
    [PAYMENT, ['payload', 'sct_inst'], 'false'],
    [PAYMENT, ['payload', 'recurrence', 'frequency'], 'OFTEN'],
    [PAYMENT, ['payload', 'recurrence', 'number'], 0],
    [MANDATE, ['payload', 'payment_payload', 'amount'], null],
    [SIGNATURE, ['payload'], {}],
    [SIGNATURE, ['documentDigests'], []],
    [SIGNATURE, ['numSignatures'], 1.5],
  ])('%s refuses an object whose member %j is %j', (type, path, value) => {
    expect(fits(type, set(WHOLE[type as keyof typeof WHOLE], path, value))).toBe(false)
  })

  it('a built-in type for mandates requires a purpose or a payment', () => {
    const { purpose, payment_payload, ...payload } = WHOLE[MANDATE].payload
    expect(fits(MANDATE, { payload: { ...payload, purpose } })).toBe(true)
    expect(fits(MANDATE, { payload: { ...payload, payment_payload } })).toBe(true)
    expect(fits(MANDATE, { payload })).toBe(false)
  })
})

describe('an added type', () => {
  const member = { kind: 'text', optional: false, label: 'x' } as const
  const ORDER: AddedTransactionDataType = {
    type: 'order',
    title: 'Your order',
    members: [
      { ...member, path: ['id'] },
      { ...member, path: ['payload', 'sum'], kind: 'number' },
      { ...member, path: ['payload', 'gift'], kind: 'boolean', optional: true },
      { ...member, path: ['shop', 'name'], optional: true },
    ],
  }
  const GOOD = { id: '7', payload: { sum: 3, gift: true }, shop: { name: 'Shop' } }

  it('accepts its members, with and without its optional members', () => {
    expect(fits('order', GOOD, [ORDER])).toBe(true)
    expect(fits('order', { id: '7', payload: { sum: 3 } }, [ORDER])).toBe(true)
  })

  it.each<[readonly string[], unknown]>([
    [['id'], undefined],
    [['id'], 7],
    [['payload'], undefined],
    [['payload', 'sum'], undefined],
    [['payload', 'sum'], '3'],
    [['payload', 'gift'], 1],
    [['payload', 'other'], 'x'],
    [['other'], 'x'],
    [['shop'], 'Shop'],
  ])('refuses an object whose member %j is %j', (path, value) => {
    expect(fits('order', set(GOOD, path, value), [ORDER])).toBe(false)
  })

  it('does not replace a built-in type, and is found only by its exact type name', () => {
    const disguised = { ...ORDER, type: PAYMENT }
    expect(fits(PAYMENT, GOOD, [disguised])).toBe(false)
    expect(findTransactionDataType('constructor', [ORDER])).toBeUndefined()
    expect(findTransactionDataType('Order', [ORDER])).toBeUndefined()
  })
})
