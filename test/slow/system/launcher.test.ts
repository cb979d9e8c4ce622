// `npm start` for a person (api/running): its state, its recovery and its messages.

import { execFile, spawn } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:https'
import { createServer, type Server as NetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { request } from '../../../scripts/service/request.mjs'
import { readIfPresent } from '../../support/reading/live-files.ts'
import { freePort, runLauncher, type Server, startServer } from '../../support/service/server.ts'
import { WAIT } from '../../support/wait.ts'

const run = promisify(execFile)

describe('a first start', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  it('returns 200 and the boot id of this start for /healthz', async () => {
    const response = await fetch(`${server.origin}/healthz`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      status: 'ok',
      boot_id: expect.stringMatching(/^[\w-]{36}$/),
    })
  })

  it('prints a curl command that creates a session', async () => {
    await printed(server, 'Create a session:')
    const [command = ''] = server.output().slice(server.output().indexOf('curl ')).split('\n\n')
    const { stdout } = await run('bash', ['-c', command])
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'pending',
      verification_id: expect.stringMatching(/^v_/),
    })
  })

  it('prints no warning, and workerd writes its log to the launcher’s output if this output is not a terminal', async () => {
    const [, launcher] = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${server.pid()}/status`, 'utf8')) ?? []
    const [ofWorkerd, ofLauncher] = [server.pid(), launcher].map((pid) => readlinkSync(`/proc/${pid}/fd/1`))
    expect(ofWorkerd).toBe(ofLauncher)
    await printed(server, '"event":"request"')
    expect(server.output()).not.toContain('Warning')
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    expect(lines.length).toBeGreaterThan(0)
    const known = { level: 'info', event: expect.stringMatching(/^(request|operator_change)$/) }
    for (const line of lines) expect(JSON.parse(line)).toMatchObject(known)
    expect(await (await fetch(`${server.origin}/readyz`)).json()).toEqual({ status: 'ready', warnings: [] })
  })

  it('prints a link that opens the console of its demo relying party once', async () => {
    await printed(server, '/console#code=')
    const [, code = ''] = /\/console#code=([\w-]+)/.exec(server.output()) ?? []
    const own = server.baseUrl.replace('localhost', 'console.localhost')
    expect(server.output()).toContain(`${own}/console#code=${code}`)
    const page = await fetch(`${server.origin}/console`, { redirect: 'manual' })
    expect(page.headers.get('location')).toBe(`${own}/console`)
    expect(await statusAt(server, 'console.localhost', '/console')).toBe(200)
    const enter = (origin: string) =>
      fetch(`${server.origin}/console/session`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      })
    for (const origin of ['http://localhost:1', server.baseUrl])
      expect((await enter(origin)).status).toBe(403)
    const opened = await enter(own)
    expect(opened.status).toBe(201)
    const session = (await opened.json()) as { change_token: string }
    expect(session).toMatchObject({ owner: 'relying_party', relying_party: { name: 'Demo' } })
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    const headers = { cookie, 'console-token': session.change_token }
    const listed = await fetch(`${server.origin}/console/api/v1/verify`, { headers })
    expect(listed.status).toBe(200)
    expect((await enter(own)).status).toBe(401)
  })

  it('refuses requests with a host name of another machine, as after DNS rebinding', async () => {
    for (const path of ['/healthz', '/docs', '/assets/style.css', '/v1/verify', '/demo', '/console']) {
      for (const host of ['rebound.example', 'localhost, rebound.example', 'rebound.example@localhost'])
        expect(await statusAt(server, host, path), `${host} ${path}`).toBe(421)
    }
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'localhost:1'])
      expect(await statusAt(server, host, '/healthz'), host).toBe(200)
  })

  it('prints no API key if its output is not a terminal', async () => {
    await printed(server, 'Create a session:')
    expect(server.output()).not.toContain(demoKey(server))
  })

  it('stores every secret in a file that only its owner may read', () => {
    expect(statSync(server.stateDir).mode & 0o777).toBe(0o700)
    const keys = readdirSync(join(server.stateDir, 'keys')).map((name) => join(server.stateDir, 'keys', name))
    const files = [
      ...keys,
      join(server.stateDir, 'workerd.capnp'),
      join(server.stateDir, 'demo-relying-party.json'),
    ]
    expect(files.length).toBeGreaterThan(8)
    expect(files.filter((file) => (statSync(file).mode & 0o777) !== 0o600)).toEqual([])
  })

  it('puts no secret into arguments or configuration', () => {
    const commandLine = readFileSync(`/proc/${server.pid()}/cmdline`, 'utf8')
    const config = readFileSync(join(server.stateDir, 'workerd.capnp'), 'utf8')
    const secrets = ['admin-token', 'server-secret'].map((name) => readKey(server, name))
    const { d } = JSON.parse(readKey(server, 'access-token-keys.json')).keys[0]
    const { signing_jwk } = JSON.parse(readKey(server, 'verifier-localhost.json'))
    const found = [...secrets, d, signing_jwk.d].filter((secret) => (commandLine + config).includes(secret))
    expect(found).toEqual([])
  })

  it('generates a separate key of 32 random bytes for each object class', () => {
    const keys = readdirSync(join(server.stateDir, 'keys'))
      .filter((name) => name.startsWith('unique-key-'))
      .map((name) => readKey(server, name))
    const configured = ['wrangler.toml', 'examples/demo-shop/wrangler.toml'].map((file) =>
      readFileSync(file, 'utf8'),
    )
    const classes = configured.join('').match(/^class_name = /gm) ?? []
    expect(keys.length).toBeGreaterThan(0)
    expect(keys).toHaveLength(classes.length)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.filter((key) => !/^[0-9a-f]{64}$/.test(key))).toEqual([])
  })

  it('creates a certificate for its host under the authority in verifier-ca.pem, and a chain with only this certificate', () => {
    const { leaf, authority, chain } = certificates(server, 'localhost')
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(1)
    expect(leaf.verify(authority.publicKey)).toBe(true)
    expect(leaf.checkIssued(leaf)).toBe(false)
    expect(leaf.subjectAltName).toBe('DNS:localhost')
    expect([leaf.ca, authority.ca]).toEqual([false, true])
  })

  it('raises its limit of file descriptors to the maximum of the machine', () => {
    const limits = readFileSync(`/proc/${server.pid()}/limits`, 'utf8')
    const [, soft, hard] = limits.match(/^Max open files\s+(\d+)\s+(\d+)/m) ?? []
    expect(soft).toBe(hard)
  })
})

describe('a second start', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer()
    await printed(server, 'curl')
  })
  afterAll(() => server.stop())

  it('keeps its keys, its demo relying party and every session', async () => {
    const before = everyKey(server)
    const session = await createDemoSession(server)
    await server.restart()
    expect(everyKey(server)).toEqual(before)
    expect((await readSession(server, session)).status).toBe(200)
  })

  it('works at once after a kill -9 of all processes of the first start', async () => {
    const session = await createDemoSession(server)
    await server.kill9()
    await server.restart()
    expect((await readSession(server, session)).status).toBe(200)
  })

  it('creates a certificate for the new host under the same authority if BASE_URL has changed', async () => {
    const before = certificates(server, 'localhost')
    await server.restart({ BASE_URL: 'https://verifier.example' })
    const after = certificates(server, 'verifier.example')
    expect(after.leaf.subjectAltName).toBe('DNS:verifier.example')
    expect(after.leaf.verify(before.authority.publicKey)).toBe(true)
    expect(after.authority.fingerprint256).toBe(before.authority.fingerprint256)
  })

  it('does not end an unrelated process that now has the pid of an earlier workerd', async () => {
    const bystander = spawn('sleep', ['600'])
    try {
      await server.kill9()
      writeFileSync(join(server.stateDir, 'workerd.pid'), String(bystander.pid))
      await server.restart()
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
    } finally {
      bystander.kill()
    }
  })
})

describe('a service with TLS_CERT and TLS_KEY', () => {
  it('uses https with that certificate, and its BASE_URL is an https address', async () => {
    const server = await startServer()
    const { signing_jwk } = JSON.parse(readKey(server, 'verifier-localhost.json'))
    const key = createPrivateKey({ key: signing_jwk, format: 'jwk' })
    const env = { TLS_CERT: join(server.stateDir, 'tls.crt'), TLS_KEY: join(server.stateDir, 'tls.key') }
    writeFileSync(env.TLS_CERT, certificates(server, 'localhost').chain)
    writeFileSync(env.TLS_KEY, key.export({ type: 'pkcs8', format: 'pem' }))
    const ca = readFileSync(join(server.stateDir, 'verifier-ca.pem'))

    const secure = await startServer({ env })
    expect(secure.output()).toContain(`Ready: ${secure.baseUrl}`)
    expect(secure.baseUrl).toMatch(/^https:\/\/localhost:/)
    expect(await httpsStatus(`${secure.baseUrl}/healthz`, ca)).toBe(200)
    await secure.stop()
    await server.stop()
  })
})

/** Returns the response of `/readyz`. */
async function readinessOf({ origin }: Server): Promise<{ readonly warnings: readonly object[] }> {
  return (await fetch(`${origin}/readyz`)).json() as Promise<{ readonly warnings: readonly object[] }>
}

describe('a service with a public BASE_URL', () => {
  let server: Server
  const webhookAt = (port: string) =>
    server.createRelyingParty({ webhook: { url: `http://127.0.0.1:${port}/` } })
  beforeAll(async () => {
    server = await startServer({ env: { BASE_URL: 'https://verifier.example' } })
  })
  afterAll(() => server.stop())

  it('warns at the start and in /readyz that no wallet trusts a certificate that the service made itself', async () => {
    expect(server.output()).toMatch(/^Warning: BASE_URL is public, but the certificate .* self-made/m)
    expect(await readinessOf(server)).toMatchObject({
      status: 'ready',
      warnings: expect.arrayContaining([{ code: 'self_made_verifier_certificate' }]),
    })
  })

  it('warns at the start and in /readyz if CLIENT_IP_HEADER is not set', async () => {
    const warning = /^Warning: BASE_URL is public, but CLIENT_IP_HEADER is not set/m
    const code = 'client_ip_header_missing'
    expect(server.output()).toMatch(warning)
    expect((await readinessOf(server)).warnings).toContainEqual({ code })
    const known = await startServer({
      env: { BASE_URL: 'https://verifier.example', CLIENT_IP_HEADER: 'x-ip' },
    })
    expect(known.output()).not.toMatch(warning)
    expect((await readinessOf(known)).warnings).not.toContainEqual({ code })
    await known.stop()
  })

  it('cannot reach loopback ports, and has no demo relying party', async () => {
    await expect(webhookAt('9')).rejects.toThrow('HTTP 400')
    expect(existsSync(join(server.stateDir, 'demo-relying-party.json'))).toBe(false)
  })

  it('has a console only with CONSOLE=1, and this console has no sign-in codes', async () => {
    expect((await fetch(`${server.origin}/console`)).status).toBe(404)
    await server.restart({ CONSOLE: '1' })
    expect((await fetch(`${server.origin}/console`)).status).toBe(200)
    const headers = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ api_key: 'x' }) }
    expect((await fetch(`${server.origin}/console/codes`, init)).status).toBe(404)
  })

  it('can reach loopback ports with ALLOW_LOOPBACK=1, except its own port', async () => {
    await server.restart({ ALLOW_LOOPBACK: '1' })
    expect(await webhookAt('9')).toMatchObject({ relying_party_id: expect.stringMatching(/^rp_/) })
    await expect(webhookAt(new URL(server.origin).port)).rejects.toThrow('HTTP 400')
  })
})

describe('a first start with the demo shop', () => {
  it('answers every GET /healthz after its first response with 200 and the same boot id', async () => {
    const port = String(await freePort())
    const seen = new Set<string>()
    let isWatching = true
    const watching = (async () => {
      while (isWatching) {
        const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
        if (response !== undefined || seen.size > 0)
          seen.add(response === undefined ? 'refused' : `${response.status} ${await response.text()}`)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    })()
    const server = await startServer({ env: { PORT: port, DEMO: '1' } })
    await vi.waitFor(() => expect(server.output()).toContain(`Open ${server.baseUrl}/demo`), WAIT)
    isWatching = false
    await watching
    expect([...seen]).toEqual([expect.stringMatching(/^200 \{"status":"ok"/)])
    expect((await fetch(`${server.origin}/demo`)).status).toBe(200)
    const start = await fetch(server.origin, { headers: { accept: 'text/html' } })
    expect(await start.text()).toContain('<a href="/demo">')
    await server.stop()
  })
})

describe('the end of the service', () => {
  it('ends workerd and the launcher with exit code 0 after a SIGTERM', async () => {
    const server = await startServer()
    const pid = server.pid()
    expect(await server.stop()).toBe(0)
    expect(isRunning(pid)).toBe(false)
  })
})

describe('a service started through npm', () => {
  it('prints the address of its shop, and ends with npm: a SIGTERM to npm ends the launcher and workerd', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'verifier-'))
    // Between this end and the start, no other test may get the port: the system gives only higher ones.
    const { server, port } = await takePort(() => 10_000 + Math.floor(Math.random() * 20_000))
    await new Promise((resolve) => server.close(resolve))
    const { PATH = '', HOME = '' } = process.env
    const npm = spawn('npm', ['start'], { env: { PATH, HOME, STATE_DIR: stateDir, PORT: port } })
    let output = ''
    for (const stream of [npm.stdout, npm.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    try {
      await vi.waitFor(() => expect(output).toContain('curl'), WAIT)
      const [shop = ''] = /http:\S+\/demo$/m.exec(output) ?? []
      expect((await fetch(shop)).status).toBe(200)
      const pid = Number(readFileSync(join(stateDir, 'workerd.pid'), 'utf8'))
      npm.kill('SIGTERM')
      await vi.waitFor(() => expect(isRunning(pid)).toBe(false), WAIT)
    } finally {
      npm.kill('SIGKILL')
      await rm(stateDir, { recursive: true, force: true })
    }
  })
})

describe('a start that cannot succeed', () => {
  let stateDir: string
  let taken: NetServer | undefined
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'verifier-'))
  })
  afterEach(() => taken?.close())
  afterAll(() => rm(stateDir, { recursive: true, force: true }))

  it('prints one sentence that names every invalid variable, and exits 1', async () => {
    const { exitCode, output } = await runLauncher({
      STATE_DIR: stateDir,
      ALLOW_LOOPBACK: 'yes',
      ADMIN_TOKEN: 'short',
    })
    expect(exitCode).toBe(1)
    const texts = output.replace(/^\{.*\n/gm, '') // the log has the request of the launcher
    expect(texts).toMatch(
      /^The service did not start: configuration: (?=.*ALLOW_LOOPBACK: must)(?=.*ADMIN_TOKEN: must).+\n$/,
    )
  })

  it('names the port that is in use and a free port, and exits 1', async () => {
    const { server, port } = await takePort()
    taken = server
    const { exitCode, output } = await runLauncher({ STATE_DIR: stateDir, PORT: port })
    expect(exitCode).toBe(1)
    expect(output).toMatch(
      new RegExp(`^The service did not start: port ${port} is in use .*: PORT=\\d+ npm start\n$`),
    )
  })

  it('names a state directory that cannot be created, and creates nothing else', async () => {
    const { exitCode, output } = await runLauncher({ STATE_DIR: '/proc/nope' })
    expect(exitCode).toBe(1)
    expect(output).toMatch(/^The service did not start: STATE_DIR must be .*\/proc\/nope.*\n$/)
  })

  it('names a misspelt variable and its right spelling', async () => {
    const { output } = await runLauncher({ STATE_DIR: '/proc/nope', BASEURL: 'https://verifier.example' })
    expect(output).toMatch(/^Warning: BASEURL is not a variable .* BASE_URL\?$/m)
  })

  it.each([
    [{ PORT: 'http' }, 'PORT must be'],
    [{ BASE_URL: 'verifier' }, 'BASE_URL must be an https origin'],
    [{ BASE_URL: 'http://verifier.example' }, 'BASE_URL must be an https origin'],
    [{ BASE_URL: 'https://verifier.example/path' }, 'BASE_URL must be an https origin'],
    [{ HOST: '203.0.113.1' }, 'HOST must be an address of this machine'],
    [{ TLS_CERT: '/cert.pem' }, 'TLS_CERT and TLS_KEY must be set together'],
  ])('refuses the variables %j, and exits 1', async (env, message) => {
    const { exitCode, output } = await runLauncher({ STATE_DIR: stateDir, ...env })
    expect(exitCode).toBe(1)
    expect(output).toContain(message)
  })
})

/** Starts a server on a free port. `draw` returns a port to try; 0: the system chooses it. */
function takePort(draw = () => 0): Promise<{ server: NetServer; port: string }> {
  return new Promise((resolve) => {
    const attempt = () => {
      const server = createServer().once('error', attempt)
      server.listen(draw(), '127.0.0.1', () => {
        const address = server.address()
        resolve({ server, port: String(typeof address === 'object' ? address?.port : address) })
      })
    }
    attempt()
  })
}

/**
 * Returns `true` if the process runs. A process that has ended and was not waited for is still listed,
 * without a command line.
 */
function isRunning(pid: number): boolean {
  return (readIfPresent(`/proc/${pid}/cmdline`)?.length ?? 0) > 0
}

/** Waits until the launcher has printed a text. */
async function printed(server: Server, text: string) {
  await vi.waitFor(() => expect(server.output()).toContain(text), WAIT)
}

/** Sends a GET with this `Host`. */
async function statusAt(server: Server, host: string, path: string): Promise<number> {
  return (await request('GET', server.origin + path, { headers: { host }, timeoutMs: WAIT.timeout })).status
}

function httpsStatus(url: string, ca: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(url, { ca, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.once('error', reject)
  })
}

function readKey(server: Server, name: string): string {
  return readFileSync(join(server.stateDir, 'keys', name), 'utf8')
}

function everyKey(server: Server) {
  const names = readdirSync(join(server.stateDir, 'keys'))
  const demo = readFileSync(join(server.stateDir, 'demo-relying-party.json'), 'utf8')
  return Object.fromEntries([...names.map((name) => [name, readKey(server, name)]), ['demo', demo]])
}

function certificates(server: Server, host: string) {
  const chain: string = JSON.parse(readKey(server, `verifier-${host}.json`)).certificate_chain_pem
  const authority = readFileSync(join(server.stateDir, 'verifier-ca.pem'), 'utf8')
  return { chain, leaf: new X509Certificate(chain), authority: new X509Certificate(authority) }
}

function demoKey(server: Server): string {
  return JSON.parse(readFileSync(join(server.stateDir, 'demo-relying-party.json'), 'utf8')).api_key
}

async function createDemoSession(server: Server): Promise<string> {
  const response = await fetch(`${server.origin}/v1/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demoKey(server)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ credential_types: ['age_attestation'], scope: ['age_over_18'] }),
  })
  expect(response.status).toBe(201)
  return ((await response.json()) as { verification_id: string }).verification_id
}

function readSession(server: Server, id: string) {
  return fetch(`${server.origin}/v1/verify/${id}`, {
    headers: { authorization: `Bearer ${demoKey(server)}` },
  })
}
