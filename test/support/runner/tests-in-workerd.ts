// Decides which tests run inside workerd: modules of the platform exist nowhere else.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** An import or a re-export of values, in the form that the formatter keeps. */
const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^'"]*\sfrom\s)?'([^']+)'/gm

/** Returns the test files below test/workerd, and those that reach an import of `cloudflare:…`. */
export function testsInWorkerd(exclude: readonly string[]): string[] {
  const paths = globSync('test/**/*.test.ts', { exclude: [...exclude] })
  return paths.filter((path) => path.startsWith('test/workerd/') || needsWorkerd(path)).sort()
}

const known = new Map<string, boolean>()

/** Returns true if a module imports `cloudflare:…` itself, or through the modules that it imports. */
export function needsWorkerd(path: string): boolean {
  const before = known.get(path)
  if (before !== undefined) return before
  known.set(path, false) // ends a cycle
  const source = readFileSync(path, 'utf8')
  const names = [...source.matchAll(IMPORT)].map(([, name = '']) => name)
  const needs = names.some((name) => name.startsWith('cloudflare:') || leadsThere(join(dirname(path), name)))
  known.set(path, needs)
  return needs
}

function leadsThere(path: string): boolean {
  return path.endsWith('.ts') && existsSync(path) && needsWorkerd(path)
}
