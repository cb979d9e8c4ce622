// Software that logs people in by OpenID Connect. A visitor logs in with the test wallet once, and once they
// decline.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort, type Server } from '../../test/support/service/server.ts'
import { DIST, ROOT } from '../service/paths.mjs'
import { untilOpen } from './examples.ts'
import { copyProgram } from './generated.ts'
import { runKeycloak } from './keycloak.ts'
import { execute, installGoModules, installNodePackages, type Program } from './tools.ts'
import { answerOnPage, type Browser, openBrowser } from './visitor.ts'

export const LOGINS: readonly Program[] = [
  { name: 'oidc-app', tool: 'node', run: runApp },
  { name: 'oauth2-proxy', tool: 'go', run: runProxy },
  { name: 'keycloak', tool: 'mvn', isLong: true, run: runKeycloak },
]

/** The app of examples/oidc-app, as its README says. */
async function runApp(server: Server): Promise<string> {
  const cwd = join(ROOT, 'examples', 'oidc-app')
  await installNodePackages(cwd)
  const { api_key } = await server.createRelyingParty()
  const port = String(await freePort())
  mkdirSync(join(DIST, 'clients'), { recursive: true })
  const env = {
    VERIFIER_URL: server.baseUrl,
    VERIFIER_API_KEY: api_key,
    REGISTRATION: join(DIST, 'clients', 'oidc-app.json'),
    PORT: port,
  }
  await execute([process.execPath, 'register.js'], { cwd, env })
  const url = `http://localhost:${port}`
  const child = spawn(process.execPath, ['app.js'], { cwd, env: { ...process.env, ...env } })
  return whileRunning(child, url, async () => {
    const member = openBrowser()
    assert.equal(locationOf(await answered(member, `${url}/login`, { method: 'POST' })), '/')
    assert.match(await (await member(url)).text(), /Welcome, Alex Sandbox\.\s+You are over 18\./)
    const other = openBrowser()
    const end = await answered(other, `${url}/login`, { method: 'POST' }, { decline: '1' })
    assert.match(await end.text(), /You are not logged in: access_denied/)
    rmSync(env.REGISTRATION)
    return 'logged in with two names and a boolean, and declined'
  })
}

/** oauth2-proxy in front of a site. `allowed-group` lets in who is over 18. */
async function runProxy(server: Server): Promise<string> {
  const cwd = copyProgram('oauth2-proxy')
  await installGoModules(cwd)
  await execute(['go', 'build', '-o', 'oauth2-proxy', 'github.com/oauth2-proxy/oauth2-proxy/v7'], { cwd })
  const site = await openSite()
  const url = `http://127.0.0.1:${await freePort()}`
  const redirectUri = `${url}/oauth2/callback`
  const client = await register(server, redirectUri)
  const settings = {
    provider: 'oidc',
    'oidc-issuer-url': client.issuer,
    'client-id': client.client_id,
    'client-secret': client.client_secret,
    scope: 'openid',
    'code-challenge-method': 'S256',
    'oidc-email-claim': 'sub',
    'oidc-groups-claim': 'age_over_18',
    'allowed-group': 'true',
    'email-domain': '*',
    'redirect-url': redirectUri,
    'http-address': new URL(url).host,
    upstream: site.url,
    'cookie-secret': randomBytes(16).toString('hex'),
    // http is for this machine only.
    'cookie-secure': 'false',
    'skip-provider-button': 'true',
  }
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(join(cwd, 'oauth2-proxy'), flags)
  try {
    return await whileRunning(child, `${url}/ping`, async () => {
      const visitor = openBrowser()
      assert.equal(locationOf(await answered(visitor, url)), '/')
      assert.equal(await (await visitor(url)).text(), 'the site')
      const { 'x-forwarded-user': user, 'x-forwarded-groups': groups } = site.headers()
      assert.match(String(user), /^[\w-]{43}$/)
      assert.equal(groups, 'true')
      assert.equal((await answered(openBrowser(), url, {}, { decline: '1' })).status, 403)
      return 'let an adult in, and kept out who declined'
    })
  } finally {
    site.close()
  }
}

/** Registers a client that asks for an age, as docs/openid-connect.md has it for oauth2-proxy. */
async function register(server: Server, redirectUri: string) {
  const { api_key } = await server.createRelyingParty()
  const response = await fetch(`${server.baseUrl}/v1/oidc_clients`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      name: 'Adult site',
      redirect_uris: [redirectUri],
      policies: [{ name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }],
    }),
  })
  assert.equal(response.status, 201)
  return (await response.json()) as { issuer: string; client_id: string; client_secret: string }
}

/** Begins a login, answers with the test wallet, and opens the client's callback. */
async function answered(
  open: Browser,
  begin: string,
  init: RequestInit = {},
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const atProvider = await open(locationOf(await open(begin, init)))
  const finish = await answerOnPage(open, new URL(locationOf(atProvider)), fields)
  return open(locationOf(await open(finish)))
}

function locationOf(response: Response): string {
  const location = response.headers.get('Location')
  assert.ok(location, `HTTP ${response.status} without Location`)
  return location
}

/** A site behind the proxy, which keeps the headers of its last request. */
async function openSite() {
  let headers: IncomingHttpHeaders = {}
  const site = createServer((request, response) => {
    headers = request.headers
    response.end('the site')
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const { port } = site.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, headers: () => headers, close: () => site.close() }
}

async function whileRunning(child: ChildProcess, url: string, use: () => Promise<string>): Promise<string> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  try {
    await untilOpen(url, () => child.exitCode === null)
    return await use()
  } catch (error) {
    throw new Error(`${String(error)}\n${output}`)
  } finally {
    child.kill()
  }
}
