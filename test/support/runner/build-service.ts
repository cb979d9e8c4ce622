// Runs before the projects whose tests start the built service.

import type { TestProject } from 'vitest/node'
import { ensureBundle } from '../../../scripts/service/bundle.mjs'
import { findChromium, NO_CHROMIUM } from '../../../scripts/service/chromium.mjs'

/** vitest's global setup of a project. */
export default function setup({ name }: TestProject): void {
  ensureBundle()
  if (name === 'browser' && findChromium() === undefined) console.error(NO_CHROMIUM)
}
