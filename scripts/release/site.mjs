// The site of the documentation as one archive, for any server of files.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { buildSite } from '../site/build.mjs'

/** Builds the site in the empty folder `work`, and packs it into the file `to`. */
export function packSite(work, to, { seconds }) {
  const folder = join(work, 'site')
  mkdirSync(folder, { recursive: true })
  buildSite(folder)
  writeFileSync(to, zipOf(folder, seconds))
}

/** Returns a zip archive of a folder, which depends on the files and the time `seconds` only. */
export function zipOf(folder, seconds) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]))
  return zipSync(files, { level: 9, mtime: localTimeOf(seconds) })
}

/** An archive has the local time without its zone, so this is the same on every machine. */
function localTimeOf(seconds) {
  const utc = new Date(seconds * 1000)
  return new Date(
    ...[utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate()],
    ...[utc.getUTCHours(), utc.getUTCMinutes(), utc.getUTCSeconds()],
  )
}
