// The package of the typed client, as `npm pack` selects its files.

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../service/paths.mjs'
import { pack } from './pack.mjs'
import { readJson } from './source.mjs'

const FOLDER = 'packages/client'

/** Packs the client into `out`, by way of the folder `work`. Returns its name and its components. */
export function packClient(work, out, { version, seconds }) {
  mkdirSync(work, { recursive: true })
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', work], {
    cwd: join(ROOT, FOLDER),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const filename = packed.trim().split('\n').at(-1) ?? ''
  execFileSync('tar', ['-xzf', join(work, filename), '-C', work])
  const name = `wallet-verifier-client-${version}`
  // npm's own archive depends on the version of npm.
  pack({ folder: work, name: 'package', to: join(out, `${name}.tgz`), seconds })
  return { name, components: componentsOf() }
}

/** Returns the components for the SBOM: packages that npm installs with the client. */
function componentsOf() {
  const { name, dependencies } = readJson(`${FOLDER}/package.json`)
  const { packages } = readJson('package-lock.json')
  const installed = Object.keys(dependencies).map((dependency) => {
    const path = `node_modules/${dependency}`
    return [path, packages[path]]
  })
  return { name, lock: { packages: { '': { dependencies }, ...Object.fromEntries(installed) } } }
}
