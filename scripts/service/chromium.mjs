// Where this machine has a Chromium: for the browser tests, and for the pictures of our pages.

import { existsSync } from 'node:fs'

const USUAL = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Path of the program; undefined where there is none. `CHROMIUM_PATH` names one, and then no other counts. */
export function findChromium(environment = process.env) {
  const { CHROMIUM_PATH: named } = environment
  return (named ? [named] : USUAL).find((path) => existsSync(path))
}

/** What a person can do about it. */
export const NO_CHROMIUM =
  'No Chromium on this machine: what needs one is left out. Install the package `chromium`, or set CHROMIUM_PATH.'
