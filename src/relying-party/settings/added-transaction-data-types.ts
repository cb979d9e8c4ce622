// Types of transaction data that a relying party adds to the built-in ones (api/types): the members of their
// objects, and the labels that people read.

import * as z from 'zod/mini'
import { list, text } from '../../codec/schema.ts'
import { TRANSACTION_DATA } from '../../limits.ts'
import {
  type AddedTransactionDataType,
  isBuiltInTransactionDataType,
  MEMBER_KINDS,
} from '../../openid4vp/transaction-data/transaction-data-types.ts'

/** Members that every transaction data object has. An added type must not define them. */
const TAKEN = ['type', 'credential_ids', 'transaction_data_hashes_alg']

const words = text(TRANSACTION_DATA.labelCharacters)
const memberName = z
  .string()
  .check(
    z.maxLength(TRANSACTION_DATA.nameCharacters),
    z.regex(
      /^[A-Za-z][A-Za-z0-9_-]*$/,
      'must begin with a letter and continue with letters, digits, _ and -',
    ),
  )

const member = z.strictObject({
  path: list(memberName, TRANSACTION_DATA.pathLength).check(
    z.refine(
      ([first = '']) => !TAKEN.includes(first),
      'must not begin with type, credential_ids or transaction_data_hashes_alg',
    ),
  ),
  label: words,
  kind: z._default(z.enum(MEMBER_KINDS), 'text'),
  optional: z._default(z.boolean(), false),
})

const addedType = z.strictObject({
  type: text(TRANSACTION_DATA.typeCharacters).check(
    z.refine((name) => !isBuiltInTransactionDataType(name), 'must not be a built-in type'),
  ),
  title: words,
  members: list(member, TRANSACTION_DATA.members).check(
    z.refine((members) => !members.some(isWithinAnother), 'must not repeat a path, or continue another one'),
  ),
})

/**
 * `transaction_data_types` of the settings: `[{type, title, members: [{path, label, kind?, optional?}]}]`.
 */
export const addedTransactionDataTypes: z.ZodMiniType<readonly AddedTransactionDataType[]> = z
  .array(addedType)
  .check(
    z.maxLength(TRANSACTION_DATA.addedTypes),
    z.refine(
      (types) => new Set(types.map(({ type }) => type)).size === types.length,
      'must not repeat a type',
    ),
  )

/**
 * Returns true if the path repeats or continues another path. This is an error: a member cannot have a value
 * of its own and also contain other members.
 */
function isWithinAnother(
  { path }: { readonly path: readonly string[] },
  index: number,
  all: readonly { readonly path: readonly string[] }[],
): boolean {
  return all.some((other, i) => i !== index && other.path.every((step, depth) => path[depth] === step))
}
