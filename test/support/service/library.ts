// A C library that is loaded into workerd before the system's own. It replaces single functions of the
// system.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Change } from './project-copy.ts'

/**
 * Makes the launcher load WORKERD_LIBRARY into workerd, and pass on variables whose names begin with
 * LIBRARY_.
 */
export const PASS_LIBRARY: Change = {
  path: 'scripts/service/workerd.mjs',
  replaced: '    env: environment,',
  by: `    env: {
      ...environment,
      ...(process.env.WORKERD_LIBRARY && { LD_PRELOAD: process.env.WORKERD_LIBRARY }),
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('LIBRARY_'))),
    },`,
  appended: '',
}

export type Library = { readonly path: string; readonly remove: () => void }

/** Builds a library from C; undefined on a machine without a C compiler for Linux. */
export function buildLibrary(source: string): Library | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'verifier-library-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  const [text, path] = [join(directory, 'library.c'), join(directory, 'library.so')]
  writeFileSync(text, source)
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', path, text, '-ldl'], { stdio: 'pipe' })
    return { path, remove }
  } catch {
    remove()
    return undefined
  }
}
