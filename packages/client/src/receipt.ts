// Verifies receipts as an auditor does: with the service's published keys alone.

import { err, ok, type Result } from './result.ts'
import { type JwsError, type ServiceKeys, verifyServiceJws } from './service-jws.ts'
import type {
  AssuranceLevel,
  AssuranceStep,
  Status,
  TrustListReference,
  Verification,
  VerifiedCredential,
} from './wire.ts'

/** Expected origin and subject of the receipt. */
export type ReceiptChecks = {
  /** Keys of the service, including retired ones: the body of `{baseUrl}/.well-known/jwks.json`. */
  readonly jwks: ServiceKeys
  /** Base URL of the service. */
  readonly issuer: string
  /** Accepts the receipt of this verification only. Default: accepts the receipt of any verification. */
  readonly verificationId?: string
}

/** Request, checks and result of one verification, signed by the service. */
export type Receipt = {
  readonly iss: string
  /** When the verification ended, in Unix seconds. */
  readonly iat: number
  readonly verification_id: string
  readonly relying_party_id: string
  readonly livemode: boolean
  /** `null` if the session ended without a response in a protocol without Client Identifiers. */
  readonly client_id: string | null
  /** Client Identifiers of a multi-signed request. Absent: the request offered one at most. */
  readonly offered_client_ids?: readonly string[]
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
  /** Absent in receipts of sessions that are older than this member. */
  readonly same_holder_key?: boolean | null
  readonly channel: Verification['channel']
  readonly session_binding: Verification['session_binding']
  readonly trace: Verification['trace']
  readonly assurance_derivation: readonly AssuranceStep[]
  readonly trust_lists: readonly TrustListReference[]
}

/** Reasons why a receipt is refused. */
export type ReceiptError =
  | JwsError
  /** Another kind of object signed by the service. */
  | 'not_a_receipt'
  /** Receipt of another service or of another verification. */
  | 'wrong_verification'

/** Verifies the signature of a receipt, its type, its issuer and its verification. */
export async function verifyReceipt(
  receipt: string,
  { jwks, issuer, verificationId }: ReceiptChecks,
): Promise<Result<Receipt, ReceiptError>> {
  const verified = await verifyServiceJws(receipt, jwks)
  if (!verified.ok) return verified
  const { header, claims } = verified.value
  // The same keys sign access tokens and claims.
  if (header.typ !== 'verification-receipt+jwt') return err('not_a_receipt')
  const isExpected = verificationId === undefined || claims.verification_id === verificationId
  return claims.iss === issuer && isExpected ? ok(claims as Receipt) : err('wrong_verification')
}
