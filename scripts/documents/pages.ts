// Parts of the documentation that are generated from the sources.

import { describeCells, describeProtocols } from '../../test/support/service/cells.ts'
import { describeCost } from './cost.ts'
import { describeHelp, describeMessages } from './messages.ts'
import { describePublicPages } from './public-pages.ts'
import { describeReasons } from './reason-advice.ts'
import { describeStatusesAndReasons } from './statuses-and-reasons.ts'
import { describeWallets } from './wallets.ts'

/** Path from the project's folder → its whole text. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'assets/page/public.json': () => `${describePublicPages()}\n`,
  'assets/metrics.json': () => `${describeHelp()}\n`,
  'assets/messages.json': () => `${describeMessages()}\n`,
  'console/reasons.json': () => `${describeReasons()}\n`,
  'docs/statuses-and-reasons.md': () => `${describeStatusesAndReasons()}\n`,
  'docs/wallets.md': () => `${describeWallets()}\n`,
}

/** Path → the tables in it, which begin with their own first line. */
export const GENERATED_TABLES: Readonly<Record<string, () => string>> = {
  'docs/cost.md': describeCost,
  'docs/protocols.md': () => `${describeProtocols()}\n\n${describeCells()}`,
}
