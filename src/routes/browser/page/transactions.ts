// The transactions that the person confirms, in words: every signed detail except a logo, in the order of the
// request. A payment begins with a line about the amount and the recipient.

import type { TransactionDetails } from '../../../openid4vp/transaction-data/transaction-data.ts'
import type { AddedTransactionDataType } from '../../../openid4vp/transaction-data/transaction-data-types.ts'
import { chooseLocale } from './language.ts'
import { fill, isolate, type Texts, withoutDirections } from './texts.ts'

type Detail = TransactionDetails['details'][number]

/** Input of `summarizeTransactions`, besides the transactions. */
export type TransactionWords = {
  readonly addedTypes: readonly AddedTransactionDataType[]
  readonly texts: Texts
  /** The session's `locale`. */
  readonly locale: string | null
}

/**
 * Summarizes transactions. A built-in type has the texts of this service. A type that the relying party added
 * has the texts of the relying party.
 */
export function summarizeTransactions(
  transactions: readonly TransactionDetails[],
  { addedTypes, texts, locale }: TransactionWords,
) {
  return transactions.map(({ type, details }) => {
    const added = addedTypes.find((one) => one.type === type)
    const isBuiltIn = Object.hasOwn(texts.transactionTypes, type)
    const money = type === PAYMENT ? paymentWords(details, texts, locale) : undefined
    return {
      title: money ?? withoutDirections((isBuiltIn ? texts.transactionTypes[type] : added?.title) ?? type),
      isMoney: money !== undefined,
      details: details.flatMap(({ path, value }) => {
        const name = isBuiltIn ? builtInName(path) : path.join('.')
        const label = isBuiltIn ? builtInLabel(name, texts) : addedLabel(name, added)
        if (label === null || (money !== undefined && IN_MONEY.has(name))) return []
        const currency = isBuiltIn && name.endsWith('amount') ? detailValue('currency', details) : undefined
        const words = isBuiltIn ? localWords(value, texts, locale) : undefined
        return [
          { label, value: amountWords(value, currency, texts, locale) ?? words ?? valueWords(value, texts) },
        ]
      }),
    }
  })
}

/** Type of a payment (EUDI TS12 1.0 §4.3.1). */
const PAYMENT = 'urn:eudi:sca:payment:1'

/** Details that the title of a payment already contains. These details are not listed again. */
const IN_MONEY: ReadonlySet<string> = new Set(['amount', 'currency', 'payee.name'])

/** Returns a text such as "€12.50 to Shop"; undefined without an amount of money or a recipient. */
function paymentWords(details: readonly Detail[], texts: Texts, locale: string | null): string | undefined {
  const [amount, currency, payee] = ['amount', 'currency', 'payee.name'].map((name) =>
    detailValue(name, details),
  )
  const money = amountWords(amount, currency, texts, locale)
  if (money === undefined || payee === undefined) return undefined
  return fill(texts.payment, { amount: money, payee: isolate(valueWords(payee, texts)) })
}

/** Returns the text of an amount of money, with every digit that was signed; undefined for anything else. */
function amountWords(
  amount: Detail['value'] | undefined,
  currency: Detail['value'] | undefined,
  { language }: Texts,
  locale: string | null,
): string | undefined {
  if (typeof amount !== 'number' || typeof currency !== 'string') return undefined
  const style = { style: 'currency', currency, maximumFractionDigits: 20 } as const
  return new Intl.NumberFormat(chooseLocale(language, locale), style).format(amount)
}

/**
 * Returns the text of a number or a date in the format of the language; undefined for anything else. Do not
 * use it for types that the relying party added: their number may be an order number.
 */
function localWords(value: Detail['value'], { language }: Texts, locale: string | null): string | undefined {
  const format = chooseLocale(language, locale)
  if (typeof value === 'number')
    return new Intl.NumberFormat(format, { maximumFractionDigits: 20 }).format(value)
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined
  const date = new Date(value)
  // A day that no calendar has, such as 30 February, would become another day.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(value)) return undefined
  return new Intl.DateTimeFormat(format, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
}

function detailValue(name: string, details: readonly Detail[]): Detail['value'] | undefined {
  return details.find(({ path }) => builtInName(path) === name)?.value
}

/** Number of characters of a value that the page shows. The wallet shows the whole value. */
const VALUE_CHARACTERS = 200

function valueWords(value: Detail['value'], texts: Texts): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  const text = withoutDirections(String(value))
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text
}

/**
 * Returns the name of a detail. The names of the containers around the detail are left out, because they mean
 * nothing to people.
 */
function builtInName(path: readonly string[]): string {
  return path.filter((step) => step !== 'payload' && step !== 'payment_payload').join('.')
}

/** Returns the label of a detail; null for a logo, which is not shown. */
function builtInLabel(name: string, { transactionDetails }: Texts): string | null {
  if (name === 'payee.logo') return null
  return (Object.hasOwn(transactionDetails, name) ? transactionDetails[name] : undefined) ?? name
}

function addedLabel(name: string, type: AddedTransactionDataType | undefined): string {
  const label = type?.members.find((member) => member.path.join('.') === name)?.label
  return withoutDirections(label ?? name)
}
