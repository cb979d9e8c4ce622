// The library as others install it: the file of `npm pack`, in applications without a clone. Foreign wallets
// answer the examples over loopback.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/service/paths.mjs'
import { measureVerify } from '../../../scripts/service/verify-size.mjs'
import { compile, openWorkshop } from '../../support/client-package.ts'
import { makeKey } from '../../support/people/issuer.ts'
import { ageOf, makeAuthority, makePerson, type Telling } from '../../support/people/person.ts'
import { createWallet } from '../../support/people/wallet.ts'
import { ORIGIN, VERIFIER, VERIFIER_CA } from '../../verify/stage.ts'

const PACKAGE = join(ROOT, 'packages', 'verify')
const workshop = openWorkshop()
let folder = ''

beforeAll(() => {
  folder = workshop.application('stranger')
  // The scripts of a dependency would build it, for which it lacks its sources.
  const packed = dependenciesOf(PACKAGE).map((name) => {
    const options = ['pack', '--ignore-scripts', '--pack-destination', workshop.directory]
    const printed = workshop.npm(join(ROOT, 'node_modules', name), ...options)
    return join(workshop.directory, printed.trim().split('\n').at(-1) ?? '')
  })
  workshop.npm(folder, 'install', workshop.pack(PACKAGE), ...packed)
  cpSync(join(PACKAGE, 'examples'), folder, { recursive: true })
}, 300_000)
afterAll(() => workshop.close())

/** Returns the names of the packages that a package needs, directly or not. */
function dependenciesOf(path: string): readonly string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const names = Object.keys(dependencies)
  return [
    ...new Set([...names, ...names.flatMap((name) => dependenciesOf(join(ROOT, 'node_modules', name)))]),
  ]
}

const authority = await makeAuthority()
const person = await makePerson(authority)
const stranger = await makeKey()
const SETTINGS = {
  ...{ ORIGIN, PORT: '0', VERIFIER: JSON.stringify(VERIFIER) },
  ANCHORS: JSON.stringify([authority.anchor()]),
}

/** Answers an example at an address, first with a bad and then with a good response. */
async function answer(address: string): Promise<void> {
  const call = async (path: string) => (await fetch(address + path)).json() as Promise<Record<string, string>>
  const wallet = createWallet({
    verifierCa: VERIFIER_CA,
    fetch: (url, init) => fetch(url.replace(ORIGIN, address), init),
  })
  const { id, uri = '' } = await call('/start')
  const received = await wallet.receive(uri)
  const present = async (telling: Telling) => {
    const { status } = await wallet.present(received, await ageOf(person, received, telling))
    return [status, (await call(`/results/${id}`)).status]
  }
  expect(await present({ holder: stranger })).toEqual([400, 'pending'])
  expect(await present({})).toEqual([200, 'verified'])
  expect(await call(`/results/${id}`)).toMatchObject({ reason: null, checks: { age_over_18: true } })
}

/** Starts a program, and returns its address once it has printed its port. */
async function start(program: string, args: readonly string[]) {
  const child: ChildProcess = spawn(program, args, { cwd: folder, env: { ...process.env, ...SETTINGS } })
  const port = await new Promise<string>((resolve, reject) => {
    let printed = ''
    const read = (chunk: Buffer) => {
      printed += chunk
      const found = /(?:port |127\.0\.0\.1:|"port":)(\d+)/.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('exit', () => reject(new Error(printed)))
  })
  return { address: `http://127.0.0.1:${port}`, end: () => child.kill() }
}

const has = (program: string) => spawnSync(program, ['--version']).status === 0
/** The first Node 20 of the machine. */
const NODE_20 = (process.env.PATH ?? '')
  .split(delimiter)
  .map((path) => join(path, 'node'))
  .find((path) => spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.'))

/** The configuration of a Worker on a free port. Its bindings come from the environment. */
const WORKER = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "bundled.js")],
    compatibilityDate = "2026-01-01",
    bindings = [
      (name = "ORIGIN", fromEnvironment = "ORIGIN"),
      (name = "VERIFIER", fromEnvironment = "VERIFIER"),
      (name = "ANCHORS", fromEnvironment = "ANCHORS"),
    ],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`
const workerd = createRequire(import.meta.url)('workerd').default as string

const DENO = ['run', '--allow-env', '--allow-net', '--allow-read', 'deno.js']
const RUNTIMES = [
  { name: 'Node', program: process.execPath, args: ['node.js'], isInstalled: true },
  {
    name: 'Node 20, if node 20 is installed',
    program: NODE_20 ?? '',
    args: ['node.js'],
    isInstalled: NODE_20 !== undefined,
  },
  { name: 'Deno, if deno is installed', program: 'deno', args: DENO, isInstalled: has('deno') },
  { name: 'Bun, if bun is installed', program: 'bun', args: ['bun.js'], isInstalled: has('bun') },
]

describe('an example from the packed library verifies the response of a foreign wallet', () => {
  for (const { name, program, args, isInstalled } of RUNTIMES) {
    it.skipIf(!isInstalled)(`with ${name}`, async () => {
      const server = await start(program, args)
      try {
        await answer(server.address)
      } finally {
        server.end()
      }
    })
  }

  it('with a Worker without nodejs_compat', async () => {
    const bundled = await build({
      ...{ entryPoints: [join(folder, 'worker.js')], bundle: true, format: 'esm', write: false },
      ...{ target: 'es2022', conditions: ['workerd', 'import'], platform: 'neutral', logLevel: 'error' },
      ...{ mainFields: ['module', 'main'] }, // those of wrangler
    })
    const script = bundled.outputFiles[0]?.text ?? ''
    expect(script).not.toContain('node:')
    writeFileSync(join(folder, 'bundled.js'), script)
    writeFileSync(join(folder, 'config.capnp'), WORKER)
    const server = await start(workerd, ['serve', 'config.capnp', '--control-fd=1'])
    try {
      await answer(server.address)
    } finally {
      server.end()
    }
  })

  it.each(['node.js', 'deno.js', 'bun.js', 'worker.js'])('%s has at most 40 lines', (name) => {
    const lines = (file: string) =>
      readFileSync(join(PACKAGE, 'examples', file), 'utf8')
        .trim()
        .split('\n').length
    expect(lines(name) + (name === 'node.js' ? 0 : lines('handler.js'))).toBeLessThan(41)
  })
})

describe('the packed library', () => {
  it('has only the allowed modules of the service, and only dependencies that the service has, too', () => {
    const files = readdirSync(join(folder, 'node_modules/@wallet-verifier/verify/dist'), {
      recursive: true,
      encoding: 'utf8',
    })
    const foreign = files.filter((path) =>
      /^src\/(session|routes|api|worker|env|config|relying-party)/.test(path),
    )
    // The table of reasons, and the checks of the verifier's own certificates.
    expect(foreign.filter((path) => path.endsWith('.js')).toSorted()).toEqual([
      'src/relying-party/verifier/verifier-certificate.js',
      'src/relying-party/verifier/verifier-registration.js',
      'src/session/document/reasons.js',
    ])
    const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const { dependencies, version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
    expect(root.dependencies).toMatchObject(dependencies)
    expect(version).toBe(root.version)
  })

  it('has types that compile in strict mode without the types of any dependency', () => {
    const code = [
      "import { createRequest, InputError, verifyResponse, type VerificationResult } from '@wallet-verifier/verify'",
      "const policy = { credential_types: ['pid'], scope: ['age_over_18'] }",
      "const { digital, request } = await createRequest({ policy, origin: 'https://a.example' })",
      'export const entries: number = digital.requests.length',
      'export const result: VerificationResult = await verifyResponse({ request, response: {}, anchors: [] })',
      "if (result.status === 'verified') console.log(result.checks.age_over_18, InputError)",
    ]
    const file = join(folder, 'typed.ts')
    writeFileSync(file, `${code.join('\n')}\n`)
    const options = { module: 'NodeNext', noEmit: true, types: [], lib: ['ES2023', 'DOM'], target: 'ES2022' }
    expect(compile(folder, options)).toBe('')
  })

  it('adds only the code that a program uses: a bundle for an age check by SD-JWT VC has less than 60 KiB', async () => {
    const { server, browser, whole } = await measureVerify(
      join(folder, 'node_modules/@wallet-verifier/verify'),
    )
    expect(server).toBeLessThan(60 * 1024)
    expect(browser).toBeLessThan(64 * 1024)
    expect(whole).toBeGreaterThan(server * 1.2)
  })

  it('has a description of every public type and function', () => {
    const dist = join(folder, 'node_modules/@wallet-verifier/verify/dist/verify')
    const texts = ['index', 'types', 'parts', 'trust-list', 'input-error'].map((name) =>
      readFileSync(join(dist, `${name}.d.ts`), 'utf8'),
    )
    const undescribed = texts.flatMap((text) =>
      [
        ...text.matchAll(
          /(^|\n)(?<before>[^\n]*)\nexport (?:declare )?(?:type|const|class|function) (?<name>\w+)/g,
        ),
      ]
        .filter(({ groups }) => !groups?.before?.trim().endsWith('*/'))
        .map(({ groups }) => groups?.name),
    )
    expect(undescribed).toEqual([])
    expect(texts.join().match(/\nexport (declare )?(type|const|class|function) /g)?.length).toBeGreaterThan(
      40,
    )
  })
})
