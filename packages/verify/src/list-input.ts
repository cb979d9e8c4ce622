// Members that the input and the result have for each kind of trust list.

import * as z from 'zod/mini'
import { describeIssue, list, text } from '../../../src/codec/schema.ts'
import { TRUST_LIST } from '../../../src/limits.ts'
import { ASSURANCE_LEVELS } from '../../../src/trust/anchors/anchor.ts'
import type { ListAnchors, ServiceGrant } from '../../../src/trust/lists/list-anchors.ts'
import { faultsOf, inputError } from './faults.ts'
import { InputError } from './input-error.ts'
import type { TrustAnchor, TrustList, TrustListInput } from './types.ts'
import { markVerified } from './verified-lists.ts'

const LIST_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

const grant = {
  type: text(500),
  credential_types: list(text(100), 50),
  assurance_level: z.enum(ASSURANCE_LEVELS),
  purpose: z.exactOptional(list(z.enum(['issuer', 'status']), 2)),
  eku: z.exactOptional(list(text(128), 16)),
}

/** Services of a list that is not XML. */
export const signedServices = list(z.strictObject(grant), TRUST_LIST.services)

/** Services of a list in XML, which has statuses. */
export const xmlServices = list(
  z.strictObject({ ...grant, statuses: z.exactOptional(list(text(500), 8)) }),
  TRUST_LIST.services,
)

/** Returns the services of an input. Throws an `InputError`. */
export function parseServices(
  schema: typeof signedServices | typeof xmlServices,
  value: unknown,
): readonly ServiceGrant[] {
  const parsed = schema.safeParse(value, { error: describeIssue })
  if (!parsed.success) throw new InputError(faultsOf(parsed.error, '/services'))
  return parsed.data as readonly ServiceGrant[]
}

/** Checks the members of every kind. Throws an `InputError`. */
export function checkListInput({
  name,
  body,
  now = new Date(),
}: Partial<Pick<TrustListInput, 'name' | 'body' | 'now'>>): void {
  if (typeof name !== 'string' || !LIST_NAME.test(name))
    throw inputError('/name', 'must be up to 64 of a-z, 0-9, _ and -')
  if (!(body instanceof Uint8Array)) throw inputError('/body', 'must be a Uint8Array')
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) throw inputError('/now', 'must be a valid Date')
}

/** Checks that there is at least one signer, and not more than the limit. Throws an `InputError`. */
export function checkSigners(signers: unknown, limit: number): readonly unknown[] {
  if (!Array.isArray(signers) || signers.length === 0 || signers.length > limit)
    throw inputError('/signers', `must have 1 to ${limit} signers`)
  return signers
}

/** A list that was verified. Times are Unix seconds. */
type Verified = ListAnchors & {
  readonly sequence: number | null
  readonly issuedAt: number | null
  readonly usableUntil: number | null
  readonly contentDigest?: string
}

/** Returns the list with its anchors, each of which names the list. `url`: its address, if it has one. */
export function toTrustList(
  { name, now }: { readonly name: string; readonly now: Date },
  { sequence, issuedAt, usableUntil, leftOut, contentDigest, ...verified }: Verified,
  url: string | undefined,
): TrustList {
  const reference = { name, sequence, trust_as_of: now.toISOString() }
  const published = url === undefined ? {} : { listUrls: [url] }
  const anchors = verified.anchors.map((anchor) => ({ ...anchor, list: reference, ...published }))
  return markVerified({
    ...{ name, sequence, leftOut },
    issuedAt: toDate(issuedAt),
    usableUntil: toDate(usableUntil),
    ...(contentDigest !== undefined && { contentDigest }),
    anchors: anchors as unknown as readonly TrustAnchor[], // anchors of one mechanism each
  })
}

/** Returns Unix seconds. */
export function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

function toDate(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1000)
}
