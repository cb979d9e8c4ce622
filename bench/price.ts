// What a million verifications cost on the platform, from what one of them uses. Rows are counted by
// test/session/rows.test.ts, which fails when they change; prices are Cloudflare's list prices of the paid plan, 2026.

import type { Report } from './report.ts'

/** One verification: created, one more picture, fetched, answered, one webhook, two polls, erased. */
const VERIFICATION = {
  /** POST /v1/verify, GET /qr, request_uri, callback, two polls. */
  workerRequests: 6,
  /** Those, and the alarms: delivery watchdog, erasure. */
  objectRequests: 8,
  rowsWritten: 12,
  rowsRead: 10,
  /** Milliseconds in the Worker and in the object, all requests together. */
  cpuMs: 6,
  /** An object is billed for 128 MB while it works; so long, all requests together. */
  objectSeconds: 0.06,
} as const

/** US dollars. */
const PRICES = {
  workerRequest: 0.3 / 1e6,
  cpuMs: 0.02 / 1e6,
  objectRequest: 0.15 / 1e6,
  rowWritten: 1 / 1e6,
  rowRead: 0.001 / 1e6,
  gigabyteSecond: 12.5 / 1e6,
} as const

/** What a million verifications use, and what that costs. */
export function priceOfAMillion(): readonly Item[] {
  const { workerRequests, objectRequests, rowsWritten, rowsRead, cpuMs, objectSeconds } = VERIFICATION
  return [
    item('rows written', rowsWritten, PRICES.rowWritten),
    item('Worker requests', workerRequests, PRICES.workerRequest),
    item('object requests', objectRequests, PRICES.objectRequest),
    item('CPU, milliseconds', cpuMs, PRICES.cpuMs),
    item('object time, gigabyte seconds', objectSeconds * 0.125, PRICES.gigabyteSecond),
    item('rows read', rowsRead, PRICES.rowRead),
  ]
}

/** One item of the bill: uses of one verification, and dollars for a million of them. */
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
  const items = priceOfAMillion()
  const total = items.reduce((sum, { dollars }) => sum + dollars, 0)
  report.heading('Modelled price of a million verifications (US dollars, list prices)')
  report.line(`${VERIFICATION.rowsWritten} rows written each; $${total.toFixed(2)} in all:`)
  for (const { name, dollars } of items) {
    report.line(`  ${name}: $${dollars.toFixed(2)} (${Math.round((100 * dollars) / total)} %)`)
  }
}
