// A copy of the project that starts by itself: what runs stays as it was when the test began, and can be made wrong on purpose.

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url).href)
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'wrangler.toml', 'wrangler.sandbox.toml']
const COPIED = [...FILES, 'assets', 'examples', 'packages', 'scripts', 'src']
const BUILT = ['dist/worker.js', 'dist/sandbox.js', 'dist/demo-shop.js', 'dist/worker.sources']

/** One change to a source file: text that stands in it exactly once is replaced, and more is appended. */
export type Fault = {
  readonly path: string
  readonly replaced: string
  readonly by: string
  readonly appended: string
}

export type ProjectCopy = { readonly launcher: string; readonly remove: () => void }

/** Copies the project; with a fault, its first start builds it anew. Throws where the fault does not fit the source. */
export function copyProject(fault?: Fault): ProjectCopy {
  const faulty = fault && { path: fault.path, source: sourceWith(fault) }
  const copy = mkdtempSync(join(tmpdir(), 'verifier-copy-'))
  for (const path of [...COPIED, ...BUILT].filter((name) => existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  if (faulty !== undefined) writeFileSync(join(copy, faulty.path), faulty.source)
  return {
    launcher: join(copy, 'scripts', 'start.mjs'),
    remove: () => rmSync(copy, { recursive: true, force: true }),
  }
}

function sourceWith({ path, replaced, by, appended }: Fault): string {
  const parts = readFileSync(join(ROOT, path), 'utf8').split(replaced)
  if (parts.length !== 2) throw new Error(`${path} does not hold this once: ${replaced}`)
  return parts.join(by) + appended
}
