// Checks of a page in a browser: no axe violation in light and dark mode, and no horizontal overflow.
// Writes pictures into the directory that SCREENSHOTS names (`npm run proof -- screenshots`).

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import UPNG from 'upng-js'
import { expect } from 'vitest'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Loads axe into the page, where it stays until the page is left. */
async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE)
}

/**
 * Checks a page in its present state. `name`: state and device, for the pictures; `dark`: saves a dark
 * picture too. `forced`: also checks and saves the page in forced colours. `narrow`: also on 320 pixels.
 */
export async function checkPage(
  page: Page,
  name: string,
  { dark = false, forced = false, narrow = false } = {},
): Promise<void> {
  await loadAxe(page)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(
      await violationsOf(page, colorScheme === 'dark' ? CONTRAST : {}),
      `${name} in ${colorScheme} mode`,
    ).toEqual([])
    if (colorScheme === 'light') await saveScreenshot(page, name)
    else if (dark) await saveScreenshot(page, `${name}-dark`)
  }
  expect(await overflowOf(page), name).toBe(0)
  if (forced) await checkForcedColours(page, name)
  if (narrow) await checkNarrow(page, `${name}-320`)
}

/** Checks the page on 320 pixels, in light mode, and saves a picture. The page is not loaded again. */
async function checkNarrow(page: Page, name: string): Promise<void> {
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await violationsOf(page, {}), name).toEqual([])
  expect(await overflowOf(page), name).toBe(0)
  await saveScreenshot(page, name)
  await page.setViewportSize(size)
}

/** Checks that every button has a border, and saves a picture. axe must not judge colours here. */
async function checkForcedColours(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' })
  expect(await page.evaluate(BORDERLESS_BUTTONS), `${name} in forced colours`).toEqual([])
  expect(
    await violationsOf(page, { rules: { 'color-contrast': { enabled: false } } }),
    `${name} in forced colours`,
  ).toEqual([])
  await saveScreenshot(page, `${name}-forced`)
  await page.emulateMedia({ forcedColors: 'none' })
}

/** Runs in the page: returns the visible buttons without a border, or with one of the background's colour. */
const BORDERLESS_BUTTONS = `[...document.querySelectorAll('button, .button')]
  .filter((button) => button.offsetParent !== null)
  .filter((button) => {
    const { borderTopWidth, borderTopColor } = getComputedStyle(button)
    return parseFloat(borderTopWidth) < 1 || borderTopColor === getComputedStyle(document.body).backgroundColor
  })
  .map((button) => button.textContent)`

/** Returns the horizontal overflow in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Returns the texts of a page whose contrast is certainly too low, according to axe. */
export async function contrastViolations(page: Page): Promise<readonly string[]> {
  await loadAxe(page)
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ ...QUICK, ...CONTRAST })})`,
  )) as AxeResults
  return violations.flatMap(({ nodes }) =>
    nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
  )
}

/**
 * Leaves out data that no test reads: details of passed rules, selectors, and style sheets of other origins.
 */
const QUICK = { preload: false, selectors: false, resultTypes: ['violations', 'incomplete'] }

/** Dark mode changes colours only. */
const CONTRAST = { runOnly: ['color-contrast'] }

/**
 * Returns violations, and texts whose contrast axe cannot decide. On our pages axe must always be able to
 * decide it.
 */
async function violationsOf(page: Page, options: object): Promise<readonly string[]> {
  const { violations, incomplete } = (await page.evaluate(
    `axe.run(${JSON.stringify({ ...QUICK, ...options })})`,
  )) as AxeResults
  const unclear = incomplete.filter(({ id }) => id === 'color-contrast')
  return [...violations, ...unclear].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** This number of colours is enough for our pages, and needs a third of the bytes. */
const COLOURS = 80

function inRgba(png: Buffer) {
  const picture = UPNG.decode(Uint8Array.from(png).buffer)
  return { ...picture, rgba: UPNG.toRGBA8(picture)[0]! }
}

export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS: directory } = process.env
  if (!directory) return
  const { width, height, rgba } = inRgba(await page.screenshot())
  writeFileSync(join(directory, `${name}.png`), Buffer.from(UPNG.encode([rgba], width, height, COLOURS)))
}
