// A receipt (CONTRACT 4) read the way an auditor reads it: believed for the service's published keys, and for nothing else.

import { err, ok, type Result } from '../../../src/result.ts'
import { type JwsError, type ServiceKeys, verifyServiceJws } from './service-jws.ts'
import type { AssuranceLevel, AssuranceStep, Status, TrustListReference, VerifiedCredential } from './wire.ts'

/** What the receipt must come from and be about. */
export type ReceiptChecks = {
  /** The service's keys: the body of `{baseUrl}/.well-known/jwks.json`, retired ones included. */
  readonly jwks: ServiceKeys
  /** The service's base URL. */
  readonly issuer: string
  /** Where it is to be the receipt of one verification. */
  readonly verificationId?: string
}

/** What was asked, what was checked, and how it ended. docs/receipt.md says how to recompute the hashes. */
export type Receipt = {
  readonly iss: string
  /** When the verification ended, in Unix seconds. */
  readonly iat: number
  readonly verification_id: string
  readonly relying_party_id: string
  readonly livemode: boolean
  readonly client_id: string
  readonly protocol: string
  readonly created_at: string
  readonly ended_at: string
  readonly status: Exclude<Status, 'pending'>
  /** The code of the reason. */
  readonly reason: string | null
  readonly policy_hash: string
  readonly request_hash: string | null
  readonly checks: Readonly<Record<string, boolean>> | null
  readonly assurance_level: AssuranceLevel | null
  readonly credentials: readonly VerifiedCredential[]
  readonly assurance_derivation: readonly AssuranceStep[]
  readonly trust_lists: readonly TrustListReference[]
}

/** Why a receipt is not believed. */
export type ReceiptFault =
  | JwsError
  /** Something else that the service signed. */
  | 'no_receipt'
  /** Another service's, or of another verification. */
  | 'not_this_one'

/** Verifies a receipt: its signature, that it is one, whose, and of which verification. */
export async function verifyReceipt(
  receipt: string,
  { jwks, issuer, verificationId }: ReceiptChecks,
): Promise<Result<Receipt, ReceiptFault>> {
  const verified = await verifyServiceJws(receipt, jwks)
  if (!verified.ok) return verified
  const { header, claims } = verified.value
  // The same keys sign access tokens and claims.
  if (header.typ !== 'verification-receipt+jwt') return err('no_receipt')
  const isOfThis = verificationId === undefined || claims.verification_id === verificationId
  return claims.iss === issuer && isOfThis ? ok(claims as Receipt) : err('not_this_one')
}
