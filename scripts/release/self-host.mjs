// The folder of a self-hosted service: bundles, programs and the files that they read. Its dependency is
// workerd.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { BUNDLES, buildAll } from '../service/bundle.mjs'
import { compressScripts } from '../service/compress.mjs'
import { buildConsoleInto } from '../service/console-build.mjs'
import { buildDescription } from '../service/description.mjs'
import { buildInspectPageInto } from '../service/inspect-page.mjs'
import { ROOT } from '../service/paths.mjs'
import { bundlePrograms } from '../service/programs.mjs'
import { buildReference, RENDERER } from '../service/reference.mjs'
import { licencesOf } from './licences.mjs'
import { readJson, sourceFiles } from './source.mjs'

/** Files for the top of the folder: readme, Dockerfile, compose file, unit. */
const OWN = 'packages/self-host/'
/** Files that keep their place. The launcher reads dates, flags and classes from the toml files. */
const KEPT = [
  ...['LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'assets'],
  ...['wrangler.toml', 'wrangler.background.toml', 'wrangler.sandbox.toml'],
  ...['examples/demo-shop/wrangler.toml', 'examples/demo-shop/demo-shop.png', 'examples/demo-shop/assets'],
  ...[':(glob)docs/*.md', 'docs/api', 'docs/runbooks'],
]
const PROGRAMS = {
  start: 'scripts/start.mjs',
  admin: 'scripts/admin.mjs',
  wallet: 'scripts/wallet/command.mjs',
  demo: 'scripts/demo/story.mjs',
}
/** Programs without a command: a program that the launcher runs, and the health check of a container. */
const OTHERS = ['scripts/service/objects.mjs', 'scripts/health.mjs']

/**
 * Fills the folder `to`. Returns `components` for its SBOM: what is in the bundles, and what npm installs.
 */
export function stageSelfHost(to, { version, commit }) {
  for (const path of sourceFiles(OWN)) copy(path, join(to, path.slice(OWN.length)))
  for (const path of sourceFiles(...KEPT)) copy(path, join(to, path))
  stageBundles(join(to, 'dist'))
  buildDescription(join(to, 'assets'))
  compressScripts(join(to, 'assets', 'page'), join(to, 'assets', 'page'))
  const docs = join(to, 'assets', 'docs')
  mkdirSync(docs)
  buildReference(docs)
  const packages = bundlePrograms([...Object.values(PROGRAMS), ...OTHERS], to)
  const pages = [
    ...buildConsoleInto(join(to, 'assets', 'console')),
    ...buildInspectPageInto(join(to, 'assets', 'inspect')),
  ]
  for (const path of [...packagesOfWorkers(), ...pages]) packages.add(path)
  writeFileSync(join(to, 'THIRD_PARTY_LICENCES.txt'), licencesOf(packages))
  const lock = stagePackage(to, { version, commit }, { own: OWN, programs: PROGRAMS })
  return { components: { bundled: packages, lock, vendored: [RENDERER] } }
}

/** Returns the packages that the Workers import, with their dependencies. */
function packagesOfWorkers() {
  const { packages } = readJson('package-lock.json')
  const paths = new Set()
  const add = ({ dependencies = {} }) => {
    for (const path of Object.keys(dependencies).map((name) => `node_modules/${name}`)) {
      if (paths.has(path)) continue
      paths.add(path)
      add(packages[path])
    }
  }
  add(packages[''])
  return paths
}

function copy(path, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(ROOT, path), to)
}

/** Builds the bundles anew: dist/ may have been changed. */
function stageBundles(to) {
  const out = mkdtempSync(join(tmpdir(), 'bundles-'))
  try {
    buildAll(out)
    mkdirSync(to, { recursive: true })
    for (const path of BUNDLES) cpSync(join(out, basename(path)), join(to, basename(path)))
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/**
 * Writes package.json with version and commands, and the lock file, which it returns. `own`: the folder that
 * has both. `programs`: the program of each command.
 */
export function stagePackage(to, { version, commit }, { own, programs }) {
  const { name, ...rest } = readJson(`${own}package.json`)
  const scripts = Object.fromEntries(
    Object.entries(programs).map(([command, path]) => [command, `node ${path}`]),
  )
  // npm passes signals on to a shell, which does not pass them on to the launcher.
  for (const command of ['start', 'dev'].filter((one) => scripts[one] !== undefined))
    scripts[command] = `exec ${scripts[command]}`
  writeJson(join(to, 'package.json'), { name, version, gitHead: commit, ...rest, scripts })
  const lock = readJson(`${own}npm-shrinkwrap.json`)
  lock.packages[''] = { name, version, ...lock.packages[''] }
  writeJson(join(to, 'npm-shrinkwrap.json'), { name, version, ...lock })
  return lock
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
