// Models the platform's price of a million verifications from the resources of one. The rows are counted by
// test/session/rows.test.ts, which fails when they change. Prices are Cloudflare's list prices of the paid
// plan, 2026.

import type { Report } from './report.ts'

/**
 * Resources of one verification without the list: creation, one more picture, fetch, response, one webhook,
 * two polls, deletion.
 */
const UNLISTED = {
  /** POST /v1/verify, GET /qr, request_uri, callback, two polls. */
  workerRequests: 6,
  /** The Worker requests, the event log, and the alarm of the deletion. */
  objectRequests: 8,
  rowsWritten: 9,
  rowsRead: 10,
  /** Milliseconds in the Worker and in the object, all requests together. */
  cpuMs: 6,
  /** Seconds for which an object is billed for 128 MB, all requests together. */
  objectSeconds: 0.06,
} as const

/** Rows of the list: the entry of the creation, the entry of the end, and a row with masks for 80 ids. */
const LIST_ROWS = 2 + 1 / 80
/** Requests for the list alone: the creation. The entry of the end is in the request with its event. */
const LIST_REQUESTS = 1
/** Entries that are made. */
const ENTRIES = 2

/** Resources of the same verification by its settings. */
const VERIFICATIONS = {
  default: {
    ...UNLISTED,
    objectRequests: UNLISTED.objectRequests + LIST_REQUESTS,
    rowsWritten: UNLISTED.rowsWritten + LIST_ROWS,
    rowsRead: UNLISTED.rowsRead + ENTRIES * 2.5,
    cpuMs: UNLISTED.cpuMs + ENTRIES * 0.25,
    objectSeconds: UNLISTED.objectSeconds + ENTRIES * 0.005,
  },
  'index: false': UNLISTED,
} as const

/** Rows that each event of a step writes. */
const ROWS_OF_A_STEP_EVENT = 5

export type PricedSettings = keyof typeof VERIFICATIONS

/** Prices in US dollars. */
const PRICES = {
  workerRequest: 0.3 / 1e6,
  cpuMs: 0.02 / 1e6,
  objectRequest: 0.15 / 1e6,
  rowWritten: 1 / 1e6,
  rowRead: 0.001 / 1e6,
  gigabyteSecond: 12.5 / 1e6,
} as const

/** Returns the items of the bill for a million verifications. */
export function priceOfAMillion(settings: PricedSettings): readonly Item[] {
  const { workerRequests, objectRequests, rowsWritten, rowsRead, cpuMs, objectSeconds } =
    VERIFICATIONS[settings]
  return [
    item('rows written', rowsWritten, PRICES.rowWritten),
    item('Worker requests', workerRequests, PRICES.workerRequest),
    item('object requests', objectRequests, PRICES.objectRequest),
    item('CPU, milliseconds', cpuMs, PRICES.cpuMs),
    item('object time, gigabyte seconds', objectSeconds * 0.125, PRICES.gigabyteSecond),
    item('rows read', rowsRead, PRICES.rowRead),
  ]
}

/** One item of the bill: uses for each verification, and dollars for a million of them. */
export type Item = {
  readonly name: string
  readonly uses: number
  readonly priceOfAMillionUses: number
  readonly dollars: number
}

function item(name: string, uses: number, price: number): Item {
  const priceOfAMillionUses = price * 1e6
  return { name, uses, priceOfAMillionUses, dollars: uses * priceOfAMillionUses }
}

export function reportPrice(report: Report): void {
  report.heading('Modelled price of a million verifications (US dollars, list prices)')
  for (const settings of Object.keys(VERIFICATIONS) as PricedSettings[]) {
    const items = priceOfAMillion(settings)
    const total = totalOf(items)
    const { rowsWritten } = VERIFICATIONS[settings]
    report.line(`${settings}: ${rowsWritten.toFixed(1)} rows written each; $${total.toFixed(2)} in all:`)
    for (const { name, dollars } of items) {
      report.line(`  ${name}: $${dollars.toFixed(2)} (${Math.round((100 * dollars) / total)} %)`)
    }
  }
  const rows = VERIFICATIONS.default.rowsWritten + 2 * ROWS_OF_A_STEP_EVENT
  report.line(`default, with events of two steps: ${rows.toFixed(1)} rows written each`)
}

/** Returns the sum of a bill in dollars. */
export function totalOf(items: readonly Item[]): number {
  return items.reduce((sum, { dollars }) => sum + dollars, 0)
}
