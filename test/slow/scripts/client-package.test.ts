// The client as others install it: packed and from git. The samples of its guide compile with it.

import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/service/paths.mjs'
import { textsIn } from '../../documents/pages.ts'
import { compile, openWorkshop, PACKAGE, writeSamples } from '../../support/client-package.ts'

const workshop = openWorkshop()
afterAll(workshop.close)

const read = (path: string) => readFileSync(path, 'utf8')

const USE = `
  import { createClient } from '@wallet-verifier/client'
  import { accessTokens } from '@wallet-verifier/client/token'
  import { verifyWebhook } from '@wallet-verifier/client/webhook'
  import { decryptClaims } from '@wallet-verifier/client/claims'
  import { verifyReceipt } from '@wallet-verifier/client/receipt'
  const client = createClient({ baseUrl: 'https://verifier.example', token: 'x', fetch: async () => new Response('{"status":"verified"}') })
  const found = await client.wait('v_1')
  console.log(found.value.status, ...[accessTokens, verifyWebhook, decryptClaims, verifyReceipt].map((one) => typeof one))
`
const use = (folder: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', USE], { cwd: folder, encoding: 'utf8' })
const USED = 'verified function function function function\n'

describe('the packed client', () => {
  let application = ''
  beforeAll(() => {
    application = workshop.applicationWithClient('from-file')
  })
  const installed = () => join(application, 'node_modules', '@wallet-verifier', 'client')

  it('has the compiled modules with their types, licence and readme, and nothing else', () => {
    const modules = readdirSync(join(PACKAGE, 'src')).map((file) => basename(file, '.ts'))
    const expected = [
      ...['LICENSE', 'README.md', 'package.json'],
      ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
    ]
    const files = readdirSync(installed(), { recursive: true, encoding: 'utf8' })
    expect(files.filter((path) => path !== 'dist').sort()).toEqual(expected.sort())
    expect(read(join(PACKAGE, 'LICENSE'))).toBe(read(join(ROOT, 'LICENSE')))
  })

  it('names existing files for each kind of module resolution', () => {
    const { version, main, types, exports, typesVersions } = JSON.parse(
      read(join(installed(), 'package.json')),
    )
    expect(version).toBe(JSON.parse(read(join(ROOT, 'package.json'))).version)
    const { '.': root, './package.json': _, ...subpaths } = exports
    expect(root).toEqual({ types, default: main })
    for (const [name, { types, default: module }] of Object.entries<Record<string, string>>(subpaths)) {
      expect(typesVersions['*'][name.slice(2)]).toEqual([types])
      for (const path of [types ?? '', module ?? '']) expect(read(join(installed(), path))).not.toBe('')
    }
    expect(Object.keys(typesVersions['*'])).toHaveLength(Object.keys(subpaths).length)
  })

  it('can be imported in Node without a bundler, with its subpaths token, webhook, claims and receipt', () => {
    expect(use(application)).toBe(USED)
  })

  it('has the custom element in one file, which has at most 4 KB compressed and can be imported on a server', () => {
    const path = join(installed(), 'dist', 'element.js')
    expect(gzipSync(readFileSync(path)).byteLength).toBeLessThanOrEqual(4096)
    expect(read(path)).not.toMatch(/\bimport\b/)
    const define = `
      import { defineWalletVerifier } from '@wallet-verifier/client/element'
      console.log(defineWalletVerifier())`
    const run = ['--input-type=module', '-e', define]
    expect(execFileSync(process.execPath, run, { cwd: application, encoding: 'utf8' })).toBe('undefined\n')
  })

  it.each([
    ['nodenext', { module: 'nodenext' }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
    [
      'bundler with the types of browsers',
      { module: 'esnext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM'] },
    ],
  ])('has types with which each sample of the guide compiles in strict mode: %s', (_, options) => {
    expect(writeSamples('docs/client.md', application)).toHaveLength(11)
    expect(compile(application, { ...options, noEmit: true })).toBe('')
  })

  it('has the first sample of the guide in its readme', () => {
    const [first = 'none'] = textsIn('docs/client.md', 'ts')
    expect(read(join(PACKAGE, 'README.md'))).toContain(first)
  })
})

it('the client can be installed from git under its name', () => {
  const repository = join(workshop.directory, 'repository')
  for (const path of ['LICENSE', 'README.md', 'tsconfig.json', 'tsconfig.pure.json', 'scripts'])
    cpSync(join(ROOT, path), join(repository, path), { recursive: true })
  cpSync(PACKAGE, join(repository, 'packages', 'client'), {
    recursive: true,
    filter: (path) => path !== join(PACKAGE, 'dist'),
  })
  // Only the real dependencies that the client needs: the others would be fetched.
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
  const application = workshop.application('from-git')
  workshop.npm(application, 'install', `@wallet-verifier/client@git+file://${repository}`)
  expect(use(application)).toBe(USED)
  const installed = join(application, 'node_modules', '@wallet-verifier', 'client')
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  expect(files.filter((path) => /test|\/src\b/.test(path))).toEqual([])
})
