// The client as others install it: packed, from a folder of its own, and from git. Nothing is fetched.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/service/paths.mjs'

const PACKAGE = join(ROOT, 'packages', 'client')
const directory = mkdtempSync(join(tmpdir(), 'client-package-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const read = (path: string) => readFileSync(path, 'utf8')
const npm = (cwd: string, ...args: readonly string[]) =>
  execFileSync('npm', [...args, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, npm_config_cache: join(directory, 'cache') },
  })

/** Packs a folder, and returns the path of the file. */
function pack(folder: string): string {
  const printed = npm(folder, 'pack', '--pack-destination', directory)
  return join(directory, printed.trim().split('\n').at(-1) ?? '')
}

/** Creates an empty application. */
function application(name: string): string {
  const folder = join(directory, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', type: 'module' }))
  return folder
}

const USE = `
  import { createClient } from '@wallet-verifier/client'
  import { verifyWebhook } from '@wallet-verifier/client/webhook'
  import { decryptClaims } from '@wallet-verifier/client/claims'
  import { verifyReceipt } from '@wallet-verifier/client/receipt'
  const client = createClient({ baseUrl: 'https://verifier.example', token: 'x', fetch: async () => new Response('{"status":"verified"}') })
  const found = await client.wait('v_1')
  console.log(found.value.status, typeof verifyWebhook, typeof decryptClaims, typeof verifyReceipt)
`
const use = (folder: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', USE], { cwd: folder, encoding: 'utf8' })
const USED = 'verified function function function\n'

describe('the packed client', () => {
  let packed = ''
  let installed = ''
  beforeAll(() => {
    packed = pack(PACKAGE)
    installed = application('from-file')
    npm(installed, 'install', packed, pack(join(ROOT, 'node_modules', 'jose')))
  })

  it('has the compiled modules with their types, licence and readme, and nothing else', () => {
    const files = execFileSync('tar', ['-tzf', packed], { encoding: 'utf8' }).trim().split('\n')
    const modules = readdirSync(join(PACKAGE, 'src')).map((file) => basename(file, '.ts'))
    const expected = [
      ...['LICENSE', 'README.md', 'package.json'],
      ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
    ]
    expect(files.sort()).toEqual(expected.map((file) => `package/${file}`).sort())
    expect(read(join(PACKAGE, 'LICENSE'))).toBe(read(join(ROOT, 'LICENSE')))
  })

  it('names files that exist, for each way of resolution', () => {
    const folder = join(installed, 'node_modules', '@wallet-verifier', 'client')
    const { version, main, types, exports, typesVersions } = JSON.parse(read(join(folder, 'package.json')))
    expect(version).toBe(JSON.parse(read(join(ROOT, 'package.json'))).version)
    const { '.': root, './package.json': _, ...subpaths } = exports
    expect(root).toEqual({ types, default: main })
    for (const [name, { types, default: module }] of Object.entries<Record<string, string>>(subpaths)) {
      expect(typesVersions['*'][name.slice(2)]).toEqual([types])
      for (const path of [types ?? '', module ?? '']) expect(read(join(folder, path))).not.toBe('')
    }
    expect(Object.keys(typesVersions['*'])).toHaveLength(Object.keys(subpaths).length)
  })

  it('imports by its subpaths in plain Node', () => {
    expect(use(installed)).toBe(USED)
  })
})

it('installs from git under its name', () => {
  const repository = join(directory, 'repository')
  for (const path of ['LICENSE', 'README.md', 'tsconfig.json', 'tsconfig.pure.json', 'scripts'])
    cpSync(join(ROOT, path), join(repository, path), { recursive: true })
  cpSync(PACKAGE, join(repository, 'packages', 'client'), {
    recursive: true,
    filter: (path) => path !== join(PACKAGE, 'dist'),
  })
  // Of the real dependencies, only those that the client needs: the others would be fetched.
  const tool = (name: string) => `file:${join(ROOT, 'node_modules', name)}`
  const manifest = JSON.parse(read(join(ROOT, 'package.json')))
  const dependencies = { jose: tool('jose') }
  const devDependencies = { typescript: tool('typescript') }
  writeFileSync(
    join(repository, 'package.json'),
    JSON.stringify({ ...manifest, dependencies, devDependencies }),
  )
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: repository })
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=x', '-c', 'user.email=x@y.example', 'commit', '--quiet', '--message', 'x')
  const folder = application('from-git')
  npm(folder, 'install', `@wallet-verifier/client@git+file://${repository}`)
  expect(use(folder)).toBe(USED)
  const files = readdirSync(join(folder, 'node_modules', '@wallet-verifier', 'client'), { recursive: true })
  expect(files.filter((path) => String(path).includes('test'))).toEqual([])
})
