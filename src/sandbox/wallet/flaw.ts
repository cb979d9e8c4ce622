// One thing that the test wallet, or the issuer behind it, does wrong. Every member is optional: what is absent is done right.

import type { Cbor } from '../issuer/cbor.ts'
import type { IdentityName } from '../issuer/identities.ts'
import type { Members } from '../issuer/sign.ts'
import type { Status } from '../issuer/status.ts'
import type { FormatName } from './query.ts'

export type Flaw = IssuerFlaw & HolderFlaw & AnswerFlaw & FlawDescription

type FlawDescription = {
  /** For people: what is wrong. */
  readonly does: string
  /** Where it can be done; absent: in every format. */
  readonly formats?: readonly FormatName[]
  /** What the request must be like. */
  readonly needs?: Need
}

/** `encrypted`, `plain`: how the answer is asked for. `definition`: in Presentation Exchange. */
export type Need = 'encrypted' | 'plain' | 'transaction_data' | 'definition'

/** What the issuer gets wrong. */
export type IssuerFlaw = {
  /** Whose certificate the credential is issued under. */
  readonly identity?: IdentityName
  /** Whose key signs in truth. */
  readonly signedBy?: IdentityName
  /** The certificates, leaf first: standard base64 of their DER. */
  readonly chain?: Change<readonly string[]>
  readonly status?: Status
  /** Seconds from now, or before it. */
  readonly validFrom?: number
  readonly validUntil?: number
  readonly type?: string
  /** What is said of the person. */
  readonly person?: Change<Members>
  /** Of the JWT that the issuer signs. */
  readonly header?: Change<Members>
  readonly claims?: Change<Members>
  /** Of an SD-JWT: claims that are disclosed beside the person's. */
  readonly disclosed?: Members
  /** Of an mdoc: the Mobile Security Object, and the issuer's protected header. */
  readonly mso?: Change<ReadonlyMap<string, Cbor>>
  readonly coseHeader?: ReadonlyMap<number, Cbor>
}

/** What the holder gets wrong. */
export type HolderFlaw = {
  /** Disclosures, in the encoding of the format, as they are presented: base64url texts, or IssuerSignedItemBytes. */
  readonly disclosures?: Change<readonly string[]>
  readonly items?: Change<readonly Cbor[]>
  /** Nothing proves that the presenter is the holder. */
  readonly unproven?: boolean
  /** The proof is made with a key of somebody else's. */
  readonly stolen?: boolean
  /** Of the JWT that proves it. */
  readonly proof?: Change<Members>
  /** DeviceSigned of an mdoc: its elements, and its proof. */
  readonly deviceElements?: ReadonlyMap<string, Cbor>
  readonly deviceAuth?: Change<ReadonlyMap<string, Cbor>>
  /** The presentation as a whole. */
  readonly presentation?: Change<string>
}

/** What the answer gets wrong. */
export type AnswerFlaw = {
  /** An error in place of a presentation. */
  readonly error?: string
  /** The `vp_token`. */
  readonly vpToken?: Change<unknown>
  /** The answer's parameters, before they are encrypted where they are. */
  readonly parameters?: Change<Members>
  readonly inTheClear?: boolean
  /** Header of the JWE. */
  readonly jwe?: Change<JweHeader>
  /** The form as it is posted. */
  readonly form?: Change<Readonly<Record<string, string>>>
}

export type JweHeader = { readonly alg: string; readonly enc: string; readonly kid?: string }

/** A changed copy. */
export type Change<T> = (value: T) => T

/** What is done to a value; nothing where nothing is wrong with it. */
export function changed<T>(value: T, change: Change<T> | undefined): T {
  return change === undefined ? value : change(value)
}
