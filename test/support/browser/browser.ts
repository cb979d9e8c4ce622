// A person's browser with its own cookie, and the requests of our page's script.

import { BASE_URL, type CreatedSession, expectStatus, type Service } from '../service/service.ts'

export type Browser = {
  /** Creates a link on the page. Returns the URI for a wallet on the same device. */
  readonly link: (session: Pick<CreatedSession, 'verification_id' | 'client_token'>) => Promise<string>
  /** Headers of a request of our page's script: origin and cookie. */
  readonly headers: () => Readonly<Record<string, string>>
  /** Returns from the wallet through its `redirect_uri`. */
  readonly completeReturn: (redirectUri: string) => Promise<Response>
}

export function openBrowser({ fetch }: Pick<Service, 'fetch'>): Browser {
  let cookie = ''
  const own = () => ({ Origin: BASE_URL, Cookie: cookie })
  const send = async (path: string, body: unknown, token?: string) => {
    const headers = {
      'Content-Type': 'application/json',
      ...own(),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    }
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response
  }
  return {
    link: async ({ verification_id, client_token }) => {
      const response = await send(`/v1/verify/${verification_id}/link`, {}, client_token)
      return ((await expectStatus(response, 200)) as { uri: string }).uri
    },
    headers: own,
    completeReturn: (redirectUri) => {
      const address = new URL(redirectUri)
      const response_code = new URLSearchParams(address.hash.slice(1)).get('response_code')
      return send(address.pathname.replace(/return$/, 'response_code'), { response_code })
    },
  }
}
