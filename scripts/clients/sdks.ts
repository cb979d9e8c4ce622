// The clients for Python, Go and Java, each installed from its package: the shared vectors, a session behind
// a proxy that loses responses, and the example shop.

import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { clientDescription, descriptionDigest } from '../../openapi/client-description.ts'
import type { Description } from '../../openapi/description.ts'
import { freePort, type Server } from '../../test/support/service/server.ts'
import { DIST, ROOT } from '../service/paths.mjs'
import { runShop } from './examples.ts'
import { copyProgram } from './generated.ts'
import { DIGEST_FILES, GO_MODULE, PACKAGES, packGo, packJava, packPython } from './packages.ts'
import { execute, installPythonPackages, NotInstalledError, type Program } from './tools.ts'

export const SDKS: readonly Program[] = [
  { name: 'sdk-python', tool: 'python3', run: runPython },
  { name: 'sdk-go', tool: 'go', run: runGo },
  { name: 'sdk-java', tool: 'mvn', run: runJava },
]

const VECTORS = join(ROOT, 'test', 'vectors', 'clients.json')

async function runPython(server: Server): Promise<string> {
  const wheel = await packPython()
  const cwd = copyProgram('sdk-python')
  const python = await installPythonPackages(cwd)
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--force-reinstall']
  await execute([python, ...install, '--no-deps', wheel], { cwd })
  const hand = ['errors', 'signed', 'transport', 'verifier', 'webhook'].flatMap((name) => [
    '-m',
    `wallet_verifier.${name}`,
  ])
  await execute([python, '-m', 'mypy', '--strict', '--follow-imports=silent', ...hand], { cwd })
  const print =
    'import importlib.resources as r; print(r.files("wallet_verifier.generated").joinpath("description.sha256").read_text())'
  await expectCurrent(server, await execute([python, '-c', print], { cwd }))
  const vectors = await execute([python, 'vectors.py', VECTORS], { cwd })
  const session = await runSession(server, [python, 'session.py'], cwd)
  await runShop(server, join(ROOT, 'examples', 'python-client'), async () => [python, 'shop.py'])
  return `${vectors}, ${session}; the shop sold and declined`
}

async function runGo(server: Server): Promise<string> {
  const { proxy, version } = await packGo()
  const options = {
    GOPROXY: `file://${proxy},${await execute(['go', 'env', 'GOPROXY'], { cwd: ROOT })}`,
    GONOSUMDB: GO_MODULE,
    GOFLAGS: '-mod=mod',
  }
  const build = async (cwd: string, program: string) => {
    await execute(['go', 'get', `${GO_MODULE}@${version}`], { cwd, env: options })
    await execute(['go', 'build', '-o', program, '.'], { cwd, env: options })
  }
  const cwd = copyProgram('sdk-go')
  await build(cwd, './session')
  const module = await execute(['go', 'list', '-m', '-f', '{{.Dir}}', GO_MODULE], { cwd, env: options })
  await expectCurrent(server, readFileSync(join(module, DIGEST_FILES.go), 'utf8'))
  const session = await runSession(server, ['./session', VECTORS], cwd)
  const shop = copyShop('go-client')
  await build(shop, './shop')
  await runShop(server, shop, async () => ['./shop'])
  return `${session}; the shop sold and declined`
}

async function runJava(server: Server): Promise<string> {
  const printed = await execute(['mvn', '--version'], { cwd: ROOT })
  const version = Number(/Java version: (\d+)/.exec(printed)?.[1] ?? 0)
  if (version < 17) throw new NotInstalledError('Java is older than 17')
  await packJava()
  const jars = readdirSync(PACKAGES).filter((name) => /^wallet-verifier-client-.*\.jar$/.test(name))
  const kinds = jars.map((name) => /-([a-z]+)\.jar$/.exec(name)?.[1] ?? 'classes')
  assert.deepEqual(kinds.sort(), ['classes', 'javadoc', 'sources'], 'Maven Central requires three jars')
  const compile = async (cwd: string) => {
    const classPath = ['dependency:build-classpath', '-Dmdep.outputFile=class-path.txt']
    await execute(['mvn', '--quiet', '--batch-mode', 'compile', ...classPath], { cwd })
    return `target/classes:${readFileSync(join(cwd, 'class-path.txt'), 'utf8').trim()}`
  }
  const cwd = copyProgram('sdk-java')
  const classes = await compile(cwd)
  const jar = classes.split(':').find((path) => path.includes('wallet-verifier-client')) ?? ''
  const entry = unzipSync(readFileSync(jar))['walletverifier/description.sha256']
  await expectCurrent(server, new TextDecoder().decode(entry))
  const session = await runSession(server, ['java', '-cp', classes, 'Session', VECTORS], cwd)
  const shop = copyShop('java-client')
  await runShop(server, shop, async () => ['java', '-cp', await compile(shop), 'Shop'])
  return `${session}; the shop sold and declined`
}
/** Compares the description of an installed client with that of the service. */
async function expectCurrent(server: Server, digest: string): Promise<void> {
  const served: Description = await (await fetch(`${server.baseUrl}/openapi.json`)).json()
  const expected = descriptionDigest(clientDescription(served))
  assert.equal(digest.trim(), expected, 'the client was generated from the description of the service')
}

/** Copies an example, because its tools write into its folder. */
function copyShop(name: string): string {
  const folder = join(DIST, 'clients', `shop-${name}`)
  cpSync(join(ROOT, 'examples', name), folder, { recursive: true })
  return folder
}

/** Runs the session of a client. Its creation must have made one verification despite a lost response. */
async function runSession(server: Server, command: readonly string[], cwd: string): Promise<string> {
  const port = String(await freePort())
  const webhook = { url: `http://127.0.0.1:${port}/webhook` }
  const party = await server.createRelyingParty({ webhook })
  const proxy = await startLossyProxy(server.baseUrl)
  const env = {
    VERIFIER_URL: proxy.baseUrl,
    ISSUER: server.baseUrl,
    VERIFIER_API_KEY: party.api_key,
    RELYING_PARTY_ID: party.relying_party_id,
    WEBHOOK_SECRET: party.webhook_secret,
    PORT: port,
  }
  try {
    const line = await execute(command, { cwd, env })
    const list = await fetch(`${server.baseUrl}/v1/verify`, {
      headers: { Authorization: `Bearer ${party.api_key}` },
    })
    const { verifications } = (await list.json()) as { readonly verifications: readonly unknown[] }
    assert.equal(verifications.length, 1, 'the repeated creation made one verification')
    assert.deepEqual(proxy.lost(), ['POST /v1/verify', 'GET /v1/verify/…'], 'the client met both faults')
    return line
  } finally {
    proxy.stop()
  }
}

type Proxy = {
  readonly baseUrl: string
  /** The calls that had no response or a bad response. */
  readonly lost: () => readonly string[]
  readonly stop: () => void
}

/**
 * Loses the response of the first creation, and answers the first read as an overloaded proxy does. Two ids
 * get a redirect and a page of the proxy.
 */
async function startLossyProxy(target: string): Promise<Proxy> {
  const lost: string[] = []
  const isFirst = (call: string) => !lost.includes(call) && lost.push(call) > 0
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const own = OWN_ANSWERS.find(([prefix]) => path.startsWith(prefix))?.[1]
    if (request.method === 'GET' && path.startsWith('/v1/verify/v_') && isFirst('GET /v1/verify/…'))
      return response.writeHead(503, { ...PAGE, 'Retry-After': '0' }).end('<h1>Busy</h1>')
    if (path === '/elsewhere') lost.push('a redirect was followed')
    if (own !== undefined) return response.writeHead(...own).end('<h1>Sign in</h1>')
    const answered = await forward(target + path, request).catch(() => undefined)
    const isLost = request.method === 'POST' && path === '/v1/verify' && isFirst('POST /v1/verify')
    if (answered === undefined || isLost) return response.destroy()
    const type = answered.headers.get('Content-Type') ?? ''
    const body = Buffer.from(await answered.arrayBuffer())
    return response.writeHead(answered.status, { 'Content-Type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { baseUrl: `http://127.0.0.1:${port}`, lost: () => lost, stop }
}

const PAGE = { 'Content-Type': 'text/html' }

/** Answers of the proxy itself, by the beginning of the path. */
const OWN_ANSWERS: readonly (readonly [string, [number, Readonly<Record<string, string>>]])[] = [
  [`/v1/verify/v_${'R'.repeat(43)}`, [302, { ...PAGE, Location: '/elsewhere' }]],
  [`/v1/verify/v_${'H'.repeat(43)}`, [200, PAGE]],
]

async function forward(address: string, request: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const sent = request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}
  return fetch(address, { method: request.method ?? '', headers: pairsOf(request.headers), ...sent })
}

function pairsOf(headers: IncomingHttpHeaders): [string, string][] {
  const names = ['authorization', 'accept', 'content-type', 'idempotency-key']
  return names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
}
