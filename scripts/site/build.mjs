// Builds the site: pages of the project and generated pages into a folder, VitePress, and a check of the
// result.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildDescription } from '../service/description.mjs'
import { availableNode, DIST, ROOT } from '../service/paths.mjs'
import { checkSite } from './check.mjs'
import { codePages } from './codes.mjs'
import { groupPage } from './markdown.mjs'
import { copyPages, sidebarOf } from './pages.mjs'
import { referencePages } from './reference.mjs'
import { walletPages } from './wallets.mjs'

const SITE = join(ROOT, 'site')
const VITEPRESS = join(SITE, 'node_modules', 'vitepress', 'bin', 'vitepress.js')

/** Builds the site into the folder `out`, which it empties. Returns `pages`, `seconds` and `out`. */
export function buildSite(out) {
  ensureGenerator()
  const begun = Date.now()
  mkdirSync(DIST, { recursive: true })
  // Below ROOT, because VitePress resolves its packages from the folder of the pages.
  const work = mkdtempSync(join(SITE, '.build-'))
  try {
    const source = join(work, 'pages')
    writeSources(source)
    rmSync(out, { recursive: true, force: true })
    runVitePress(work, out)
    const { pages, errors } = checkSite(out)
    if (errors.length > 0) throw new Error(`the site has errors:\n${errors.join('\n')}`)
    return { pages, seconds: Math.round((Date.now() - begun) / 1000), out }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Installs VitePress by its lock file, if it is missing or of another version. */
function ensureGenerator() {
  const version = (path) =>
    JSON.parse(readFileSync(join(SITE, path), 'utf8')).packages['node_modules/vitepress'].version
  const installed = join('node_modules', '.package-lock.json')
  const isInstalled = existsSync(join(SITE, installed)) && version(installed) === version('package-lock.json')
  if (isInstalled) return
  console.error('Installing the generator of the site: 100 MB on disk …')
  const options = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--loglevel=error',
  ]
  const { status, error } = spawnSync('npm', options, { cwd: SITE, stdio: ['ignore', 'ignore', 'inherit'] })
  if (error) throw error
  if (status !== 0) throw new Error(`npm ci failed in ${SITE} (exit code ${status}).`)
}

function writeSources(source) {
  mkdirSync(join(source, 'public'), { recursive: true })
  copyPages(source)
  buildDescription(join(source, 'public'))
  const description = JSON.parse(readFileSync(join(source, 'public', 'openapi.json'), 'utf8'))
  const groups = [walletPages(), ...codePages(), referencePages(description)]
  for (const { path, text } of groups.flatMap(({ pages }) => pages)) write(join(source, path), text)
  for (const { path, text } of groups.map(groupPage)) write(join(source, path), text)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  write(join(source, 'site.json'), JSON.stringify({ version, sidebar: sidebarOf(groups) }))
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function runVitePress(work, out) {
  cpSync(join(SITE, '.vitepress'), join(work, '.vitepress'), { recursive: true })
  const env = { ...process.env, NODE_ENV: 'production' }
  const built = spawnSync(availableNode(), [VITEPRESS, 'build', work, '--outDir', out], {
    cwd: SITE,
    encoding: 'utf8',
    env,
  })
  if (built.error) throw built.error
  if (built.status !== 0) throw new Error(`VitePress failed:\n${built.stdout}${built.stderr}`)
}
