// Puts built files where the Worker serves them from.

import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeOldCompressed } from './compress.mjs'
import { DIST } from './paths.mjs'

/** Calls `build` with an empty folder. Then moves its files to the folder `to`, one by one. */
export function replaceFiles(to, build) {
  mkdirSync(DIST, { recursive: true })
  const out = mkdtempSync(join(DIST, 'built-'))
  try {
    build(out)
    mkdirSync(to, { recursive: true })
    const names = readdirSync(out)
    for (const name of names) renameSync(join(out, name), join(to, name))
    removeOldCompressed(to, names)
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
