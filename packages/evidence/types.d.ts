/** Result of one check. `not_in_evidence`: the container alone does not show it. */
export type CheckResult = 'pass' | 'fail' | 'not_in_evidence'

/** One check. `file`: the file that it is about. `clause`: the clause that it implements. */
export type Check = {
  readonly id: string
  readonly result: CheckResult
  readonly file: string | null
  readonly clause: string | null
  readonly detail: string | null
}

/** `incomplete`: everything was checked, but something rests on the container alone. */
export type Report = {
  readonly result: 'passed' | 'failed' | 'incomplete'
  readonly checks: readonly Check[]
}

/** An opened container. `missing`: hexadecimal digests of the materials that were not given. */
export type OpenedCase = {
  readonly zip: Uint8Array
  readonly missing: readonly string[]
  /** `owed`: the manifest names a time stamp that the envelope does not have yet. */
  readonly timeStamp: 'none' | 'added' | 'owed'
}

/** Certificates and keys that the auditor trusts: the result of `readTrust`. */
export type Trust = { readonly __trust?: never }

/**
 * How to verify. `at`: time of the check in Unix seconds, by default now. `receipt`: the text of a receipt.
 */
export type VerifyOptions = {
  readonly trust?: Trust
  readonly at?: number
  readonly receipt?: string
}

/** A verified container. */
export type Verified = { readonly report: Report }

/** The file is not what it should be: no envelope, no container, or no `trust.json`. The message says why. */
export class UnreadableError extends Error {}

/**
 * Opens the text of an envelope with one of these private keys (JWK). `findMaterial` returns the bytes of a
 * material by its hexadecimal SHA-256.
 */
export function openEnvelope(
  text: string,
  keys: readonly object[],
  findMaterial?: (sha256: string) => Uint8Array | undefined,
): Promise<OpenedCase>

/** Reads the text of `trust.json`. */
export function readTrust(text: string): Trust

/** Verifies a container. Throws `UnreadableError` if the bytes are no container. */
export function verifyContainer(zip: Uint8Array, options?: VerifyOptions): Promise<Verified>

/** Returns the exit status of the command for a report: 0 passed, 1 failed, 3 incomplete. */
export function exitStatus(report: Report): 0 | 1 | 3

/** Tells a person what was asked, disclosed and decided, as text. */
export function showText(verified: Verified): string

/** The same as one printable page of HTML, without scripts. */
export function showHtml(verified: Verified): string
