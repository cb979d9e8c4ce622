// Ways of a response to the service: by a QR code, by the link of one browser, and by the Digital Credentials
// API of the relying party's own page. Each step can be repeated after a crash.

import { BASE_URL } from '../../support/service/service.ts'
import { type Age, formPost, type LeanWallet, readRequestObject } from '../../support/wallets/lean-wallet.ts'
import type { Ask } from './load.ts'

export const WAYS = ['qr', 'link', 'dc_api'] as const
export type Way = (typeof WAYS)[number]

/** Origin of the relying party's own page. The settings have it. */
export const SHOP = 'https://shop.example'

/** A created session, and its callers. */
export type Visit = {
  readonly ask: Ask
  readonly wallet: LeanWallet
  readonly apiKey: string
  readonly session: {
    readonly verification_id: string
    readonly client_token: string
    readonly wallet_request: { readonly request_uri: string }
  }
}

/** Presents a credential. `pause` is the time that a person takes. Resolves when the end is acknowledged. */
export async function present(
  way: Way,
  age: Age,
  visit: Visit,
  pause: () => Promise<unknown>,
): Promise<void> {
  if (way === 'dc_api') return presentOnOwnPage(age, visit, pause)
  if (way === 'link') return presentByLink(age, visit, pause)
  const jws = expectStatus(200, await visit.ask(pathOf(visit.session.wallet_request.request_uri)))
  const answer = visit.wallet.answer(readRequestObject(jws), age)
  await pause()
  await post(visit, '/callback', formPost(answer))
}

/** The browser requests a link, the wallet responds, and the browser returns with the code. */
async function presentByLink(age: Age, visit: Visit, pause: () => Promise<unknown>): Promise<void> {
  const page = { authorization: `Bearer ${visit.session.client_token}`, origin: BASE_URL }
  const created = await visit.ask(`${below(visit)}/link`, { method: 'POST', headers: page })
  const cookie = created.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const uri = new URL((JSON.parse(expectStatus(200, created)) as { uri: string }).uri)
  const jws = expectStatus(200, await visit.ask(pathOf(uri.searchParams.get('request_uri') ?? '')))
  const answer = visit.wallet.answer(readRequestObject(jws), age)
  await pause()
  const { redirect_uri } = JSON.parse(await post(visit, '/callback', formPost(answer))) as {
    redirect_uri: string
  }
  if (age === 'minor') return // the session has ended
  const response_code = new URL(redirect_uri).hash.replace('#response_code=', '')
  await post(visit, '/response_code', jsonPost({ response_code }, { ...page, cookie }))
}

async function presentOnOwnPage(age: Age, visit: Visit, pause: () => Promise<unknown>): Promise<void> {
  const server = { authorization: `Bearer ${visit.apiKey}` }
  const created = await post(visit, '/dc-api/request', jsonPost({}, server))
  const { digital } = JSON.parse(created) as {
    digital: { requests: readonly { protocol: string; data: { request: string } }[] }
  }
  const signed = digital.requests.find(({ protocol }) => protocol === 'openid4vp-v1-signed')
  if (signed === undefined) throw new Error('there is no signed request')
  const request = { ...readRequestObject(signed.data.request), client_id: `origin:${SHOP}` }
  const vp_token = JSON.parse(visit.wallet.present(request, age).vp_token)
  await pause()
  await post(visit, '/dc-api', jsonPost({ protocol: signed.protocol, data: { vp_token } }, server))
}

async function post(visit: Visit, path: string, init: RequestInit): Promise<string> {
  return expectStatus(200, await visit.ask(below(visit) + path, init))
}

function jsonPost(body: object, headers: Readonly<Record<string, string>>): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

const below = ({ session }: Visit) => `/v1/verify/${session.verification_id}`
const pathOf = (uri: string) => new URL(uri).pathname

/** Returns the text of a response, and throws at another status. */
export function expectStatus(
  status: number,
  answer: { readonly status: number; readonly text: string },
): string {
  if (answer.status !== status) throw new Error(`HTTP ${answer.status} ${answer.text}`)
  return answer.text
}
