// A person's browser with a jar of its own, and what our page's script sends from it.

import { BASE_URL, type CreatedSession, expectStatus, type Service } from '../service/service.ts'

export type Browser = {
  /** Opens the link of the page: the URI that a wallet on the same device gets. */
  readonly link: (session: Pick<CreatedSession, 'verification_id' | 'client_token'>) => Promise<string>
  /** Comes back from the wallet, by the `redirect_uri` that the wallet was told. */
  readonly comeBack: (redirectUri: string) => Promise<Response>
}

export function openBrowser({ fetch }: Pick<Service, 'fetch'>): Browser {
  let cookie = ''
  const send = async (path: string, body: unknown, token?: string) => {
    const headers = {
      'Content-Type': 'application/json',
      Origin: BASE_URL,
      Cookie: cookie,
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
    comeBack: (redirectUri) => {
      const address = new URL(redirectUri)
      const response_code = new URLSearchParams(address.hash.slice(1)).get('response_code')
      return send(address.pathname.replace(/return$/, 'response_code'), { response_code })
    },
  }
}
