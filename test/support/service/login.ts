// A login by OpenID Connect over HTTP: a relying party with clients, and a person's browser with its cookies.

import { BASE_URL, expectStatus, type RelyingParty, type Service } from './service.ts'

/** A client as its registration returned it. */
export type RegisteredClient = {
  readonly client_id: string
  readonly client_secret?: string
  readonly issuer: string
  readonly warnings: readonly { readonly pointer: string; readonly code: string }[]
  readonly [member: string]: unknown
}

export const CALLBACK = 'https://client.example/callback'

export const ADULT = { name: 'adult', credential_types: ['age_attestation'], scope: ['age_over_18'] }

/** Registers a client with one policy: over 18. */
export async function registerClient(rp: RelyingParty, members: object = {}): Promise<RegisteredClient> {
  const body = { name: 'Wine shop', redirect_uris: [CALLBACK], policies: [ADULT], ...members }
  const response = await rp.call('POST', '/v1/oidc_clients', { body })
  return (await expectStatus(response, 201)) as RegisteredClient
}

/** A browser, with cookies of the service. It follows no redirect by itself. */
export type LoginBrowser = ReturnType<typeof openLoginBrowser>

export function openLoginBrowser({ fetch }: Pick<Service, 'fetch'>) {
  const cookies = new Map<string, string>()
  const visit = async (address: string, init: RequestInit = {}) => {
    const headers = { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const response = await fetch(address, { ...init, headers: { ...headers, ...init.headers } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
  const post = (path: string, body: unknown, token?: string) =>
    visit(path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Origin: BASE_URL,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
  return {
    cookies,
    visit,
    post,
    /** Opens an authorization request, and returns the session whose page it leads to. */
    begin: async (address: string): Promise<BegunLogin> => begunAt(await visit(address)),
    /** Sends the form of the page, which creates the session. */
    start: async (begun: BegunLogin): Promise<BegunLogin> => {
      const response = await visit(begun.page, { method: 'POST', headers: { Origin: BASE_URL } })
      await response.body?.cancel()
      if (response.status !== 303) throw new Error(`HTTP ${response.status}`)
      return begun
    },
    /** Presses the button for a wallet on this device. */
    link: async ({ verification_id, token }: BegunLogin): Promise<string> => {
      const response = await post(`/v1/verify/${verification_id}/link`, {}, token)
      return ((await expectStatus(response, 200)) as { uri: string }).uri
    },
    /** Comes back from the wallet. Returns the address that the page continues at. */
    comeBack: async (redirectUri: string): Promise<string> => {
      const address = new URL(redirectUri)
      const response_code = new URLSearchParams(address.hash.slice(1)).get('response_code')
      const response = await post(address.pathname.replace(/return$/, 'response_code'), { response_code })
      return ((await expectStatus(response, 200)) as { return_url: string }).return_url
    },
    /** Opens the end of a login, and returns the address of the client that it leads to. */
    finish: async (address: string): Promise<URL> => {
      const response = await visit(address)
      const location = response.headers.get('Location')
      if (response.status !== 303 || location === null) throw new Error(`HTTP ${response.status}`)
      return new URL(location)
    },
  }
}

/** A login in the browser that began it. */
export type BegunLogin = {
  readonly verification_id: string
  readonly token: string
  readonly page: string
  readonly finish: string
}

/** Returns the session of a redirect to its page. */
export async function begunAt(response: Response): Promise<BegunLogin> {
  const location = response.headers.get('Location') ?? ''
  const found = /^(.*)\/s\/(v_[\w-]+)\?token=(.+)$/.exec(location)
  if (response.status !== 303 || found === null) {
    throw new Error(`no login: HTTP ${response.status} ${location} ${await response.text()}`)
  }
  const [, , verification_id = '', token = ''] = found
  const [, rp = ''] = /\/oidc\/(rp_[\w-]+)\//.exec(response.url) ?? []
  return { verification_id, token, page: location, finish: `/oidc/${rp}/finish/${verification_id}` }
}
