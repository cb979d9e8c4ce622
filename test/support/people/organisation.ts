// The OpenID Provider of an organisation as a server on loopback, for stories in a browser: one of the tests'
// own, or Keycloak, if KEYCLOAK_HOME names its distribution.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { startKeycloak } from './keycloak.ts'
import { CLIENT, createOpenIdProvider, type OpenIdProvider } from './openid-provider.ts'

export type Organisation = {
  /** Members of `console_sign_in` without the roles. */
  readonly setting: {
    readonly issuer: string
    readonly client_id: string
    readonly client_secret: string
    readonly roles_claim: string
  }
  /** Name of the account of the story. It has the role `support`. */
  readonly person: string
  /** Accepts the redirect URI of a relying party. */
  readonly register: (redirectUri: string) => Promise<void>
  /** Signs in as the person on the pages of the provider. */
  readonly signIn: (page: Page) => Promise<void>
  /** The provider of the tests; null: a foreign one. */
  readonly own: OpenIdProvider | null
  readonly stop: () => Promise<void>
}

/** Starts of the organisations by name. */
export const ORGANISATIONS: Readonly<Record<string, () => Promise<Organisation>>> = {
  'a provider of the tests': startOwn,
  ...(process.env.KEYCLOAK_HOME && { Keycloak: () => startKeycloak(process.env.KEYCLOAK_HOME ?? '') }),
}

/** Starts a provider of the tests. */
export async function startOwn(): Promise<Organisation & { readonly own: OpenIdProvider }> {
  const served: { provider?: OpenIdProvider } = {}
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const { method = 'GET', url = '/', headers } = incoming
    const init = { method, headers: headers as Record<string, string>, ...(body.length > 0 && { body }) }
    const request = new Request(`${origin}${url}`, init)
    const response = (await served.provider?.handle(request)) ?? new Response(null, { status: 404 })
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  server.unref()
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const provider = await createOpenIdProvider(`${origin}/realms/staff`)
  served.provider = provider
  return {
    setting: { issuer: provider.issuer, ...CLIENT, roles_claim: 'roles' },
    person: 'ada',
    register: async () => undefined,
    signIn: async () => undefined, // it redirects at once
    own: provider,
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
