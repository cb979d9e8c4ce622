// Installs the pinned dependencies if they are missing. Runs before anything is installed, so it uses
// built-in modules only.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { IS_RELEASE, ROOT } from './paths.mjs'

/**
 * Runs `npm ci` unless node_modules already matches package-lock.json. A release installs nothing by itself:
 * there it throws if `npm install` was not run.
 */
export function ensureInstalled() {
  if (IS_RELEASE) return requireInstalled()
  if (isInstalled()) return
  console.error('Installing the pinned dependencies (npm ci) …')
  const npm = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    env: { ...process.env, PATH: pathWithoutOwnTools() },
    stdio: ['ignore', 2, 2],
  })
  if (npm.error) throw npm.error
  if (npm.status !== 0 || !isInstalled()) throw new Error(`npm ci failed (exit code ${npm.status})`)
}

function requireInstalled() {
  if (!existsSync(join(ROOT, 'node_modules', 'workerd')))
    throw new Error(`workerd is not installed. Run \`npm install\` in ${ROOT} first.`)
}

/** Compares contents, not times: a checkout or an unpacked archive sets arbitrary times. */
function isInstalled() {
  const wanted = packagesOf('package-lock.json')
  const present = packagesOf(join('node_modules', '.package-lock.json'))
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === '') return true
    const found = present[path]
    if (found === undefined) return optional === true
    return found.version === version && found.integrity === integrity
  })
}

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
