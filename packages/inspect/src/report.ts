// The report of the inspector: parts with rows and checks, and the outcome of a request with its response.

import type { Check, CheckResult, Part, Report, Row } from '../types.d.ts'
import { REPORT } from './limits.ts'

export type { Check, CheckResult, Kind, Outcome, Part, Report, Row, Step } from '../types.d.ts'

/** Parts of one recognized input. */
export type Recognized = Omit<Report, 'outcome'>

/** The input cannot be inspected. The message says why. */
export class UnreadableInputError extends Error {
  override readonly name = 'UnreadableInputError'
}

/** Makes a part within the limits. */
export function part(
  title: string,
  clause: string | null,
  rows: readonly Row[],
  checks: readonly Check[] = [],
): Part {
  const rest = rows.length - REPORT.rows
  const shown = rest > 0 ? [...rows.slice(0, REPORT.rows), row('…', `${rest} more values`)] : rows
  return { title: visible(title, REPORT.nameCharacters), clause, checks, rows: shown }
}

/** Makes a row. Characters that are not visible are replaced, and long texts are cut. */
export function row(name: string, value: string, meaning: Meaning | undefined = undefined): Row {
  const [words = null, clause = null] = meaning ?? []
  return {
    name: visible(name, REPORT.nameCharacters),
    value: visible(value, REPORT.valueCharacters),
    meaning: words,
    clause,
  }
}

/** The meaning of a name, and its clause. */
export type Meaning = readonly [words: string, clause: string]

/** Makes a check. */
export function check(
  name: string,
  result: CheckResult,
  detail: string,
  clause: string | null = null,
): Check {
  return { name, result, detail: visible(detail, REPORT.valueCharacters), clause }
}

/**
 * Replaces control characters, characters that change the direction of the text, and lone surrogates. Cuts a
 * text, and says how long it was.
 */
export function visible(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}… (${text.length} characters)` : text
  return cut.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
