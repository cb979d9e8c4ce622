// `npm run generate`: writes the committed files that are made from the sources: pages and tables of docs/,
// texts of assets/, and the types of the client and of the bindings in wrangler.toml.
// `--check` writes nothing, and fails if a file is not current.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { clientTypesFile } from '../openapi/files.ts'
import { GENERATED_PAGES, GENERATED_TABLES } from './documents/pages.ts'
import { verifySurface } from './service/verify-package.mjs'

const BINDINGS = 'worker-configuration.d.ts'
const isCheck = process.argv.includes('--check')
const stale = [...Object.entries(texts()).filter(isStale).map(update), ...updateBindings()]
for (const path of stale)
  console.log(isCheck ? `${path} is not current: npm run generate` : `${path} is written.`)
if (stale.length === 0) console.log('Every generated file is current.')
process.exitCode = isCheck && stale.length > 0 ? 1 : 0

/** Returns every text by the path of its file. */
function texts(): Readonly<Record<string, string>> {
  const pages = Object.entries(GENERATED_PAGES).map(([path, describe]) => [path, describe()])
  const tables = Object.entries(GENERATED_TABLES).map(([path, describe]) => [
    path,
    withTables(readFileSync(path, 'utf8'), describe()),
  ])
  return {
    ...Object.fromEntries([...pages, ...tables]),
    'packages/client/src/wire.ts': clientTypesFile(),
    'packages/verify/surface.txt': verifySurface(),
  }
}

function isStale([path, text]: readonly [string, string]): boolean {
  return !existsSync(path) || readFileSync(path, 'utf8') !== text
}

function update([path, text]: readonly [string, string]): string {
  if (!isCheck) writeFileSync(path, text)
  return path
}

/** Updates the types of the bindings. The types of the runtime come from @cloudflare/workers-types. */
function updateBindings(): readonly string[] {
  const configs = ['wrangler.toml', 'wrangler.background.toml'].flatMap((path) => ['--config', path])
  const options = ['--include-runtime=false', '--env-interface=WorkerBindings', ...configs]
  const wrangler = (...more: readonly string[]) =>
    spawnSync(process.execPath, ['node_modules/wrangler/bin/wrangler.js', 'types', ...options, ...more], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' },
    }).status
  if (isCheck) return wrangler('--check') === 0 ? [] : [BINDINGS]
  const before = readFileSync(BINDINGS, 'utf8')
  if (wrangler() !== 0) throw new Error('wrangler types failed. See its output above.')
  return readFileSync(BINDINGS, 'utf8') === before ? [] : [BINDINGS]
}

/** The tables of the page that begin as the new ones do are replaced, each in its place. */
function withTables(page: string, tables: string): string {
  return tables.split('\n\n').reduce((text, table) => {
    const head = table.split('\n', 1)[0] ?? ''
    const begin = text.indexOf(`${head}\n`)
    if (begin < 0) throw new Error(`no table begins with ${head}`)
    const end = text.indexOf('\n\n', begin)
    return text.slice(0, begin) + table + (end < 0 ? '\n' : text.slice(end))
  }, page)
}
