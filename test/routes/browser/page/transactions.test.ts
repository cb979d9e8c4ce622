// Transactions as a person reads them: every signed detail, in words when there are any.

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import ENGLISH from '../../../../assets/texts/en.json' with { type: 'json' }
import {
  decodeDetails,
  encodeTransactionData,
} from '../../../../src/openid4vp/transaction-data/transaction-data.ts'
import type { AddedTransactionDataType } from '../../../../src/openid4vp/transaction-data/transaction-data-types.ts'
import { type Texts, textsIn } from '../../../../src/routes/browser/page/texts.ts'
import { summarizeTransactions } from '../../../../src/routes/browser/page/transactions.ts'
import { WHOLE } from '../../../openid4vp/transaction-data/whole-transactions.ts'

const ORDER: AddedTransactionDataType = {
  type: 'order',
  title: 'Your order',
  members: [
    { path: ['payload', 'id'], label: 'Order number', kind: 'text', optional: false },
    { path: ['payload', 'gift'], label: 'A gift', kind: 'boolean', optional: true },
  ],
}

function linesOf(
  object: object,
  added: readonly AddedTransactionDataType[] = [],
  { texts, locale }: { texts: Texts; locale: string | null } = { texts: ENGLISH, locale: null },
) {
  const text = encodeTransactionData({ credential_ids: ['pid'], ...object } as never)
  const [shown] = summarizeTransactions(decodeDetails([text]), { addedTypes: added, texts, locale })
  return [shown?.title, ...(shown?.details ?? []).map(({ label, value }) => `${label}: ${value}`)]
}

describe('a transaction in words', () => {
  it.each(Object.entries(WHOLE))(
    'a transaction of the type %s has words for every detail',
    (type, object) => {
      const text = encodeTransactionData({ type, credential_ids: ['pid'], ...object } as never)
      const [shown] = summarizeTransactions(decodeDetails([text]), {
        addedTypes: [],
        texts: ENGLISH,
        locale: null,
      })
      expect(Object.keys(WHOLE).sort()).toEqual(Object.keys(ENGLISH.transactionTypes).sort())
      expect(shown?.title).not.toBe(type)
      for (const { label } of shown?.details ?? []) expect(label).toMatch(/^[A-Z]/)
    },
  )

  it('a transaction of a built-in type has the texts of the service, in the order of the request, without members that all types have', () => {
    const payee = { name: 'Shop', id: 'DE1', logo: 'https://shop.example/logo.png' }
    const payload = { transaction_id: '8D8', payee, currency: 'EUR', amount: 12.5, sct_inst: true }
    const hashes = { transaction_data_hashes_alg: ['sha-256'] }
    expect(linesOf({ type: 'urn:eudi:sca:payment:1', ...hashes, payload })).toEqual([
      '€12.50 to \u2068Shop\u2069',
      'Transaction number: 8D8',
      'Recipient’s number: DE1',
      'Instant transfer: yes',
    ])
  })

  const paying = (payload: object) => ({
    type: 'urn:eudi:sca:payment:1',
    payload: { transaction_id: '1', payee: { name: 'Shop & Söhne', id: 'DE1' }, ...payload },
  })

  it.each([
    ['en', null, 'EUR', 12.5, '€12.50 to \u2068Shop & Söhne\u2069'],
    ['de', 'de-AT', 'EUR', 1234.5, '€\u00a01.234,50 an \u2068Shop & Söhne\u2069'],
    ['de', 'de-CH', 'CHF', 234.5, 'CHF\u00a0234.50 an \u2068Shop & Söhne\u2069'],
    ['fr', 'nl', 'EUR', 12.5, '12,50\u00a0€ à \u2068Shop & Söhne\u2069'],
    ['es', 'es-a-a', 'EUR', 12.5, '12,50\u00a0€ a \u2068Shop & Söhne\u2069'],
    ['it', 'it', 'JPY', 1200, '1200\u00a0JPY a \u2068Shop & Söhne\u2069'],
  ] as const)(
    'a transaction of a payment shows the amount in the format of the locale: %s, %s, %s',
    async (language, locale, currency, amount, line) => {
      const texts = await textsIn(env.ASSETS, language)
      expect(linesOf(paying({ currency, amount }), [], { texts, locale })[0]).toBe(line)
    },
  )

  it.each([
    [0.001, '€0.001'],
    [12.345, '€12.345'],
    [1e-7, '€0.0000001'],
    [123456789012.25, '€123,456,789,012.25'],
    [-3, '-€3.00'],
  ])('a transaction of a payment shows every digit of the amount: %d', (amount, money) => {
    const [line] = linesOf(paying({ currency: 'EUR', amount }))
    expect(line).toBe(`${money} to \u2068Shop & Söhne\u2069`)
  })

  it('a transaction of a payment also shows a maximum amount as money', () => {
    const recurrence = { frequency: 'MNTH', mit_options: { max_amount: 30 } }
    expect(linesOf(paying({ currency: 'EUR', amount: 10, recurrence }))).toContain('Maximum amount: €30.00')
  })

  it.each([
    ['en', null, '1 December 2026', '3.5'],
    ['de', 'de-AT', '1. Dezember 2026', '3,5'],
    ['pl', 'pl', '1 grudnia 2026', '3,5'],
    ['nl', null, '1 december 2026', '3,5'],
  ] as const)(
    'a transaction of a payment shows dates and numbers in the format of the locale: %s, %s',
    async (language, locale, date, rate) => {
      const texts = await textsIn(env.ASSETS, language)
      const recurrence = { frequency: 'MNTH', mit_options: { apr: 3.5 } }
      const payload = { currency: 'EUR', amount: 10, execution_date: '2026-12-01', recurrence }
      const lines = linesOf(paying(payload), [], {
        texts,
        locale: locale ?? (language === 'en' ? 'en-GB' : null),
      })
      expect(lines.map((line) => line?.split(': ')[1])).toEqual(expect.arrayContaining([date, rate]))
    },
  )

  it('a transaction of a payment shows an impossible date, such as 30 February, exactly as it was signed', () => {
    const payload = { currency: 'EUR', amount: 10, execution_date: '2026-02-30' }
    expect(linesOf(paying(payload))).toContain('Payment date: 2026-02-30')
  })

  it('a transaction of an added type shows dates and numbers as they were signed', () => {
    const lines = linesOf({ type: 'order', payload: { id: '2026-12-01', gift: 12345 } }, [ORDER])
    expect(lines).toEqual(['Your order', 'Order number: 2026-12-01', 'A gift: 12345'])
  })

  it('contains no characters that change the direction of the text around it', () => {
    const name = 'Shop\u202e\u2069 gro.elpmaxe'
    const [line] = linesOf({
      ...paying({ currency: 'EUR', amount: 1 }),
      payload: { ...paying({}).payload, currency: 'EUR', amount: 1, payee: { name, id: '1' } },
    })
    expect(line).toBe('€1.00 to \u2068Shop gro.elpmaxe\u2069')
  })

  it('names each document if it has several documents', () => {
    const type = 'https://cloudsignatureconsortium.org/2025/qes-approval'
    const documentDigests = [{ label: 'Lease' }, { label: 'Annex' }]
    expect(linesOf({ type, documentDigests })).toEqual([
      'Your signature',
      'Document: Lease',
      'Document: Annex',
    ])
  })

  it('a transaction of an added type has the texts of the relying party', () => {
    const payload = { id: '<b>7</b>', gift: false }
    expect(linesOf({ type: 'order', payload }, [ORDER])).toEqual([
      'Your order',
      'Order number: <b>7</b>',
      'A gift: no',
    ])
  })

  it('a transaction of an added type shows the member names after the type was removed', () => {
    expect(linesOf({ type: 'constructor', payload: { toString: 'x' } })).toEqual([
      'constructor',
      'payload.toString: x',
    ])
  })

  it('shows long values in a shortened form', () => {
    const [, line] = linesOf({ type: 'order', payload: { id: 'x'.repeat(500) } }, [ORDER])
    expect(line).toBe(`Order number: ${'x'.repeat(200)}…`)
  })
})
