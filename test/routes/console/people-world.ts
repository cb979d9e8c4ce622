// A person, their provider and the console, for the tests of the sign-in of people.

import { env } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import type { Env } from '../../../src/env.ts'
import { createApp } from '../../../src/routes/app.ts'
import { CLIENT, createOpenIdProvider, type OpenIdProvider } from '../../support/people/openid-provider.ts'
import { call, createRelyingParty } from '../edge/edge-app.ts'

export const app = createApp()
/** Each browser has an address of its own, so failed sign-ins of one test do not count in another. */
const WORLD: Env = { ...env, CLIENT_IP_HEADER: 'x-client-ip' }
export const OWN = { Origin: 'https://verifier.example' }
export const ROLES = {
  support: ['verify:read'],
  admin: ['verify:read', 'verify:create', 'webhooks:manage', 'settings:manage', 'claims:encrypt'],
}

export type Party = {
  readonly rp: { readonly relying_party_id: string; readonly api_key: string }
  readonly provider: OpenIdProvider
}

/** A browser: its cookies by name, and the token of its page. */
export type Browser = { readonly address: string; readonly cookies: Map<string, string>; changeToken: string }

let browsers = 0

export function newBrowser(): Browser {
  browsers += 1
  // Other files use up the limits of 192.0.2.0/24. Files of one process share them.
  return { address: `198.51.100.${browsers}`, cookies: new Map(), changeToken: '' }
}

let issuers = 0

/** Creates a relying party with a provider of its own. Caches go by issuer, so each has another one. */
export async function newParty(setting: object = {}): Promise<Party> {
  issuers += 1
  const provider = await createOpenIdProvider(`https://login.shop.example.com/realms/r${issuers}`)
  const console_sign_in = { issuer: provider.issuer, ...CLIENT, roles: ROLES, ...setting }
  return { rp: await createRelyingParty({ console_sign_in }), provider }
}

/** Lets the service reach these providers, and nothing else. */
export function serve(...providers: readonly OpenIdProvider[]) {
  return vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit)
    for (const provider of providers) {
      const response = await provider.handle(request)
      if (response !== undefined) return response
    }
    throw new TypeError(`nothing answers at ${request.url}`)
  })
}

/** Sends a request of the page of the console, and keeps the cookies of the response. */
export async function send(
  browser: Browser,
  method: string,
  path: string,
  body?: object,
  world: Env = WORLD,
): Promise<Response> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = {
    ...OWN,
    Cookie: cookie,
    'Console-Token': browser.changeToken,
    'X-Client-Ip': browser.address,
  }
  const response = await call(app, method, path, { headers, ...(body && { body }), env: world })
  for (const set of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (value === '') browser.cookies.delete(name)
    else browser.cookies.set(name, value)
  }
  return response
}

/** Starts a sign-in. Returns the address of the provider. */
export async function start(browser: Browser, { rp }: Party, fresh = false): Promise<string> {
  const body = { relying_party_id: rp.relying_party_id, ...(fresh && { fresh }) }
  const response = await send(browser, 'POST', '/console/people', body)
  expect(response.status).toBe(201)
  return ((await response.json()) as { authorization_url: string }).authorization_url
}

/** Sends what the provider's redirect had, as the page at the redirect URI does. */
export async function finish(browser: Browser, redirect: string): Promise<Response> {
  const { pathname, searchParams } = new URL(redirect)
  const relying_party_id = pathname.slice('/console/people/'.length)
  const response = await send(browser, 'POST', '/console/session', {
    person: { relying_party_id, ...Object.fromEntries(searchParams) },
  })
  if (response.status === 201)
    browser.changeToken = ((await response.clone().json()) as { change_token: string }).change_token
  return response
}

/** Signs in from the first page to the last. */
export async function signInPerson(party: Party, browser = newBrowser(), fresh = false): Promise<Browser> {
  const response = await finish(browser, party.provider.authorize(await start(browser, party, fresh)))
  expect(response.status).toBe(201)
  return browser
}

/** Signs in with a key. */
export async function signInWithKey(token: string, browser = newBrowser()): Promise<Browser> {
  const response = await send(browser, 'POST', '/console/session', { token })
  browser.changeToken = ((await response.json()) as { change_token: string }).change_token
  return browser
}

export const api = (browser: Browser, method: string, path: string, body?: object, world?: Env) =>
  send(browser, method, `/console/api${path}`, body, world)
