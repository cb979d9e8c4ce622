// A copy of the project that starts by itself. It stays the same during the test, and may contain a planted
// error.

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url).href)
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'wrangler.toml', 'wrangler.sandbox.toml']
const COPIED = [...FILES, 'assets', 'examples', 'packages', 'scripts', 'src']
const BUILT = ['dist/worker.js', 'dist/sandbox.js', 'dist/demo-shop.js', 'dist/worker.sources']

/** One change to a source file: replaces text that occurs exactly once, and appends more. */
export type Change = {
  readonly path: string
  readonly replaced: string
  readonly by: string
  readonly appended: string
}

export type ProjectCopy = { readonly launcher: string; readonly remove: () => void }

/**
 * Copies the project. With a change, its first start builds it again. Throws if the change does not fit the
 * source.
 */
export function copyProject(change?: Change): ProjectCopy {
  const changed = change && { path: change.path, source: sourceWith(change) }
  const copy = mkdtempSync(join(tmpdir(), 'verifier-copy-'))
  for (const path of [...COPIED, ...BUILT].filter((name) => existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  if (changed !== undefined) writeFileSync(join(copy, changed.path), changed.source)
  return {
    launcher: join(copy, 'scripts', 'start.mjs'),
    remove: () => rmSync(copy, { recursive: true, force: true }),
  }
}

function sourceWith({ path, replaced, by, appended }: Change): string {
  const parts = readFileSync(join(ROOT, path), 'utf8').split(replaced)
  if (parts.length !== 2) throw new Error(`${path} must contain this text once: ${replaced}`)
  return parts.join(by) + appended
}
