// Fills a new folder from the archives in dist/: the release, and for a Worker what a deployment needs beside
// it.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))

/** Files of the archive that only a machine of one's own uses. */
const SELF_HOST_ONLY = [
  ...['.dockerignore', 'Dockerfile', 'compose.yaml', 'wallet-verifier.service'],
  ...['scripts/start.mjs', 'scripts/health.mjs', 'scripts/service', 'scripts/demo'],
]

/** Bundles of the archive, for the Worker of each configuration. */
const WORKERS = {
  'wrangler.toml': 'dist/worker.js',
  'wrangler.background.toml': 'dist/background.js',
  'wrangler.sandbox.toml': 'dist/sandbox.js',
  'examples/demo-shop/wrangler.toml': '../../dist/demo-shop.js',
}

/** Read only in Workers Builds, after the button: `npm run deploy` elsewhere reads production.env. */
const VARIABLES = `
# For a deployment by Workers Builds: your address, and eu or fedramp, which cannot be changed later.
[vars]
BASE_URL = ""
# JURISDICTION = "eu"
`

/** Fills `folder`, which must be empty or missing. Throws otherwise. */
export function fillFolder(folder, { isWorker }) {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name a new folder.`)
  if (!isWorker && process.platform === 'win32')
    throw new Error('The service runs on Linux. On Windows use WSL, or --worker for Cloudflare.')
  mkdirSync(folder, { recursive: true })
  unpack(releaseArchive(), folder)
  if (!isWorker) return
  unpack('worker.tgz', folder)
  for (const path of SELF_HOST_ONLY) rmSync(join(folder, path), { recursive: true, force: true })
  for (const [config, bundle] of Object.entries(WORKERS)) useBundle(join(folder, config), bundle)
  const config = join(folder, 'wrangler.toml')
  writeFileSync(config, readFileSync(config, 'utf8') + VARIABLES)
  setName(join(folder, 'package.json'), basename(folder))
}

function releaseArchive() {
  const name = readdirSync(DIST).find((file) => /^wallet-verifier-\d.*\.tgz$/.test(file))
  if (name === undefined) throw new Error(`${DIST} has no archive of the service.`)
  return name
}

/** Unpacks an archive without its outer folder. Its name is relative: tar reads `C:` as a host. */
function unpack(archive, folder) {
  const args = ['-xzf', archive, '--strip-components=1', '-C', folder]
  const { status, stderr, error } = spawnSync('tar', args, { cwd: DIST, encoding: 'utf8' })
  if (error) throw new Error(`tar could not be run: ${error.message}`)
  if (status !== 0) throw new Error(`tar could not unpack ${archive}: ${stderr}`)
}

/** Names the bundle in a configuration, in place of the sources. The bundle is uploaded unchanged. */
function useBundle(path, bundle) {
  const text = readFileSync(path, 'utf8')
  const changed = text.replace(/^main = ".*"$/m, `main = "${bundle}"\nno_bundle = true`)
  if (changed === text) throw new Error(`${path} has no line for main.`)
  writeFileSync(path, changed.replace('\nminify = true', ''))
}

/** Names the package after its folder, in the characters that npm allows. */
function setName(path, folderName) {
  const name = folderName
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const { name: standard, ...rest } = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, `${JSON.stringify({ name: name || standard, ...rest }, null, 2)}\n`)
}
