// The transactions to confirm in a person's words: every signed detail, in the order of the request.

import type { TransactionDetails } from '../../../openid4vp/transaction-data/transaction-data.ts'
import type { AddedTransactionDataType } from '../../../openid4vp/transaction-data/transaction-data-types.ts'
import type { Texts } from './texts.ts'

/** Summarizes transactions: in our words for built-in types, in the relying party's for its own. */
export function summarizeTransactions(
  transactions: readonly TransactionDetails[],
  addedTypes: readonly AddedTransactionDataType[],
  texts: Texts,
) {
  return transactions.map(({ type, details }) => {
    const added = addedTypes.find((one) => one.type === type)
    const isBuiltIn = Object.hasOwn(texts.transactionTypes, type)
    return {
      title: (isBuiltIn ? texts.transactionTypes[type] : added?.title) ?? type,
      details: details.flatMap(({ path, value }) => {
        const label = isBuiltIn ? builtInLabel(path, texts) : addedLabel(path, added)
        return label === null ? [] : [{ label, value: valueWords(value, texts) }]
      }),
    }
  })
}

/** Limit of a value's text. The wallet shows the whole. */
const VALUE_CHARACTERS = 200

function valueWords(value: string | number | boolean, texts: Texts): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  const text = String(value)
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text
}

/** Leaves out the containers of a detail, which mean nothing to people. Null for a logo. */
function builtInLabel(path: readonly string[], { transactionDetails }: Texts): string | null {
  const name = path.filter((step) => step !== 'payload' && step !== 'payment_payload').join('.')
  if (name === 'payee.logo') return null
  return (Object.hasOwn(transactionDetails, name) ? transactionDetails[name] : undefined) ?? name
}

function addedLabel(path: readonly string[], type: AddedTransactionDataType | undefined): string {
  const name = path.join('.')
  return type?.members.find((member) => member.path.join('.') === name)?.label ?? name
}
