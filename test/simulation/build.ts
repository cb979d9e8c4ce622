// Builds the service's classes for the simulation, in memory. A mutant changes texts of the sources while
// they are read. A change that does not fit its source fails the build.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { build } from 'esbuild'
import { globalsOf, type Platform } from './platform/globals.ts'
import type * as Service from './service.ts'

export type ServiceCode = typeof Service

/** A planted mistake: texts of one or more sources, each of which occurs once. */
export type Change = { readonly path: string; readonly replaced: string; readonly by: string }

const ROOT = join(import.meta.dirname, '../..')

/** Evaluates the service's code, with changes. `running` returns the platform of the history that runs. */
export async function buildService(
  running: () => Platform,
  changes: readonly Change[] = [],
): Promise<ServiceCode> {
  const changed = changedSources(changes)
  const built = await build({
    entryPoints: [join(ROOT, 'test/simulation/service.ts')],
    bundle: true,
    write: false,
    format: 'cjs',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'import'],
    external: ['cloudflare:workers', 'node:*'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'changes',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
            const contents = changed.get(path)
            return contents === undefined ? undefined : { contents, loader: 'ts' }
          })
        },
      },
    ],
  })
  const code = built.outputFiles[0]?.text ?? ''
  const globals = globalsOf(running)
  const module = { exports: {} }
  const names = Object.keys(globals)
  const evaluate = compileFunction(code, ['module', 'exports', ...names], {
    filename: 'simulated-service.js',
  })
  evaluate(module, module.exports, ...Object.values(globals))
  return module.exports as ServiceCode
}

/** Returns the sources with the changes, by path. Throws unless each text occurs once. */
export function changedSources(changes: readonly Change[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>()
  for (const { path, replaced, by } of changes) {
    const file = join(ROOT, path)
    const parts = (sources.get(file) ?? readFileSync(file, 'utf8')).split(replaced)
    if (parts.length !== 2) {
      throw new Error(
        `${path} must contain this text once. Adapt the mutant in test/simulation/mutants: ${replaced}`,
      )
    }
    sources.set(file, parts.join(by))
  }
  return sources
}
