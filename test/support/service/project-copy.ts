// A copy of the project that starts by itself. It stays the same during the test, and may contain a planted
// error.

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url).href)
const CONFIGS = ['wrangler.toml', 'wrangler.background.toml', 'wrangler.sandbox.toml']
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', ...CONFIGS]
const COPIED = [...FILES, 'assets', 'console', 'examples', 'openapi', 'packages', 'sandbox', 'scripts', 'src']
const BUNDLES = ['worker.js', 'background.js', 'sandbox.js', 'demo-shop.js'].map((name) => `dist/${name}`)
const BUILT = [...BUNDLES, 'dist/worker.sources']

/** One change to a source file: replaces text that occurs exactly once, and appends more. */
export type Change = {
  readonly path: string
  readonly replaced: string
  readonly by: string
  readonly appended: string
}

/**
 * Makes workerd ignore SIGXFSZ. A write beyond a limit on the size of files then fails, as on a full disk.
 */
export const IGNORE_FILE_LIMIT: Change = {
  path: 'scripts/service/workerd.mjs',
  replaced: 'const command = [...diesWithParent(),',
  by: `const command = ['/bin/sh', '-c', 'trap "" XFSZ; exec "$0" "$@"', ...diesWithParent(),`,
  appended: '',
}

export type ProjectCopy = { readonly launcher: string; readonly remove: () => void }

/**
 * Copies the project. With changes, its first start builds it again; with `bundle`, it runs that build of the
 * verifier. Throws if a change does not fit its source.
 */
export function copyProject(changes: readonly Change[] = [], bundle?: Uint8Array): ProjectCopy {
  const changed = new Map<string, string>()
  for (const change of changes) changed.set(change.path, sourceWith(change, changed.get(change.path)))
  const copy = mkdtempSync(join(tmpdir(), 'verifier-copy-'))
  for (const path of [...COPIED, ...BUILT].filter((name) => existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  for (const [path, source] of changed) writeFileSync(join(copy, path), source)
  if (bundle !== undefined) writeFileSync(join(copy, 'dist/worker.js'), bundle)
  return {
    launcher: join(copy, 'scripts', 'start.mjs'),
    remove: () => rmSync(copy, { recursive: true, force: true }),
  }
}

/** Applies a change to its source, or to that source with earlier changes. */
function sourceWith(
  { path, replaced, by, appended }: Change,
  source = readFileSync(join(ROOT, path), 'utf8'),
): string {
  const parts = source.split(replaced)
  if (parts.length !== 2) throw new Error(`${path} must contain this text once: ${replaced}`)
  return parts.join(by) + appended
}
