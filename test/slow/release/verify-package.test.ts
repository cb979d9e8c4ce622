// The library as others install it: the file of `npm pack`, in applications without a clone. Foreign wallets
// answer the examples over loopback.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DcApiRequest, VerificationResult } from '../../../packages/verify/src/types.ts'
import { findChromium } from '../../../scripts/service/chromium.mjs'
import { ROOT } from '../../../scripts/service/paths.mjs'
import { measureVerify } from '../../../scripts/service/verify-size.mjs'
import { compile, openWorkshop } from '../../support/client-package.ts'
import { receiveDigital, respondDigital } from '../../support/people/dc-api-wallet.ts'
import { makeKey } from '../../support/people/issuer.ts'
import {
  AGE,
  ageOf,
  makeAuthority,
  makePerson,
  presentationOf,
  queryFor,
  type Telling,
} from '../../support/people/person.ts'
import { createWallet } from '../../support/people/wallet.ts'
import { AGE_POLICY, ORIGIN, VERIFIER, VERIFIER_CA } from '../../verify/stage.ts'
import { serveFolder } from '../site/serve.ts'

const PACKAGE = join(ROOT, 'packages', 'verify')
const CHROMIUM = findChromium()
const workshop = openWorkshop()
const folder = workshop.application('stranger')
const INSTALLED = join(folder, 'node_modules', '@wallet-verifier', 'verify')
/** The versions of foreign packages that docs/library.md names. */
const VERSIONS = { express: '5.3.0', bun: '1.4.5', deno: '2.9.6' }
const hasExpress = install('express')

/** Installs a foreign package as a stranger does. Returns false if the registry cannot be had. */
function install(name: keyof typeof VERSIONS): boolean {
  const options = ['--prefer-offline', '--fetch-retries=1', '--no-audit', '--no-fund', '--loglevel=error']
  const command = ['install', `${name}@${VERSIONS[name]}`, ...options]
  return spawnSync('npm', command, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}

/** Installs a runtime, and returns its program; undefined if it does not run here. */
function installRuntime(name: 'bun' | 'deno'): string | undefined {
  const program = join(folder, 'node_modules', '.bin', name)
  return install(name) && has(program) ? program : undefined
}

beforeAll(() => {
  // The scripts of a dependency would build it, for which it lacks its sources.
  const packed = dependenciesOf(PACKAGE).map((name) => {
    const options = ['pack', '--ignore-scripts', '--pack-destination', workshop.directory]
    const printed = workshop.npm(join(ROOT, 'node_modules', name), ...options)
    return join(workshop.directory, printed.trim().split('\n').at(-1) ?? '')
  })
  workshop.npm(folder, 'install', workshop.pack(PACKAGE), ...packed)
  cpSync(join(INSTALLED, 'examples'), folder, { recursive: true })
}, 300_000)
afterAll(() => workshop.close())

function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}

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
  const env = { ...process.env, ...SETTINGS, DENO_DIR: join(folder, '.deno'), DENO_NO_UPDATE_CHECK: '1' }
  const child: ChildProcess = spawn(program, args, { cwd: folder, env })
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

const DENO = ['run', '--no-remote', '--allow-env', '--allow-net', '--allow-read', 'deno.js']
const RUNTIMES: readonly { name: string; program: string | undefined; args: readonly string[] }[] = [
  { name: 'Node', program: process.execPath, args: ['node.js'] },
  { name: 'Node 20, if node 20 is installed', program: NODE_20, args: ['node.js'] },
  {
    name: 'Express, if express is installed',
    program: hasExpress ? process.execPath : undefined,
    args: ['express.js'],
  },
  { name: 'Deno, if deno is installed', program: installRuntime('deno'), args: DENO },
  { name: 'Bun, if bun is installed', program: installRuntime('bun'), args: ['bun.js'] },
]

describe('an example from the packed library', () => {
  for (const { name, program, args } of RUNTIMES) {
    it.skipIf(program === undefined)(`verifies the response of a foreign wallet with ${name}`, async () => {
      const server = await start(program ?? '', args)
      try {
        await answer(server.address)
      } finally {
        server.end()
      }
    })
  }

  it('verifies the response of a foreign wallet with a Worker without nodejs_compat', async () => {
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

  it.each(readdirSync(join(PACKAGE, 'examples')))(
    '%s has fewer than 40 lines, including the handler that it imports',
    (name) => {
      const read = (file: string) => readFileSync(join(PACKAGE, 'examples', file), 'utf8').trim()
      const lines = (file: string) => read(file).split('\n').length
      const usesHandler = read(name).includes("from './handler.js'")
      expect(lines(name) + (usesHandler ? lines('handler.js') : 0)).toBeLessThan(40)
    },
  )
})

it.each(Object.entries(VERSIONS))('docs/library.md names the tested version of %s: %s', (name, version) => {
  const text = readFileSync(join(ROOT, 'docs', 'library.md'), 'utf8').toLowerCase()
  expect(text).toContain(`${name} ${version}`)
})

describe.skipIf(CHROMIUM === undefined)('the packed library on a page', () => {
  it('makes a request of the Digital Credentials API, and verifies the response of a foreign wallet', async () => {
    const site = join(folder, 'site')
    await build({
      stdin: { contents: "export * from '@wallet-verifier/verify'", resolveDir: folder },
      ...{ bundle: true, format: 'iife', globalName: 'library', platform: 'browser', logLevel: 'error' },
      outfile: join(site, 'library.js'),
    })
    writeFileSync(
      join(site, 'index.html'),
      '<!doctype html><title>Shop</title><script src="library.js"></script>',
    )
    const server = await serveFolder(site)
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      await page.goto(`${server.origin}/`)
      const call = <Result>(name: string, input: object) =>
        page.evaluate<Result>(`library.${name}(${JSON.stringify(input)})`)
      const created = await call<DcApiRequest>('createRequest', { policy: AGE_POLICY, origin: ORIGIN })
      const { request, digital } = created
      const platform = {
        origin: ORIGIN,
        verifierCa: VERIFIER_CA,
        fetch: () => Promise.reject(new Error('no fetch')),
      }
      const received = await receiveDigital(digital.requests[0] as never, platform)
      const answer = async (telling: Telling) => {
        const presentation = await presentationOf(person, AGE, received, {
          audience: `origin:${ORIGIN}`,
          ...telling,
        })
        return respondDigital(received, { [queryFor(received, AGE)]: [presentation] }, platform)
      }
      const verify = async (telling: Telling) => {
        const input = { request, response: await answer(telling), anchors: [authority.anchor()] }
        const { status, reason } = await call<VerificationResult>('verifyResponse', input)
        return [status, reason]
      }
      expect(await verify({ holder: stranger })).toEqual(['refused', 'invalid_holder_signature'])
      expect(await verify({})).toEqual(['verified', null])
    } finally {
      await browser.close()
      server.close()
    }
  })
})

describe('the packed library', () => {
  it('contains only allowed modules of the service, and depends only on packages of the service', () => {
    const files = readdirSync(join(INSTALLED, 'dist'), { recursive: true, encoding: 'utf8' })
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

  it('has every file to which its readme links', () => {
    const readme = readFileSync(join(INSTALLED, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?!https:|#)([^)]+)\)/g)].map(([, path = '']) => path)
    expect(links).toEqual(expect.arrayContaining(['examples/express.js', 'surface.txt']))
    expect(links.filter((path) => !existsSync(join(INSTALLED, path)))).toEqual([])
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
    const { server, browser, whole } = await measureVerify(INSTALLED)
    expect(server).toBeLessThan(60 * 1024)
    expect(browser).toBeLessThan(64 * 1024)
    expect(whole).toBeGreaterThan(server * 1.2)
  })

  it('has a description of every public type and function', () => {
    const dist = join(INSTALLED, 'dist', 'verify')
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
