// One mistake of the test wallet, or of the issuer behind it. Every member is optional. Without a member that
// part is correct.

import type { Cbor } from '../issuer/cbor.ts'
import type { IdentityName } from '../issuer/identities.ts'
import type { Members } from '../issuer/sign.ts'
import type { Status } from '../issuer/status.ts'
import type { FormatName } from './query.ts'

export type Mistake = IssuerMistake & HolderMistake & ResponseMistake & MistakeDescription

type MistakeDescription = {
  /** Predicate of a sentence about the wallet, for people. */
  readonly description: string
  /** Formats in which it is possible. Default: all. */
  readonly formats?: readonly FormatName[]
  readonly requires?: Requirement
}

/**
 * Requirement on the request: its response mode, transaction data, or a Presentation Exchange `definition`.
 */
export type Requirement = 'encrypted' | 'plain' | 'transaction_data' | 'definition'

type IssuerMistake = {
  /** Owner of the certificate that the credential is issued under. */
  readonly identity?: IdentityName
  /** Owner of the key that signs. */
  readonly signedBy?: IdentityName
  /** Certificates, leaf first: standard base64 of their DER. */
  readonly chain?: Change<readonly string[]>
  readonly status?: Status
  /** Seconds relative to now. */
  readonly validFrom?: number
  readonly validUntil?: number
  readonly type?: string
  /** Claims about the person. */
  readonly person?: Change<Members>
  /** Header and claims of the JWT that the issuer signs. */
  readonly header?: Change<Members>
  readonly claims?: Change<Members>
  /** Further claims that an SD-JWT discloses. */
  readonly disclosed?: Members
  /** Mobile Security Object of an mdoc, and the issuer's protected header. */
  readonly mso?: Change<ReadonlyMap<string, Cbor>>
  readonly coseHeader?: ReadonlyMap<number, Cbor>
}

type HolderMistake = {
  /** Presented disclosures of an SD-JWT (base64url) and of an mdoc (IssuerSignedItemBytes). */
  readonly disclosures?: Change<readonly string[]>
  readonly items?: Change<readonly Cbor[]>
  /** Leaves out the proof of possession. */
  readonly withoutProof?: boolean
  /** Signs the proof with another holder's key. */
  readonly foreignKey?: boolean
  /** Holds each credential with a key of its own. */
  readonly keyPerCredential?: boolean
  /** Claims of the JWT that proves possession. */
  readonly proof?: Change<Members>
  /** Elements and authentication in DeviceSigned of an mdoc. */
  readonly deviceElements?: ReadonlyMap<string, Cbor>
  readonly deviceAuth?: Change<ReadonlyMap<string, Cbor>>
  /** The whole presentation. */
  readonly presentation?: Change<string>
}

type ResponseMistake = {
  /** Error code in place of a presentation. */
  readonly error?: string
  readonly vpToken?: Change<unknown>
  /** Parameters of the response before encryption. */
  readonly parameters?: Change<Members>
  readonly inTheClear?: boolean
  readonly jwe?: Change<JweHeader>
  /** The posted form. */
  readonly form?: Change<Readonly<Record<string, string>>>
}

export type JweHeader = { readonly alg: string; readonly enc: string; readonly kid?: string }

/** Returns a changed copy. */
export type Change<T> = (value: T) => T

/** Applies a change, if there is one. */
export function apply<T>(value: T, change: Change<T> | undefined): T {
  return change === undefined ? value : change(value)
}
