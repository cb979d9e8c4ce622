// Builds the API reference of /docs into assets/docs: the page, and its script in three codings. The script
// is the renderer, which is one file of a package, and our assets/api-reference/page.js.
//
// The renderer is not in git (docs/decisions/documentation.md). npm fetches its package once, by version and
// hash. Without it the page says what is missing, and the service works otherwise.

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
import { join } from 'node:path'
import { compressFiles, removeOldCompressed } from './compress.mjs'
import { ASSETS, DIST, IS_RELEASE, ROOT } from './paths.mjs'

/** The renderer's package. `integrity`: the hash of its archive, printed by `npm view NAME@VERSION dist`. */
export const RENDERER = {
  name: 'openapi-explorer',
  version: '2.4.820',
  license: 'Apache-2.0',
  integrity:
    'sha512-mHSIxkQS57/QDZtLJKZL4zmsR2HStgBI4PbrgYr/+i+Bk+HgRwdtBRN1n0uUnlHUenpyiOJAKPGleThm5rdhsA==',
}
const SCRIPT = 'package/dist/browser/openapi-explorer.min.js'
const LICENCE = 'package/LICENSE'

const OUT = join(ASSETS, 'docs')
const SOURCE = join(ASSETS, 'api-reference')
const SOURCES = [
  join(SOURCE, 'page.html'),
  join(SOURCE, 'page.js'),
  join(ROOT, 'scripts/service/reference.mjs'),
  join(ROOT, 'scripts/service/compress.mjs'),
]
/** The fingerprint of what was built. The fingerprint is absent if the renderer was missing. */
const FINGERPRINT = 'fingerprint'

/**
 * Builds the reference if its sources changed. Returns `undefined`, or the reason why the page has no
 * reference. A release has its files.
 */
export function ensureReference() {
  if (IS_RELEASE || isBuilt()) return undefined
  mkdirSync(DIST, { recursive: true })
  const out = mkdtempSync(join(DIST, 'docs-'))
  try {
    buildReference(out)
    place(out)
    return undefined
  } catch (error) {
    writeFileSync(join(out, 'docs.html'), pageWithout(error.message))
    place(out)
    console.error(`The API reference at /docs is not available: ${error.message}`)
    return error.message
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/** Builds the reference into the directory `out`. Throws if there is no renderer: the message says why. */
export function buildReference(out) {
  const { script, licence } = readRenderer()
  const source = Buffer.concat([script, Buffer.from(';\n'), readFileSync(join(SOURCE, 'page.js'))])
  writeFileSync(join(out, 'docs.html'), readFileSync(join(SOURCE, 'page.html')))
  writeFileSync(join(out, 'reference.js'), source)
  compressFiles(['reference.js'], out, out)
  writeFileSync(join(out, 'LICENSE'), licence)
  writeFileSync(join(out, FINGERPRINT), fingerprint())
}

function isBuilt() {
  const path = join(OUT, FINGERPRINT)
  return existsSync(path) && readFileSync(path, 'utf8') === fingerprint()
}

function fingerprint() {
  const hash = createHash('sha256')
  for (const path of SOURCES) hash.update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

/** Puts the built files where the Worker serves them from. Files are replaced one by one. */
function place(out) {
  mkdirSync(OUT, { recursive: true })
  rmSync(join(OUT, FINGERPRINT), { force: true })
  const names = readdirSync(out).sort((a, b) => Number(a === FINGERPRINT) - Number(b === FINGERPRINT))
  for (const name of names) renameSync(join(out, name), join(OUT, name))
  removeOldCompressed(OUT, names)
}

/** Returns the page for a service without the renderer. */
function pageWithout(reason) {
  const page = readFileSync(join(SOURCE, 'page.html'), 'utf8')
  const text = `<h1>API reference</h1>
<p>The API reference is not available on this service: ${reason}</p>
<p>The description of the API is <a href="/openapi.json">openapi.json</a>.</p>`
  return page.replace(/<main>.*<\/main>\n<script.*<\/script>/s, () => `<main>\n${text}\n</main>`)
}

/**
 * Returns the renderer's script and licence. The archive of the renderer is fetched if it was not fetched
 * before.
 */
function readRenderer() {
  const archive = join(DIST, `${RENDERER.name}-${RENDERER.version}.tgz`)
  if (!existsSync(archive)) fetchArchive(archive)
  const hash = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (`sha512-${hash}` !== RENDERER.integrity) {
    rmSync(archive)
    throw new Error(`the package ${RENDERER.name} has another hash than the expected one.`)
  }
  return { script: fileOf(archive, SCRIPT), licence: fileOf(archive, LICENCE) }
}

/** Fetches the package's archive with npm, from the registry that npm is configured for. */
function fetchArchive(to) {
  console.error(`Fetching the renderer of the API reference (${RENDERER.name} ${RENDERER.version}) …`)
  mkdirSync(DIST, { recursive: true }) // a release builds in a clone without it
  const folder = mkdtempSync(join(DIST, 'fetch-'))
  try {
    const options = ['--silent', '--prefer-offline', '--fetch-retries=1', '--fetch-retry-mintimeout=1000']
    const npm = spawnSync('npm', ['pack', `${RENDERER.name}@${RENDERER.version}`, ...options], {
      cwd: folder,
      stdio: 'ignore',
      timeout: 120_000,
    })
    const [name] = readdirSync(folder)
    if (npm.status !== 0 || name === undefined)
      throw new Error(
        `npm could not fetch the package ${RENDERER.name}. Start the service again with access to the package registry.`,
      )
    renameSync(join(folder, name), to)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns one file of an archive. */
function fileOf(archive, path) {
  const { status, stdout } = spawnSync('tar', ['-xzOf', archive, path], { maxBuffer: 2 ** 24 })
  if (status !== 0) throw new Error(`tar could not read ${path} of the package ${RENDERER.name}.`)
  return stdout
}
