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

export function reportPrice(report: Report): void {
  const { workerRequests, objectRequests, rowsWritten, rowsRead, cpuMs, objectSeconds } = VERIFICATION
  const parts = {
    'rows written': rowsWritten * PRICES.rowWritten,
    'Worker requests': workerRequests * PRICES.workerRequest,
    'object requests': objectRequests * PRICES.objectRequest,
    CPU: cpuMs * PRICES.cpuMs,
    'object time': objectSeconds * 0.125 * PRICES.gigabyteSecond,
    'rows read': rowsRead * PRICES.rowRead,
  }
  const total = Object.values(parts).reduce((sum, price) => sum + price, 0)
  report.heading('Modelled price of a million verifications (US dollars, list prices)')
  report.line(`${rowsWritten} rows written each; $${(total * 1e6).toFixed(2)} in all:`)
  for (const [name, price] of Object.entries(parts)) {
    report.line(`  ${name}: $${(price * 1e6).toFixed(2)} (${Math.round((100 * price) / total)} %)`)
  }
}
