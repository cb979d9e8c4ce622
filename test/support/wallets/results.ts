// The results of the matrix of wallets. The conformance test compares each cell, and docs/wallets.md shows
// it.

import { join } from 'node:path'
import { ROOT } from '../../../scripts/service/paths.mjs'

export const RESULTS_FILE = join(ROOT, 'test', 'conformance', 'wallets', 'results.json')

/** One wallet and one question. */
export type Result = {
  readonly result: 'works' | 'lowered' | 'unknown' | 'cannot'
  /** Codes of what was left out, or of the reasons. */
  readonly why: readonly string[]
  /** How the request for any wallet ended. */
  readonly default: string
  /** How the request for this wallet ended. */
  readonly chosen: string
  /** Numbers of disclosed claims. */
  readonly disclosed: { readonly default: number; readonly chosen: number }
}

export type Results = Readonly<Record<string, Readonly<Record<string, Result>>>>
