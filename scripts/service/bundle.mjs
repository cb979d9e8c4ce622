// Builds what a deployment needs if its sources changed: the bundles of the four Workers, the console, the
// inspector, the API description and the API reference.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { replaceFiles } from './built-files.mjs'
import { compressScripts } from './compress.mjs'
import { buildConsole, isConsoleBuilt } from './console-build.mjs'
import { buildDescription } from './description.mjs'
import { buildInspectPage, isInspectPageBuilt } from './inspect-page.mjs'
import { ASSETS, availableNode, DIST, IS_RELEASE, ROOT } from './paths.mjs'
import { ensureReference } from './reference.mjs'

export const BUNDLE = join(DIST, 'worker.js')
export const SOURCE_MAP = `${BUNDLE}.map`
export const BACKGROUND_BUNDLE = join(DIST, 'background.js')
export const SANDBOX_BUNDLE = join(DIST, 'sandbox.js')
export const SHOP_BUNDLE = join(DIST, 'demo-shop.js')
/** Returns the SHA-256 of a file in hexadecimal. Evidence names the digest of the served bundle. */
export const digestOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Every file that a launcher runs on workerd, in the order of a deployment. */
export const BUNDLES = [BACKGROUND_BUNDLE, SANDBOX_BUNDLE, SHOP_BUNDLE, BUNDLE]
const DESCRIPTION = join(ASSETS, 'openapi.json')
const PAGE = join(ASSETS, 'page')
const FINGERPRINT = join(DIST, 'worker.sources')
const BUNDLER = 'scripts/service/bundle-workers.mjs'
const COMPRESSOR = 'scripts/service/compress.mjs'
const SOURCES = ['package-lock.json', 'tsconfig.json', 'assets/oauth-errors.json', BUNDLER, COMPRESSOR]

/**
 * Builds the current sources to `BUNDLES`, the verifier's source map to `SOURCE_MAP`, the console, the
 * inspector, the API description and the API reference. Launchers may run at the same time: each builds in
 * its own directory, then renames. A release has its bundles.
 */
export function ensureBundle() {
  if (IS_RELEASE) return
  ensureReference()
  const fingerprint = fingerprintOfSources()
  const areBuilt = isConsoleBuilt() && isInspectPageBuilt()
  const isBuilt = areBuilt && [...BUNDLES, DESCRIPTION, FINGERPRINT].every((path) => existsSync(path))
  if (isBuilt && readFileSync(FINGERPRINT, 'utf8') === fingerprint) return
  console.error('Building the service: about 10 seconds …')
  mkdirSync(DIST, { recursive: true })
  const out = mkdtempSync(join(DIST, 'build-'))
  try {
    buildAll(out)
    buildDescription(out)
    buildConsole()
    buildInspectPage()
    buildPageScripts()
    renameSync(join(out, basename(DESCRIPTION)), DESCRIPTION)
    for (const path of [SOURCE_MAP, ...BUNDLES]) renameSync(join(out, basename(path)), path)
    writeFileSync(FINGERPRINT, fingerprint)
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/** Compresses the scripts of the pages where the Worker serves them from. Files are replaced one by one. */
export function buildPageScripts() {
  replaceFiles(PAGE, (out) => compressScripts(PAGE, out))
}

/**
 * Builds the bundles into the directory `out`, under the names of `BUNDLES`, and the source map. `names`:
 * builds only these files.
 */
export function buildAll(out, names = []) {
  const { status, stderr, error } = spawnSync(availableNode(), [join(ROOT, BUNDLER), out, ...names], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (error) throw error
  if (status !== 0) throw new Error(`the bundles did not build:\n${stderr}`)
}

function fingerprintOfSources() {
  const modules = [
    'src',
    'sandbox',
    'packages',
    'examples',
    'openapi',
    'assets/sandbox',
    'assets/page',
    'console',
  ]
    .flatMap((room) => readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !/\/dist\/|\.(br|gzip)$/.test(path))
    .sort()
  const hash = createHash('sha256')
  for (const file of [...SOURCES.map((name) => join(ROOT, name)), ...modules]) {
    const content = readFileSync(file)
    hash.update(`${file.slice(ROOT.length)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}
