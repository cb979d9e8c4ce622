// The results of the matrix of wallets. The conformance test compares each cell, and docs/wallets.md shows
// it.

import { join } from 'node:path'
import { ROOT } from '../../../scripts/service/paths.mjs'

export const RESULTS_FILE = join(ROOT, 'test', 'conformance', 'wallets', 'results.json')

/** One wallet and one question. */
export type Result = {
  readonly result: 'works' | 'lowered' | 'unknown' | 'cannot'
  /** Codes of the members that were left out, or codes of the reasons. */
  readonly why: readonly string[]
  /** Result of the request for any wallet. */
  readonly default: string
  /** Result of the request for this wallet. */
  readonly chosen: string
  /** Numbers of disclosed claims. */
  readonly disclosed: { readonly default: number; readonly chosen: number }
}

export type Results = Readonly<Record<string, Readonly<Record<string, Result>>>>
