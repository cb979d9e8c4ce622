// Keycloak's distribution: as the provider by which staff sign in to the console, and as a realm whose people
// log in with their wallet (examples/keycloak).

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeJwt, type JWTPayload } from 'jose'
import { launchKeycloak } from '../../test/support/people/keycloak.ts'
import { freePort, type Server } from '../../test/support/service/server.ts'
import { findChromium } from '../service/chromium.mjs'
import { ROOT } from '../service/paths.mjs'
import { copyProgram } from './generated.ts'
import { execute, installMavenPackages, UNPACK } from './tools.ts'
import { answerOnPage, type Browser, openBrowser } from './visitor.ts'

const EXAMPLE = join(ROOT, 'examples', 'keycloak')
const LEVEL = 'urn:wallet-verifier:assurance:'
const APP = 'http://localhost:3000/callback'

/** Runs both stories with one distribution. Without Chromium, staff do not sign in. */
export async function runKeycloak(server: Server): Promise<string> {
  const folder = copyProgram('keycloak')
  await installMavenPackages(folder, UNPACK)
  const packages = join(folder, 'packages')
  const home = join(packages, readdirSync(packages)[0] ?? '')
  const realm = await runRealm(server, home)
  if (findChromium() === undefined) return `${realm}; Chromium is not installed, so no staff signed in`
  const story = ['run', '--project', 'slow', 'test/slow/console/people.test.ts']
  await execute([process.execPath, 'node_modules/vitest/vitest.mjs', ...story], {
    cwd: ROOT,
    env: { KEYCLOAK_HOME: home },
  })
  return `${realm}; staff signed in, found an untrusted issuer and added it; the audit log named them`
}

/**
 * Imports the realm of examples/keycloak. People log in to it with the test wallet. `home`: the distribution.
 */
async function runRealm(server: Server, home: string): Promise<string> {
  const port = await freePort()
  const client = await register(server, `http://localhost:${port}`)
  const imported = join(home, 'data', 'import')
  mkdirSync(imported, { recursive: true })
  cpSync(join(EXAMPLE, 'realm.json'), join(imported, 'realm.json'))
  const variables = {
    WALLET_ISSUER: client.issuer,
    WALLET_CLIENT_ID: client.client_id,
    WALLET_CLIENT_SECRET: client.client_secret,
  }
  const keycloak = await launchKeycloak(home, { port, flags: ['--import-realm'], variables })
  try {
    const realm = `${keycloak.origin}/realms/shop/protocol/openid-connect`
    const [member, again] = [openBrowser(), openBrowser()]
    const first = await logIn(realm, member, { acr: `${LEVEL}low` })
    // Keycloak writes names in lower case.
    assert.match(String(first.preferred_username), /^wallet-2\.[a-z0-9_-]{43}$/)
    assert.ok((first.roles as readonly string[]).includes('adult'))
    assert.equal(first.acr, `${LEVEL}low`)
    const raised = await logIn(realm, member, { acr: `${LEVEL}high` })
    assert.deepEqual([raised.sub, raised.acr], [first.sub, `${LEVEL}high`])
    assert.equal((await logIn(realm, again)).sub, first.sub)
    await assert.rejects(
      logIn(realm, openBrowser(), { acr: 'urn:example:gold' }),
      /Invalid parameter: claims/,
    )
    await assert.rejects(logIn(realm, openBrowser(), { fields: { decline: '1' } }), /Access denied/)
    return 'people logged in to its realm with a wallet, with a role, a name by the template and a level by acr'
  } finally {
    await keycloak.stop()
  }
}

/** Registers the client of examples/keycloak, for a Keycloak at another address. */
async function register(server: Server, origin: string) {
  const { api_key } = await server.createRelyingParty()
  const text = readFileSync(join(EXAMPLE, 'client.json'), 'utf8')
  const response = await fetch(`${server.baseUrl}/v1/oidc_clients`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
    body: text.replace('http://localhost:8080', origin),
  })
  assert.equal(response.status, 201, await response.clone().text())
  return (await response.json()) as { issuer: string; client_id: string; client_secret: string }
}

type LoginOptions = {
  /** An essential `acr` that the app requests. */
  readonly acr?: string
  readonly fields?: Readonly<Record<string, string>>
}

/** Logs in to the app of the realm with the test wallet. Returns the claims of Keycloak's ID token. */
async function logIn(
  realm: string,
  open: Browser,
  { acr, fields = {} }: LoginOptions = {},
): Promise<JWTPayload> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: 'shop-app',
    response_type: 'code',
    scope: 'openid',
    redirect_uri: APP,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    kc_idp_hint: 'wallet',
    prompt: 'login',
    ...(acr && { claims: JSON.stringify({ id_token: { acr: { essential: true, value: acr } } }) }),
  })
  const page = await follow(open, `${realm}/auth?${query}`, (address) => address.pathname.startsWith('/s/'))
  const end = await answerOnPage(open, page, fields)
  const { searchParams } = await follow(open, end, (address) => address.href.startsWith(APP))
  const response = await open(`${realm}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'shop-app',
      redirect_uri: APP,
      code: searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  })
  const { id_token } = (await response.json()) as { id_token?: string }
  assert.ok(id_token, `HTTP ${response.status}`)
  return decodeJwt(id_token)
}

/** Follows redirects to an address. Rejects with the text of the page where they end instead. */
async function follow(open: Browser, from: string, isEnd: (address: URL) => boolean): Promise<URL> {
  let address = new URL(from)
  for (let left = 12; left > 0; left -= 1) {
    const response = await open(address)
    const location = response.headers.get('Location')
    if (location === null) {
      const text = (await response.text()).replace(/<style.*?<\/style>|<script.*?<\/script>|<[^>]*>/gs, ' ')
      throw new Error(`HTTP ${response.status} at ${address.href}: ${text.replace(/\s+/g, ' ')}`)
    }
    address = new URL(location, address)
    if (isEnd(address)) return address
  }
  throw new Error(`too many redirects, the last to ${address.href}`)
}
