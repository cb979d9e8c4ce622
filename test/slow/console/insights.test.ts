// Insights in the console: plots and the same values as tables, in every mode of colours.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, useBrowserStage } from '../../support/browser/browser-stage.ts'
import { checkConsole, openPlace, rowsOf } from '../../support/browser/console-page.ts'
import {
  HOURS,
  INSIGHTS,
  madeStep,
  madeSteps,
  PLOTS,
  withMadeCounters,
} from '../../support/browser/insights.ts'
import { finish } from '../../support/service/stage.ts'

/** Runs in the page: for each line of each plot, true if its colour is in the canvas. */
const DRAWN = `[...document.querySelectorAll('figure')].map((figure) => {
  const canvas = figure.querySelector('canvas')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  return [...figure.querySelectorAll('.legend li[class^="line-"]:not(.line-at)')].map((entry) => {
    const colour = getComputedStyle(entry).color.match(/\\d+/g).map(Number)
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 200 && colour.every((part, k) => Math.abs(data[i + k] - part) < 12)) return true
    return false
  })
})`

/** Runs before the page's scripts: records each text that is drawn in a canvas, with its ends. */
const RECORD_TEXTS = `
globalThis.drawn = []
const { fillText } = CanvasRenderingContext2D.prototype
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const half = this.measureText(text).width / 2
  if (this.textAlign === 'center') drawn.push({ canvas: this.canvas, text, y, start: x - half, end: x + half })
  return fillText.call(this, text, x, y)
}`

/** Runs in the page: returns the number of canvases of the page with recorded texts. */
const CANVASES = 'new Set(drawn.map(({ canvas }) => canvas).filter(({ isConnected }) => isConnected)).size'

/** Runs in the page: returns the drawn texts that begin in another text, or end outside of their canvas. */
const OVERLAPPING = `drawn.filter((one) =>
  one.end > one.canvas.width || drawn.some((other) =>
    other.canvas === one.canvas && other.y === one.y && other.start < one.start && other.end > one.start,
  ),
).map(({ text }) => text)`

describeInBrowser('insights in the console', () => {
  const stage = useBrowserStage({ env: { CONSOLE: '1' } })

  /** Opens the insights, and waits for the last plot. */
  async function openPlots(page: Page) {
    await openPlace(page, stage.rp.api_key, 'insights')
    await page
      .locator('figure canvas')
      .nth(PLOTS.length - 1)
      .waitFor()
  }

  it('count a verification that was created today, and its webhook', async () => {
    await finish(stage)
    const canceled = await stage.rp.create()
    await stage.rp.call('POST', `/v1/verify/${canceled.verification_id}/cancel`)
    const { page } = await stage.visitor()
    await stage.receiver.received(2)
    await openPlace(page, stage.rp.api_key, 'insights')
    await expect
      .poll(
        async () => {
          await page.reload()
          await page.getByRole('table', { name: 'From creation to outcome' }).waitFor()
          return Object.fromEntries(
            (await rowsOf(page, 'From creation to outcome')).map(([name, count]) => [name, count]),
          )
        },
        { interval: 1_000 },
      )
      .toMatchObject({ Created: '2', verified: '1', canceled: '1', 'Webhook attempts that succeeded': '2' })
    expect(await rowsOf(page, 'Reasons')).toEqual([['canceled_by_relying_party', '1', '100%']])
    expect((await rowsOf(page, 'Channels')).map(([name]) => name)).toEqual(['QR code'])
  })

  it('name the days that are not counted', async () => {
    const { page } = await stage.visitor()
    await page.route(INSIGHTS, (route) =>
      route.fulfill({ json: { ...madeSteps(route.request().url()), incomplete: ['2026-11-21'] } }),
    )
    await openPlace(page, stage.rp.api_key, 'insights')
    await page.getByText('list could not be read: 2026-11-21').waitFor()
    await page.locator('figure canvas').first().waitFor()
  })

  it('draw every line in its colour, in light, dark and forced colours', async () => {
    const { page } = await stage.visitor()
    await withMadeCounters(page)
    await openPlots(page)
    expect(await page.locator('figure figcaption').allInnerTexts()).toEqual(PLOTS)
    const looks = [
      { colorScheme: 'light', forcedColors: 'none' },
      { colorScheme: 'dark', forcedColors: 'none' },
      { colorScheme: 'light', forcedColors: 'active' },
    ] as const
    for (const look of looks) {
      await page.emulateMedia(look)
      await expect
        .poll(async () => ((await page.evaluate(DRAWN)) as boolean[][]).flat())
        .toEqual(Array(13).fill(true))
    }
  })

  it.each([320, 1280])('have step names that do not overlap on a screen %i pixels wide', async (width) => {
    const { page } = await stage.visitor({ viewport: { width, height: 700 } })
    await page.addInitScript(RECORD_TEXTS)
    await withMadeCounters(page)
    await openPlace(page, stage.rp.api_key, 'insights')
    for (const period of ['7 days', '24 hours', '90 days']) {
      await page.getByLabel(period).check()
      // New values have canvases of their own.
      await expect.poll(() => page.evaluate(CANVASES)).toBe(PLOTS.length)
      expect(await page.evaluate(OVERLAPPING), period).toEqual([])
      await page.evaluate('drawn.length = 0')
    }
  })

  it('show each plot also as a table with the same values', async () => {
    const { page } = await stage.visitor()
    await withMadeCounters(page)
    await openPlots(page)
    for (const summary of await page.locator('figure summary').all()) await summary.click()
    const outcomes = await rowsOf(page, 'Outcomes')
    expect(outcomes).toHaveLength(HOURS)
    const wanted = Array.from({ length: HOURS }, (_, i) => {
      const { ended } = madeStep(0, i)
      return ['verified', 'rejected', 'declined', 'expired', 'canceled'].map((end) =>
        String((ended as Readonly<Record<string, number>>)[end] ?? 0),
      )
    })
    expect(outcomes.map(([, ...counts]) => counts)).toEqual(wanted)
    const times = await rowsOf(page, 'Time from creation to the end')
    expect(times[0]?.slice(1)).toEqual(['–', '–'])
    expect(times[1]?.slice(1)).toEqual(['21 sec', '93 sec'])
    for (const plot of PLOTS) expect(await rowsOf(page, plot)).toHaveLength(HOURS)
  })

  it('draw a single value as a point', async () => {
    const { page } = await stage.visitor()
    await page.route(INSIGHTS, (route) => {
      const made = madeSteps(route.request().url())
      const steps = made.steps.map((step, i) => ({
        ...step,
        seconds_to_end: i === 100 ? { p50: 40, p95: 90 } : { p50: null, p95: null },
      }))
      return route.fulfill({ json: { ...made, steps } })
    })
    await openPlace(page, stage.rp.api_key, 'insights')
    const third = PLOTS.indexOf('Time from creation to the end')
    await page
      .locator('figure canvas')
      .nth(PLOTS.length - 1)
      .waitFor()
    await expect.poll(async () => ((await page.evaluate(DRAWN)) as boolean[][])[third]).toEqual([true, true])
  })

  it('count refused responses by reason, and save each table as CSV', async () => {
    const { page } = await stage.visitor()
    await withMadeCounters(page)
    await openPlace(page, stage.rp.api_key, 'insights')
    await page
      .locator('figure canvas')
      .nth(PLOTS.length - 1)
      .waitFor()
    const [top = []] = await rowsOf(page, 'Refused responses by reason')
    expect(top[0]).toBe('untrusted_issuer')
    const buttons = page.getByRole('button', { name: /^Save as CSV/ })
    const files: Record<string, string> = {}
    for (const button of await buttons.all()) {
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
      const name = download.suggestedFilename().replace(/-test-\d{4}-\d\d-\d\d\.csv$/, '')
      files[name] = await readFile(await download.path(), 'utf8')
    }
    expect(Object.keys(files)).toEqual([
      ...['funnel', 'created', 'outcomes', 'seconds-to-end', 'reasons', 'attempt-reasons', 'channels'],
      ...['protocols', 'webhook-attempts', 'webhook-seconds'],
    ])
    expect(files['attempt-reasons']?.split('\r\n')[1]?.replace(/,/g, ' ')).toMatch(
      /^untrusted_issuer \d+ \d+$/,
    )
    const lines = files['seconds-to-end']?.split('\r\n') ?? []
    expect(lines).toHaveLength(HOURS + 2)
    expect(lines[0]).toBe('\uFEFFFrom (UTC),Median,95th percentile')
    expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z,,$/)
    expect(lines[2]).toMatch(/Z,21,93$/)
  })

  it('offer periods and time steps, and keep the shown values until the next values arrive', async () => {
    const { page } = await stage.visitor()
    const asked: string[] = []
    let release = () => {}
    let held: Promise<void> | undefined
    await page.route(INSIGHTS, async (route) => {
      const { searchParams } = new URL(route.request().url())
      const length = Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')
      asked.push(`${length / 86_400_000} by ${searchParams.get('step')}`)
      await held
      await route.fulfill({ json: madeSteps(route.request().url()) })
    })
    await openPlots(page)
    const before = await page.locator('figure').first().boundingBox()
    held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.getByLabel('90 days').check()
    await expect.poll(() => asked.at(-1)).toBe('90 by day')
    expect(await page.locator('figure').first().boundingBox()).toEqual(before)
    expect(await page.getByLabel('Hour', { exact: true }).isDisabled()).toBe(true)
    release()
    held = undefined
    await page.locator('.insights[aria-busy="false"]').waitFor()
    await page.getByLabel('24 hours').check()
    await expect.poll(() => asked.at(-1)).toBe('1 by hour')
    await page.getByLabel('30 days').check()
    await page.getByLabel('Day', { exact: true }).check()
    await expect.poll(() => asked.at(-1)).toBe('30 by day')
    await page.getByLabel('Other days').check()
    await page.getByLabel('To (UTC)').fill('2026-11-10')
    await page.getByLabel('From (UTC)').fill('2026-11-01')
    await expect.poll(() => asked.at(-1)).toBe('10 by day')
  })

  it('are absent if the settings turn the index of verifications off', async () => {
    const { page } = await stage.visitor()
    const { api_key } = await stage.service.relyingParty({ index: false })
    await openPlace(page, api_key, 'insights')
    await page.getByRole('alert').getByText('index_disabled').waitFor()
    await checkConsole(page, 'console-insights-disabled-desktop')
  })
})
