// The packages of the typed client, the library, the verifier of evidence and the inspector, as `npm pack`
// selects their files.

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../service/paths.mjs'
import { pack } from './pack.mjs'
import { readJson } from './source.mjs'

/**
 * Packs `packages/<one>` into `out`, by way of the folder `work`. Returns its name and its components.
 */
export function packPackage(one, work, out, { version, seconds }) {
  mkdirSync(work, { recursive: true })
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', work], {
    cwd: join(ROOT, 'packages', one),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const filename = packed.trim().split('\n').at(-1) ?? ''
  execFileSync('tar', ['-xzf', join(work, filename), '-C', work])
  const name = `wallet-verifier-${one}-${version}`
  // npm's own archive depends on the version of npm.
  pack({ folder: work, name: 'package', to: join(out, `${name}.tgz`), seconds })
  return { name, components: componentsOf(one) }
}

/** Returns the components for the SBOM: packages that npm installs with the package. */
function componentsOf(one) {
  const { name, dependencies = {} } = readJson(`packages/${one}/package.json`)
  const { packages } = readJson('package-lock.json')
  const installed = new Map()
  const waiting = Object.keys(dependencies)
  for (const dependency of waiting) {
    const path = `node_modules/${dependency}`
    if (installed.has(path)) continue
    installed.set(path, packages[path])
    waiting.push(...Object.keys(packages[path].dependencies ?? {}))
  }
  return { name, lock: { packages: { '': { dependencies }, ...Object.fromEntries(installed) } } }
}
