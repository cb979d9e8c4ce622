// Invented counters for the console's page of insights.

import type { Page } from 'playwright-core'

/** Hours that the page shows at first. */
export const HOURS = 7 * 24
/** Addresses of insights, for `page.route`. */
export const INSIGHTS = '**/console/api/v1/insights?*'

/** Invented counters of each hour, in a wave over each day. In one hour of eight, no verification ended. */
export function madeStep(at: number, i: number) {
  const created = Math.round(60 + 50 * Math.sin((i / 24) * 2 * Math.PI))
  const verified = Math.round(created * 0.7)
  return {
    at: new Date(at).toISOString(),
    created,
    request_fetched: Math.round(created * 0.9),
    ended: i % 8 === 0 ? {} : { verified, rejected: i % 5, declined: i % 3, expired: i % 4, canceled: i % 2 },
    reasons: { untrusted_issuer: i % 5, session_expired: i % 4 },
    attempt_reasons: { untrusted_issuer: i % 7, nonce_mismatch: i % 3 },
    channels: { qr: verified, link: i % 7, dc_api: i % 2 },
    protocols: { 'openid4vp-1.0': created },
    webhook_attempts: { succeeded: verified, failed: i % 6 },
    seconds_to_end: i % 8 === 0 ? { p50: null, p95: null } : { p50: 20 + (i % 9), p95: 90 + 3 * (i % 20) },
    webhook_seconds: { p50: 0.08, p95: 0.2 + 0.01 * (i % 10) },
  }
}

/** Returns the body of insights for the period and the step of an address. */
export function madeSteps(url: string) {
  const query = new URL(url).searchParams
  const from = Date.parse(query.get('from') ?? '')
  const stepMs = query.get('step') === 'hour' ? 3_600_000 : 86_400_000
  const count = (Date.parse(query.get('to') ?? '') - from) / stepMs
  const steps = Array.from({ length: count }, (_, i) => madeStep(from + i * stepMs, i))
  return { ...Object.fromEntries(query), steps }
}

/** Responds to calls of insights with invented counters, when `ready` resolves. */
export async function withMadeCounters(
  page: Page,
  ready: () => Promise<unknown> = async () => {},
): Promise<void> {
  await page.route(INSIGHTS, async (route) => {
    await ready()
    await route.fulfill({ json: madeSteps(route.request().url()) })
  })
}

/** Titles of the plots, in order. */
export const PLOTS = [
  'Created and fetched',
  'Outcomes',
  'Time from creation to the end',
  'Webhook attempts',
  'Response time of your webhook receiver',
]
