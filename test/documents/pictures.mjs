// The pictures in docs/screenshots: those that a page of the documentation shows.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/service/paths.mjs'

export const PICTURES = join(ROOT, 'docs', 'screenshots')

/** Returns the file names in `docs/screenshots` that README.md and the pages below docs/ name. */
export function shownPictures() {
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  const pages = below.filter((path) => path.endsWith('.md')).map((path) => join('docs', path))
  const text = ['README.md', ...pages].map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n')
  const targets = text.matchAll(/\]\([^)\s]*\bscreenshots\/([\w-]+\.png)\)/g)
  return [...new Set([...targets].map(([, name]) => name))].sort()
}
