// Installs pinned packages that are missing. Runs before anything is installed, so it uses built-in modules
// only.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { delimiter, join, sep } from 'node:path'
import { IS_RELEASE, NODE, ROOT } from './paths.mjs'

/** The packages of the Worker, and the packages of packages/start, which build and run the Worker. */
export const FOR_START = {
  omit: ['dev', 'peer'],
  what: 'the packages that the service needs',
  size: '40 packages, 75 MB to download, 195 MB on disk',
  time: '15 seconds',
}
/** The packages above, and Node 24, which is the only peer dependency in packages/start. */
export const FOR_START_ON_OLD_NODE = {
  omit: ['dev'],
  what: `the packages that the service needs, and Node 24 because ${process.versions.node} is too old`,
  size: '41 packages, 125 MB to download, 385 MB on disk',
  time: '30 seconds',
}
/** Every package, including those for tests and tools. */
export const EVERYTHING = {
  omit: [],
  what: 'all packages, also those of tests and tools',
  size: '396 packages, 290 MB to download, 700 MB on disk',
  time: 'a minute',
}
const FROM_LEAST = [FOR_START, FOR_START_ON_OLD_NODE, EVERYTHING]

/** Returns the packages for `npm start`. `hasObjects`: the start reads stored objects, which needs SQLite. */
export function packagesForStart({
  hasObjects,
  version = process.versions.node,
  hasSqlite = isBuiltin('node:sqlite'),
}) {
  const [major, minor] = version.split('.').map(Number)
  // rolldown requires it.
  const canBundle = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)
  return canBundle && (hasSqlite || !hasObjects) ? FOR_START : FOR_START_ON_OLD_NODE
}

/**
 * Runs `npm ci` unless node_modules already has the packages of package-lock.json. It installs the wanted
 * packages, and removes none that are installed. A release installs nothing by itself: it throws if something
 * is missing.
 */
export function ensureInstalled(wanted = EVERYTHING) {
  if (IS_RELEASE) return requireInstalled(wanted)
  const packages = atLeast(wanted, installedPackages())
  if (isInstalled(packages)) return
  const begun = Date.now()
  console.error(`Installing ${packages.what}: ${packages.size}.`)
  console.error(`This takes about ${packages.time}, longer on a slow line …`)
  const npm = spawnSync('npm', ['ci', ...optionsFor(packages)], {
    cwd: ROOT,
    env: { ...process.env, PATH: pathWithoutOwnTools() },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (npm.error) throw npm.error
  if (npm.status !== 0 || !isInstalled(packages)) {
    console.error(`${npm.stdout}${npm.stderr}`)
    throw new Error(`npm ci failed (exit code ${npm.status}). Its output is above.`)
  }
  console.error(`Installed in ${Math.ceil((Date.now() - begun) / 1000)} s.`)
}

function requireInstalled(wanted) {
  if (!existsSync(join(ROOT, 'node_modules', 'workerd')))
    throw new Error(`workerd is not installed. Run \`npm install\` in ${ROOT} first.`)
  if (wanted === FOR_START_ON_OLD_NODE && !existsSync(NODE))
    throw new Error(`Node ${process.versions.node} has no SQLite. Use Node 22.13 or newer.`)
}

/** Returns `wanted`, or what is installed if that is more. */
function atLeast(wanted, installed) {
  const lock = lockedPackages()
  const entries = Object.keys(installed).flatMap((path) => lock[path] ?? [])
  const present = FROM_LEAST.findIndex((packages) => entries.every((entry) => includes(packages, entry)))
  return FROM_LEAST[Math.max(present, FROM_LEAST.indexOf(wanted))]
}

/** Compares contents, not times: a checkout or an unpacked archive sets arbitrary times. */
function isInstalled(packages) {
  const installed = installedPackages()
  return Object.entries(lockedPackages()).every(([path, entry]) => {
    if (path === '' || !includes(packages, entry)) return true
    const present = installed[path]
    if (present === undefined) return entry.optional === true
    const isSame = present.version === entry.version && present.integrity === entry.integrity
    return isSame && existsSync(join(ROOT, path))
  })
}

/** npm marks an entry of the lock file if only packages of one kind need the entry. */
function includes({ omit }, entry) {
  return !omit.some((kind) => entry[kind])
}

/** Each kind is named explicitly, because NODE_ENV or the settings of npm could leave out a kind. */
function optionsFor({ omit }) {
  const kinds = ['dev', 'optional', 'peer'].map(
    (kind) => `--${omit.includes(kind) ? 'omit' : 'include'}=${kind}`,
  )
  // The install scripts of esbuild and workerd only make their starts faster. The package of Node 24 needs
  // its install script.
  const scripts = omit.includes('peer') ? ['--ignore-scripts'] : []
  return [...kinds, ...scripts, '--legacy-peer-deps=false', '--no-audit', '--no-fund', '--loglevel=error']
}

const lockedPackages = () => packagesOf('package-lock.json')
/** npm writes this file at the end, so an installation that was interrupted has none. */
const installedPackages = () => packagesOf(join('node_modules', '.package-lock.json'))

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(ROOT, lockFile), 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}

/**
 * Removes our Node from PATH: `npm ci` deletes node_modules first, and with it the Node that `npm run` added.
 */
function pathWithoutOwnTools() {
  const own = join(ROOT, 'node_modules') + sep
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => !directory.startsWith(own))
    .join(delimiter)
}
