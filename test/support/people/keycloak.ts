// Keycloak's distribution as the OpenID Provider of an organisation: one realm, one account with one role,
// and one client, whose mapper writes the roles into the ID token.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { freePort } from '../service/server.ts'
import type { Organisation } from './organisation.ts'

const ADMIN = { username: 'admin', password: randomUUID() }
const PERSON = { username: 'ada', password: randomUUID() }
const CLIENT = { client_id: 'wallet-verifier-console', client_secret: randomUUID() }
/** The first start builds Keycloak's own classes. */
const START_MS = 600_000

/** Starts Keycloak as the provider of an organisation. `home`: its distribution. */
export async function startKeycloak(home: string): Promise<Organisation> {
  const { origin, stop } = await launchKeycloak(home)
  try {
    const token = await adminToken(origin)
    const call = (path: string, body: object) => post(`${origin}/admin/realms${path}`, token, body)
    await createRealm(call)
    return {
      setting: { issuer: `${origin}/realms/staff`, ...CLIENT, roles_claim: 'roles' },
      person: PERSON.username,
      register: (redirectUri) => createClient(call, redirectUri),
      signIn: logIn,
      own: null,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A running Keycloak. */
export type Keycloak = { readonly origin: string; readonly stop: () => Promise<void> }

/** Options of a start of Keycloak. `variables`: of its environment. `flags`: further flags of its command. */
export type KeycloakOptions = {
  readonly port?: number
  readonly flags?: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
}

/** Starts Keycloak with a database in memory. `home`: its distribution. */
export async function launchKeycloak(
  home: string,
  { port: wanted, flags: more = [], variables = {} }: KeycloakOptions = {},
): Promise<Keycloak> {
  const port = wanted ?? (await freePort())
  const origin = `http://localhost:${port}`
  const own = ['--http-host=127.0.0.1', `--http-port=${port}`, '--cache=local', '--db=dev-mem']
  const flags = ['start-dev', ...own, ...more]
  const env = {
    ...process.env,
    KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
    KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    ...variables,
  }
  // A process group of its own: the script starts Java.
  const child = spawn('bash', [join(home, 'bin', 'kc.sh'), ...flags], {
    env,
    detached: true,
    stdio: 'ignore',
  })
  const stop = async () => {
    if (child.pid === undefined || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  try {
    await untilReady(`${origin}/realms/master/.well-known/openid-configuration`, () => child.exitCode)
    return { origin, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Call = (path: string, body: object) => Promise<void>

async function createRealm(call: Call): Promise<void> {
  await call('', {
    realm: 'staff',
    enabled: true,
    sslRequired: 'none',
    roles: { realm: [{ name: 'support' }] },
    users: [
      {
        username: PERSON.username,
        enabled: true,
        email: 'ada@shop.example',
        emailVerified: true,
        firstName: 'Ada',
        lastName: 'Example',
        credentials: [{ type: 'password', value: PERSON.password }],
        realmRoles: ['support'],
      },
    ],
  })
}

/** Creates the client of docs/console.md, with the mapper that docs/console.md describes. */
function createClient(call: Call, redirectUri: string): Promise<void> {
  return call('/staff/clients', {
    clientId: CLIENT.client_id,
    secret: CLIENT.client_secret,
    publicClient: false,
    standardFlowEnabled: true,
    redirectUris: [redirectUri],
    attributes: { 'pkce.code.challenge.method': 'S256' },
    protocolMappers: [
      {
        name: 'roles',
        protocol: 'openid-connect',
        protocolMapper: 'oidc-usermodel-realm-role-mapper',
        config: {
          'claim.name': 'roles',
          'jsonType.label': 'String',
          multivalued: 'true',
          'id.token.claim': 'true',
        },
      },
    ],
  })
}

async function logIn(page: Page): Promise<void> {
  await page.locator('#username').fill(PERSON.username)
  await page.locator('#password').fill(PERSON.password)
  await page.locator('#kc-login').click()
}

async function adminToken(origin: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN })
  const response = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body,
  })
  const { access_token } = (await response.json()) as { access_token?: string }
  if (access_token === undefined) throw new Error(`Keycloak refused its administrator: ${response.status}`)
  return access_token
}

async function post(url: string, token: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status !== 201) throw new Error(`Keycloak: ${response.status} ${await response.text()}`)
}

async function untilReady(url: string, exitCode: () => number | null): Promise<void> {
  const until = Date.now() + START_MS
  for (;;) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    if (exitCode() !== null) throw new Error(`Keycloak ended with ${exitCode()}`)
    if (Date.now() > until) throw new Error('Keycloak did not start in time')
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
