// What every state of a page is held to in a browser: axe finds nothing, in the light and in the dark, and nothing sticks out at
// the side. With SCREENSHOTS naming a directory, pictures of it are written there (`npm run screenshots`).

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import UPNG from 'upng-js'
import { expect } from 'vitest'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Holds a page to it as it stands. `name`: of state and device, for its pictures; `dark`: whether a dark one is kept, too. */
export async function judge(page: Page, name: string, { dark = false } = {}): Promise<void> {
  await page.evaluate(AXE)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(
      await faultsOf(page, colorScheme === 'dark' ? CONTRAST : {}),
      `${name} in the ${colorScheme}`,
    ).toEqual([])
    if (colorScheme === 'light') await keep(page, name)
    else if (dark) await keep(page, `${name}-dark`)
  }
  expect(await sideways(page), name).toBe(0)
}

/** How far a page can be pushed sideways, in pixels. */
function sideways(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Returns the texts of a page whose contrast is certainly too low, by axe. */
export async function contrastViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ preload: false, ...CONTRAST })})`,
  )) as AxeResults
  return violations.flatMap(({ nodes }) =>
    nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
  )
}

/** In the dark nothing else is other than in the light. */
const CONTRAST = { runOnly: ['color-contrast'] }

/** Violations, and contrast that axe cannot tell: on our pages it can. */
async function faultsOf(page: Page, options: object): Promise<readonly string[]> {
  const { violations, incomplete } = (await page.evaluate(
    `axe.run(${JSON.stringify({ preload: false, ...options })})`,
  )) as AxeResults
  const unclear = incomplete.filter(({ id }) => id === 'color-contrast')
  return [...violations, ...unclear].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Enough for our pages, and a third of the bytes. */
const COLOURS = 80

function inRgba(png: Buffer) {
  const picture = UPNG.decode(Uint8Array.from(png).buffer)
  return { ...picture, rgba: UPNG.toRGBA8(picture)[0]! }
}

export async function keep(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS: directory } = process.env
  if (!directory) return
  const { width, height, rgba } = inRgba(await page.screenshot())
  writeFileSync(join(directory, `${name}.png`), Buffer.from(UPNG.encode([rgba], width, height, COLOURS)))
}
