// Each way to install a release, from its own file and in an empty folder, until the first verified session.
// release.test.ts runs these tests, so that both use the same releases.

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/service/paths.mjs'
import { freePort } from '../../support/service/server.ts'
import { git, outsidePath, run } from './archive.ts'
import { again, buildBoth, clones, out, withImage, work } from './both.ts'
import {
  containerOf,
  installCrane,
  linkPackages,
  openRegistry,
  runCommand,
  strangersEnvironment,
} from './places.ts'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const CREATE = `create-wallet-verifier-${version}`
const IMAGE = `wallet-verifier-${version}-amd64`

const crane = withImage && process.getuid?.() === 0 ? installCrane(work) : undefined
let registry: Awaited<ReturnType<typeof openRegistry>>

beforeAll(async () => {
  await buildBoth()
  registry = await openRegistry(join(out, `${CREATE}.tgz`), 'create-wallet-verifier', version)
}, 1_800_000)
afterAll(() => registry.close())

/**
 * Runs `npm create` in an empty folder, and returns the new folder and what was printed. Without a registry
 * it links the packages of the checkout, except with CI set.
 */
async function create(name: string, ...options: readonly string[]) {
  const empty = join(work, name)
  mkdirSync(empty)
  const env = { ...strangersEnvironment(empty, registry.origin), CI: 'true' }
  const command = ['npm', 'create', '--yes', 'wallet-verifier@latest', 'verifier', '--', ...options]
  const { status, output } = await runCommand(command, { cwd: empty, env })
  const folder = join(empty, 'verifier')
  if (status === 0 || process.env.CI !== undefined) {
    expect(status, output).toBe(0)
    return { folder, output, env }
  }
  console.log(`npm create failed, so the packages of the checkout are linked:\n${output}`)
  rmSync(folder, { recursive: true })
  await runCommand([...command, '--no-install'], { cwd: empty, env })
  linkPackages(folder)
  return { folder, output: undefined, env }
}

/** Sends the printed call, lets the test wallet respond, and returns the verification. */
async function firstSession(call: string, wallet: (uri: string) => string) {
  const created = execFileSync('sh', ['-c', call], { encoding: 'utf8', env: { PATH: outsidePath() } })
  const { verification_id, wallet_request } = JSON.parse(created)
  expect(wallet(wallet_request.uri)).toContain('verifier  HTTP 200')
  const read = call.replace('-X POST ', '').replace('/v1/verify', `/v1/verify/${verification_id}`)
  return JSON.parse(execFileSync('sh', ['-c', read.replace(/ \\\n +-d .*$/s, '')], { encoding: 'utf8' }))
}

const VERIFIED = { status: 'verified', checks: { age_over_18: true } }
const callIn = (output: string) => /^ {2}curl [\s\S]*?(?=\n\n|\n$)/m.exec(output)?.[0].trim() ?? ''

describe('npm create wallet-verifier', () => {
  it.each([
    ['a service of one’s own', 'self-host', 'start', []],
    ['a Worker of one’s own', 'worker', 'dev', ['--worker']],
  ] as const)(
    'makes %s, whose printed key and call lead to a verified session',
    async (_, name, command, options) => {
      const { folder, output, env } = await create(name, ...options)
      const ofOwnMachine = ['compose.yaml', 'Dockerfile', 'wallet-verifier.service']
      const present = ofOwnMachine.filter((file) => existsSync(join(folder, file)))
      expect(present).toEqual(name === 'self-host' ? ofOwnMachine : [])
      const port = String(await freePort())
      const service = await run(
        ['npm', 'run', '--silent', command],
        { cwd: folder, env: { ...env, PORT: port } },
        "-d '{",
      )
      const call = callIn(`${service.output()}\n\n`)
      const { api_key } = JSON.parse(readFileSync(join(folder, '.dev', 'demo-relying-party.json'), 'utf8'))
      if (output !== undefined) {
        expect(output).toContain(`The first key, for test mode:\n\n  ${api_key}\n`)
        expect(callIn(output)).toBe(call.replaceAll(port, '8787'))
      }
      const wallet = (uri: string) =>
        execFileSync('npm', ['run', '-s', 'wallet', '--', uri], { cwd: folder, env, encoding: 'utf8' })
      expect(await firstSession(call, wallet)).toMatchObject(VERIFIED)
      await service.end('SIGINT')
    },
  )

  it('contains the archive of the release', () => {
    const file = execFileSync(
      'tar',
      ['-xzOf', join(out, `${CREATE}.tgz`), `package/dist/wallet-verifier-${version}.tgz`],
      { maxBuffer: 2 ** 24 },
    )
    expect(file.equals(readFileSync(join(out, `wallet-verifier-${version}.tgz`)))).toBe(true)
  })

  it('makes a Worker that can be deployed, also by Workers Builds if wrangler.toml has BASE_URL', async () => {
    const { folder, output, env } = await create(
      ...([
        'deployment',
        '--worker',
        '--base-url',
        'https://verify.shop.org',
        '--jurisdiction',
        'eu',
      ] as const),
    )
    if (output === undefined) {
      const command = [process.execPath, 'scripts/worker/production.mjs', 'https://verify.shop.org', 'eu']
      expect((await runCommand(command, { cwd: folder, env })).status).toBe(0)
    }
    const dry = ['npm', 'run', 'deploy', '--', '--dry-run']
    const { status, output: printed } = await runCommand(dry, { cwd: folder, env })
    expect(status, printed).toBe(0)
    expect(printed.match(/--dry-run: exiting now/g)).toHaveLength(4)
    const head = git(clones[0], 'rev-parse', '--short=12', 'HEAD').trim()
    expect(printed).toContain(`--tag ${head}`)

    // After the button, Workers Builds deploys: the secrets are Cloudflare's, and the address is in the file.
    rmSync(join(folder, 'production.env'))
    const build = { cwd: folder, env: { ...env, WORKERS_CI: '1' } }
    const without = await runCommand(dry, build)
    expect([without.status, without.output]).toEqual([
      1,
      expect.stringContaining('BASE_URL: must be in [vars]'),
    ])
    const config = join(folder, 'wrangler.toml')
    const text = readFileSync(config, 'utf8').replace(
      'BASE_URL = ""',
      'BASE_URL = "https://v.me.workers.dev"',
    )
    writeFileSync(config, text)
    const built = await runCommand(dry, build)
    expect(built.status, built.output).toBe(0)
    expect(built.output).toContain('--var BASE_URL:https://v.me.workers.dev')
  })

  it.each([
    ['a folder that has files', ['.'], 'is not empty'],
    [
      'an address with a path',
      ['n', '--worker', '--base-url', 'https://a.example/b', '--jurisdiction', 'eu'],
      'origin',
    ],
    [
      'an address without a jurisdiction',
      ['n', '--worker', '--base-url', 'https://a.example'],
      'cannot be changed',
    ],
    ['an address for a service of one’s own', ['n', '--base-url', 'https://a.example'], 'needs --worker'],
  ])('refuses %s', (_, args, text) => {
    const unpacked = join(work, 'package')
    if (!existsSync(unpacked)) execFileSync('tar', ['-xzf', join(out, `${CREATE}.tgz`), '-C', work])
    const command = [join(unpacked, 'src', 'main.mjs'), ...args]
    const { status, stderr } = spawnSync(process.execPath, command, { cwd: unpacked, encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringContaining(text)])
  })
})

describe('the image', () => {
  it.skipIf(!withImage)('is identical if another person builds it, if Debian 12 is installed', () => {
    const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8')
    expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(sums)
    expect(sums).toContain(`  ${IMAGE}.oci.tar\n`)
  })

  it.skipIf(!withImage)('has an SBOM with its packages of Debian and npm, if Debian 12 is installed', () => {
    const { components } = JSON.parse(readFileSync(join(out, `${IMAGE}.cdx.json`), 'utf8'))
    const names = components.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['libc6', 'libstdc++6', 'ca-certificates', 'workerd', 'hono']),
    )
  })

  it.skipIf(crane === undefined)(
    'is valid for crane, and serves a verified session as its user on a read-only file system, if Debian 12 and Go are installed',
    async () => {
      const [layout, root] = [join(work, 'layout'), join(work, 'root')]
      for (const folder of [layout, root]) mkdirSync(folder)
      execFileSync('tar', ['-xf', join(out, `${IMAGE}.oci.tar`), '-C', layout])
      const config = await throughRegistry(layout, root)
      const state = join(work, 'state-of-image')
      const enter = containerOf(root, config, state)
      const options = { cwd: work, env: { PATH: process.env.PATH, PORT: String(await freePort()) } }
      const service = await run(enter(config.Entrypoint), options, "-d '{")
      const inside = ([program = '', ...args]: readonly string[]) =>
        spawnSync(program, args, { ...options, encoding: 'utf8' })
      expect(inside(enter(config.Healthcheck.Test.slice(1))).status).toBe(0)
      const call = callIn(`${service.output()}\n\n`).replace('/var/lib/wallet-verifier', state)
      const wallet = (uri: string) => inside(enter(['node', 'scripts/wallet/command.mjs', uri])).stdout
      expect(await firstSession(call, wallet)).toMatchObject(VERIFIED)
      expect(inside(enter(['/bin/sh', '-c', 'echo > /opt/file'])).stderr).toContain('Read-only')
      await service.end('SIGTERM')
    },
  )
})

/** Pushes the image to crane's registry, validates it there, and unpacks it. Returns its configuration. */
async function throughRegistry(layout: string, root: string) {
  const address = `127.0.0.1:${await freePort()}`
  const name = `${address}/wallet-verifier:${version}`
  const program = crane ?? ''
  const server = await run([program, 'registry', 'serve', '--address', address], {}, 'serving on port')
  const call = (...args: readonly string[]) => execFileSync(program, args, { maxBuffer: 2 ** 30 })
  call('push', layout, name)
  call('validate', '--remote', name)
  execFileSync('tar', ['-x', '-C', root], { input: call('export', name, '-') })
  const { config } = JSON.parse(String(call('config', name)))
  await server.end('SIGKILL')
  return config
}

describe('the provenance of a release', () => {
  it('is an in-toto statement about every other file, with SLSA’s predicate and the commit', () => {
    const file = `wallet-verifier-${version}.intoto.json`
    const { _type, subject, predicateType, predicate } = JSON.parse(readFileSync(join(out, file), 'utf8'))
    expect([_type, predicateType]).toEqual([
      'https://in-toto.io/Statement/v1',
      'https://slsa.dev/provenance/v1',
    ])
    const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
    const others = readdirSync(out).filter((name) => ![file, 'SHA256SUMS'].includes(name))
    expect(subject).toEqual(others.map((name) => ({ name, digest: { sha256: digest(join(out, name)) } })))
    const { externalParameters, resolvedDependencies } = predicate.buildDefinition
    const commit = git(clones[0], 'rev-parse', 'HEAD').trim()
    expect(externalParameters).toEqual({ version, commit, image: withImage, site: false })
    expect(resolvedDependencies).toContainEqual({ name: 'source', digest: { gitCommit: commit } })
    const lock = digest(join(ROOT, 'package-lock.json'))
    expect(resolvedDependencies).toContainEqual({ name: 'package-lock.json', digest: { sha256: lock } })
  })
})
