// Finds the machine's Chromium, for browser tests and screenshots.

import { existsSync } from 'node:fs'

/** The headless shell has no windows: the browser tests need a third less processor time. */
const USUAL = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Returns the path of Chromium, or undefined. If `CHROMIUM_PATH` is set, no other path is tried. */
export function findChromium(environment = process.env) {
  const { CHROMIUM_PATH: named } = environment
  return (named ? [named] : USUAL).find((path) => existsSync(path))
}

/** Message for a machine without Chromium. */
export const NO_CHROMIUM =
  'Chromium was not found: browser tests are skipped. Install the package `chromium`, or set CHROMIUM_PATH.'
