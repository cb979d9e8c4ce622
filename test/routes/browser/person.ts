// A person's browser inside workerd, with its own cookies, and its way to a wallet and back (api/binding).

import { expect } from 'vitest'
import { createApp } from '../../../src/routes/app.ts'
import { call, json } from '../edge/edge-app.ts'

const app = createApp()

/** Headers of our page's requests. */
export const OWN_PAGE = { Origin: 'https://verifier.example', 'Sec-Fetch-Site': 'same-origin' }

/** Members of a created session. */
type Session = { readonly verification_id: string; readonly client_token?: string }

/** A browser: its cookies, and the headers that it adds to requests of our page's script. */
export function browser() {
  const jar = new Map<string, string>()
  const headers = (): Readonly<Record<string, string>> => {
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    return { ...OWN_PAGE, ...(cookies !== '' && { Cookie: cookies }) }
  }
  return {
    jar,
    headers,
    async send(path: string, options: { headers?: Record<string, string>; body?: unknown } = {}) {
      const all = { ...headers(), ...options.headers }
      const response = await call(app, 'POST', path, { headers: all, body: options.body })
      for (const cookie of response.headers.getSetCookie()) {
        const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=')
        jar.set(name, value)
      }
      return response
    },
  }
}

export type Browser = ReturnType<typeof browser>

/** Makes a link for a browser. Returns the `request_uri` in the link. */
export async function openLink(person: Browser, session: Session): Promise<string> {
  const headers = { Authorization: `Bearer ${session.client_token}` }
  const response = await person.send(`/v1/verify/${session.verification_id}/link`, { headers })
  expect(response.status).toBe(200)
  const link = await json(response)
  return new URL(link.uri).searchParams.get('request_uri') ?? ''
}

/** Brings the response code back to the service, as the script of the return page does. */
export function completeReturn(
  person: Browser,
  session: Session,
  responseCode: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = { response_code: responseCode }
  return person.send(`/v1/verify/${session.verification_id}/response_code`, { headers, body })
}

/** Returns the response code in the `redirect_uri` that a wallet got. */
export function responseCodeIn(redirectUri: string): string {
  return new URLSearchParams(new URL(redirectUri).hash.slice(1)).get('response_code') ?? ''
}
