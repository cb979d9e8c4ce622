// api/logins: a person who declines on the page of a login goes back to its client, with access_denied.

import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { poll, type Setting, setUp } from '../../session/driver.ts'
import { call } from '../edge/edge-app.ts'
import {
  app,
  type Begun,
  begin,
  newClient,
  openPage,
  sendForm,
  type TestClient,
  withCookiesOf,
} from './login-world.ts'

const ORIGIN = 'https://verifier.example'

let setting: Setting
let client: TestClient

beforeAll(async () => {
  setting = await setUp({ name: 'Wine club' })
  client = await newClient(setting)
})

type Headers = Readonly<Record<string, string>>

function decline({ id, token, cookies }: Begun, headers: Headers = {}): Promise<Response> {
  const own = { Origin: ORIGIN, 'Sec-Fetch-Site': 'same-origin', Cookie: cookies }
  return call(app, 'POST', `/s/${id}/decline?token=${token}`, { headers: { ...own, ...headers } })
}

function open(path: string, cookies: string): Promise<Response> {
  return call(app, 'GET', path.replace(ORIGIN, ''), { headers: { Cookie: cookies } })
}

const refreshOf = (response: Response) => response.headers.get('Refresh')?.replace('0; url=', '') ?? ''

const DENIED = { error: 'access_denied', error_description: 'declined_on_page', state: 's' }

describe('before the first POST of its page, a login that the person declines', () => {
  it('sends access_denied to its client, and stores nothing', async () => {
    const opened = await openPage(client)
    const before = (await listDurableObjectIds(env.VERIFICATION_SESSION)).length
    const html = await (await open(`/s/${opened.id}?token=${opened.token}`, opened.cookies)).text()
    expect(html).toContain(`action="/s/${opened.id}/decline?token=${opened.token}"`)
    const response = await decline(opened)
    expect(response.status).toBe(200) // Chromium blocks a redirect of a form to another site
    const next = new URL(refreshOf(response))
    expect(Object.fromEntries(next.searchParams)).toEqual({ ...DENIED, iss: client.issuer })
    expect((await listDurableObjectIds(env.VERIFICATION_SESSION)).length).toBe(before)
    expect((await call(app, 'GET', `/v1/verify/${opened.id}`, { headers: setting.headers })).status).toBe(404)
  })

  it('can no longer be continued or declined in another tab of this browser', async () => {
    const opened = await openPage(client)
    const response = await decline(opened)
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-wv_login_[^=]+=; Max-Age=0;/)
    const left = { ...opened, cookies: cookie.split(';')[0] ?? '' }
    expect((await sendForm(left)).status).toBe(404)
    expect((await decline(left)).status).toBe(404)
  })

  it('sends a page with a form to post if its client requested response_mode=form_post', async () => {
    const response = await decline(await openPage(client, { response_mode: 'form_post' }))
    const html = await response.text()
    expect(html).toContain('name="error" value="access_denied"')
    expect(html).toContain('name="error_description" value="declined_on_page"')
  })

  it.each([
    ['another browser', { Cookie: '' }],
    ['a page of another site', { Origin: 'https://evil.example' }],
    ['a page of the same site', { 'Sec-Fetch-Site': 'same-site' }],
  ])('is not ended by %s', async (_, headers) => {
    const opened = await openPage(client)
    const response = await decline(opened, headers)
    expect([response.status, response.headers.get('Refresh')]).toEqual([404, null])
    expect((await sendForm(opened)).status).toBe(303)
  })

  it('is not ended by a link', async () => {
    const opened = await openPage(client)
    expect((await open(`/s/${opened.id}/decline?token=${opened.token}`, opened.cookies)).status).toBe(405)
    expect((await sendForm(opened)).status).toBe(303)
  })
})

describe('after the first POST of its page, a login that the person declines', () => {
  it('gets the status declined, and its client gets access_denied', async () => {
    const begun = await begin(client)
    const response = await decline(begun)
    expect(response.status).toBe(303)
    const ended = { status: 'declined', reason: { code: 'declined_on_page' } }
    expect(await poll(setting, begun.id)).toMatchObject(ended)
    const page = await open(response.headers.get('Location') ?? '', begun.cookies)
    const end = await open(refreshOf(page), withCookiesOf(begun.cookies, page))
    const answer = Object.fromEntries(new URL(end.headers.get('Location') ?? '').searchParams)
    expect(answer).toEqual({ ...DENIED, iss: client.issuer })
  })

  it('is ended only by the browser that began it', async () => {
    const begun = await begin(client)
    expect((await decline({ ...begun, cookies: '' })).status).toBe(404)
    expect((await poll(setting, begun.id)).status).toBe('pending')
  })
})
