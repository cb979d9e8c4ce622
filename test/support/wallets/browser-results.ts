// The results of the matrix of browsers and wallets. The conformance test compares each cell, and
// docs/wallets.md shows it.

import { join } from 'node:path'
import { ROOT } from '../../../scripts/service/paths.mjs'
import { WALLET_PROFILES } from '../../../src/wallets/profiles/index.ts'
import { QUESTIONS } from './questions.ts'

export const BROWSER_RESULTS_FILE = join(ROOT, 'test', 'conformance', 'wallets', 'browsers.json')

/**
 * One browser, wallet and question. `works`: the request for any wallet is answered and verifies.
 * `chosen`: the wallet must be chosen. `link`: if chosen, the session offers only a link. `not here`: the
 * browser passes nothing to the wallet. `cannot`: the creation said so.
 */
export type BrowserResult = 'works' | 'chosen' | 'link' | 'not here' | 'cannot'

/** By wallet, question and mode of the browser. */
export type BrowserResults = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, BrowserResult>>>>>
>

/** Wallets to which a browser can pass a request. */
export const BROWSER_WALLETS = WALLET_PROFILES.filter(({ dc_api_protocols }) => dc_api_protocols.length > 0)

export const BROWSER_QUESTIONS = QUESTIONS.filter(({ name }) =>
  ['over 18', 'name in the PID', 'mDL', 'two credentials'].includes(name),
)
