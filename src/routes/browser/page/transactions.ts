// What a person is asked to confirm, in words: every detail that is signed, in the order in which it was sent.

import type { TransactionDetails } from '../../../openid4vp/transaction-data/transaction-data.ts'
import type { AddedTransactionDataType } from '../../../openid4vp/transaction-data/transaction-data-types.ts'
import type { Texts } from './texts.ts'

/** One transaction in words. */
export type ShownTransaction = {
  readonly title: string
  readonly details: readonly { readonly label: string; readonly value: string }[]
}

/** Puts transactions into words: ours for built-in types, the relying party's for its own. */
export function transactionsInWords(
  transactions: readonly TransactionDetails[],
  added: readonly AddedTransactionDataType[],
  texts: Texts,
): readonly ShownTransaction[] {
  return transactions.map(({ type, details }) => {
    const own = added.find((one) => one.type === type)
    const isBuiltIn = Object.hasOwn(texts.transactionTypes, type)
    return {
      title: (isBuiltIn ? texts.transactionTypes[type] : own?.title) ?? type,
      details: details.flatMap(({ path, value }) => {
        const label = isBuiltIn ? builtInLabel(path, texts) : addedLabel(path, own)
        return label === null ? [] : [{ label, value: valueInWords(value, texts) }]
      }),
    }
  })
}

/** Longer texts are cut: the wallet shows the whole. */
const SHOWN_CHARACTERS = 200

function valueInWords(value: string | number | boolean, texts: Texts): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  const text = String(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/** What stands around the details of every type is no word for people. Null: a picture, which is the wallet's to show. */
function builtInLabel(path: readonly string[], { transactionDetails }: Texts): string | null {
  const name = path.filter((step) => step !== 'payload' && step !== 'payment_payload').join('.')
  if (name === 'payee.logo') return null
  return (Object.hasOwn(transactionDetails, name) ? transactionDetails[name] : undefined) ?? name
}

function addedLabel(path: readonly string[], type: AddedTransactionDataType | undefined): string {
  const name = path.join('.')
  return type?.members.find((member) => member.path.join('.') === name)?.label ?? name
}
