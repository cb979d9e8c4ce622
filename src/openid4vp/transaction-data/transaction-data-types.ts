// The types of transaction data (OpenID4VP 1.0 §5.1): types of public specifications, and types that a
// relying party adds. Each type has a strict schema, because wallets must reject objects that do not match
// their type (§8.5, `invalid_transaction_data`).

import * as z from 'zod/mini'
import { list, text } from '../../codec/schema.ts'
import type { HashName } from '../../crypto/digest.ts'
import { TRANSACTION_DATA } from '../../limits.ts'

/** Definition of one type. */
type TransactionDataType = {
  /** Schema of the members that only this type has. */
  readonly schema: z.ZodMiniType
  /**
   * `transaction_data_hashes_alg` of the request, if the relying party sends none. Absent: the request does
   * not have this member.
   */
  readonly hashAlgorithms?: readonly HashName[]
}

/** A type that a relying party adds. */
export type AddedTransactionDataType = {
  readonly type: string
  /** Title of the transaction for people. */
  readonly title: string
  readonly members: readonly AddedMember[]
}

/** A member of an added type, with its label for people. */
type AddedMember = {
  readonly path: readonly string[]
  readonly label: string
  readonly kind: (typeof MEMBER_KINDS)[number]
  readonly optional: boolean
}

/** Types of members of an added type. */
export const MEMBER_KINDS = ['text', 'number', 'boolean'] as const

/**
 * Returns the type of this name; `undefined` if no type has this name. Built-in types come before added
 * types.
 */
export function findTransactionDataType(
  name: string,
  added: readonly AddedTransactionDataType[],
): TransactionDataType | undefined {
  if (Object.hasOwn(BUILT_IN, name)) return BUILT_IN[name]
  const addedType = added.find(({ type }) => type === name)
  return addedType === undefined ? undefined : { schema: nest(addedType.members) }
}

/** Returns true for the name of a built-in type. */
export function isBuiltInTransactionDataType(name: string): boolean {
  return Object.hasOwn(BUILT_IN, name)
}

const words = text(TRANSACTION_DATA.textCharacters)
const link = text(TRANSACTION_DATA.linkCharacters)
const flag = z.exactOptional(z.boolean())
const count = z.exactOptional(z.int().check(z.minimum(1)))
const amount = z.exactOptional(z.number())
const date = z.iso.date('must be a date, as 2027-01-31')
const time = z.iso.datetime({ offset: true, error: 'must be a time, as 2027-01-31T12:00:00Z' })
const moment = z.exactOptional(z.union([date, time], 'must be a date, or a time with its offset'))

// EUDI TS12 1.0 §4.3: the transactions of Strong Customer Authentication.

const interaction = { transaction_id: words, date_time: z.exactOptional(time) }
const provider = z.exactOptional(z.strictObject({ legal_name: words, brand_name: words, domain_name: words }))

/** §4.3.1; the frequencies are codes of ISO 20022. */
const recurrence = z.strictObject({
  start_date: z.exactOptional(date),
  end_date: z.exactOptional(date),
  number: count,
  frequency: z.enum([
    ...(['INDA', 'DAIL', 'WEEK', 'TOWK', 'TWMN', 'MNTH'] as const),
    ...(['TOMN', 'QUTR', 'FOMN', 'SEMI', 'YEAR', 'TYEA'] as const),
  ]),
  mit_options: z.exactOptional(
    z.strictObject({
      amount_variable: flag,
      min_amount: amount,
      max_amount: amount,
      total_amount: amount,
      initial_amount: amount,
      initial_amount_number: count,
      apr: amount,
    }),
  ),
})

/** A payment (§4.3.1). */
const payment = z
  .strictObject({
    ...interaction,
    payee: z.strictObject({
      name: words,
      id: words,
      logo: z.exactOptional(link),
      website: z.exactOptional(link),
    }),
    pisp: provider,
    execution_date: z.exactOptional(date),
    currency: z.string().check(z.regex(/^[A-Z]{3}$/, 'must be a code of ISO 4217')),
    amount: z.number(),
    amount_estimated: flag,
    amount_earmarked: flag,
    sct_inst: flag,
    recurrence: z.exactOptional(recurrence),
  })
  .check(
    z.refine(
      (value) => value.recurrence === undefined || value.execution_date === undefined,
      'must not have both execution_date and recurrence',
    ),
  )

/** A mandate (§4.3.4). */
const mandate = z
  .strictObject({
    ...interaction,
    start_date: moment,
    end_date: moment,
    reference_number: z.exactOptional(words),
    creditor_id: z.exactOptional(words),
    purpose: z.exactOptional(words),
    payment_payload: z.exactOptional(payment),
  })
  .check(
    z.refine(
      (value) => value.purpose !== undefined || value.payment_payload !== undefined,
      'must have a purpose or a payment_payload',
    ),
  )

/**
 * Data model of the Cloud Signature Consortium for the approval of signatures. Each signed document must have
 * a name that a person can read (`label`).
 */
const signatureApproval = z.strictObject({
  credentialID: z.exactOptional(words),
  signatureQualifier: z.exactOptional(words),
  numSignatures: count,
  documentDigests: list(
    z.strictObject({
      label: words,
      hash: words,
      hashType: z.exactOptional(words),
      href: z.exactOptional(link),
      access: z.exactOptional(z.strictObject({ type: words })),
      checksum: z.exactOptional(z.strictObject({ value: words, algorithmOID: words })),
    }),
    TRANSACTION_DATA.documents,
  ),
  hashAlgorithmOID: words,
})

/** Returns a type whose details are in `payload`. The request must name the hash algorithms (§4.2). */
function authenticated(payload: z.ZodMiniType): TransactionDataType {
  return { schema: z.strictObject({ payload }), hashAlgorithms: ['sha-256'] }
}

const BUILT_IN: Readonly<Record<string, TransactionDataType>> = {
  'urn:eudi:sca:payment:1': authenticated(payment),
  'urn:eudi:sca:login_risk_transaction:1': authenticated(
    z.strictObject({ ...interaction, service: z.exactOptional(words), action: words }),
  ),
  'urn:eudi:sca:account_access:1': authenticated(
    z.strictObject({ ...interaction, aisp: provider, description: z.exactOptional(words) }),
  ),
  'urn:eudi:sca:emandate:1': authenticated(mandate),
  'https://cloudsignatureconsortium.org/2025/qes-approval': { schema: signatureApproval },
}

const KINDS = { text: words, number: z.number(), boolean: z.boolean() } as const

/** Builds the schema of nested objects from paths. An object is optional if all its members are optional. */
function nest(members: readonly AddedMember[]): z.ZodMiniType {
  const names = [...new Set(members.map(({ path }) => path[0] ?? ''))]
  const entries = names.map((name) => {
    const group = members.filter(({ path }) => path[0] === name)
    const inner = group.map((one) => ({ ...one, path: one.path.slice(1) }))
    const [first] = inner
    const schema = first?.path.length === 0 ? KINDS[first.kind] : nest(inner)
    return [name, group.every(({ optional }) => optional) ? z.exactOptional(schema) : schema]
  })
  return z.strictObject(Object.fromEntries(entries))
}
