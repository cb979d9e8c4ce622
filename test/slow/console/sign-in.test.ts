// Sign-in to the console and its end, and what a page of another site can do with it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import {
  type BrowserStage,
  describeInBrowser,
  useOwnBrowserStage,
} from '../../support/browser/browser-stage.ts'
import { keyWith, openPage, sendToken, signIn, WITH_CONSOLE } from '../../support/browser/console-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { startFront } from '../../support/service/front.ts'
import { type Server, startServer } from '../../support/service/server.ts'
import { expectStatus, type RelyingParty } from '../../support/service/service.ts'
import { relyingPartyOf } from '../../support/service/stage.ts'

/** Starts before the service, which needs its port. */
const front = await startFront('localhost', () => started.stage?.service.server.origin ?? '')
const started: { stage?: BrowserStage; local?: Server } = {}
const SERVICE = `https://localhost:${front.port}`
const HOURS_12 = 12 * 3600

describeInBrowser('the console', () => {
  const stage = useOwnBrowserStage({ env: { BASE_URL: SERVICE, ...WITH_CONSOLE }, front })
  started.stage = stage

  /** Opens the console of a relying party in a new browser. */
  const enter = async (rp: Pick<RelyingParty, 'api_key'>) => {
    const visitor = await stage.visitor()
    await signIn(visitor.page, SERVICE, rp.api_key)
    return visitor
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
  const countOf = async (rp: RelyingParty) => {
    const listed = (await expectStatus(await rp.call('GET', '/v1/verify'), 200)) as {
      verifications: unknown[]
    }
    return listed.verifications.length
  }
  const consoleCookies = async (context: BrowserContext) =>
    (await context.cookies(SERVICE)).filter(({ name }) => name.includes('console'))

  it('signs in and out with an API key, and no script can read the key', async () => {
    const { page } = await enter(stage.rp)
    await heading(page, 'Verifications').waitFor()
    const [cookie, ...others] = await consoleCookies(page.context())
    expect(others).toEqual([])
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' })
    expect(cookie?.name).toMatch(/^__Host-/)
    const left = Number(cookie?.expires) - Date.now() / 1000
    expect(left).toBeGreaterThan(HOURS_12 - 600)
    expect(left).toBeLessThanOrEqual(HOURS_12)
    expect(decodeURIComponent(String(cookie?.value))).not.toContain(stage.rp.api_key)
    const readable = await page.evaluate(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])',
    )
    expect(readable).not.toContain(stage.rp.api_key)
    expect(readable).not.toContain(String(cookie?.value))

    await page.reload()
    await heading(page, 'Verifications').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    await checkPage(page, 'console-signed-out')
    expect(await consoleCookies(page.context())).toEqual([])
    await page.goto(`${SERVICE}/console#/developers`)
    await page.reload()
    await heading(page, 'Sign in').waitFor()
  })

  it('accepts no copy of the cookie after a sign-out, because the server ends the sign-in', async () => {
    const { page } = await enter(stage.rp)
    const copies = await page.context().cookies(SERVICE)
    const token = await page.evaluate("sessionStorage.getItem('console-token')")
    const thief = await stage.visitor()
    await thief.page.context().addCookies(copies)
    await thief.page.goto(`${SERVICE}/console`)
    await heading(thief.page, 'Sign in').waitFor()
    const headers = { 'Console-Token': String(token) }
    const statuses = () =>
      thief.page.evaluate(`Promise.all(['/console/session', '/console/api/v1/verify'].map(
        async (path) => (await fetch(path, { headers: ${JSON.stringify(headers)} })).status,
      ))`)
    expect(await statuses()).toEqual([200, 200])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    expect(await page.evaluate("sessionStorage.getItem('console-token')")).toBeNull()
    expect(await statuses()).toEqual([401, 401])
    thief.takeErrors()
  })

  it('needs no sign-in in a new tab while another tab is open, and asks to sign in again after the last tab is closed', async () => {
    const { page } = await enter(stage.rp)
    const second = await page.context().newPage()
    await second.goto(`${SERVICE}/console#/insights`)
    await heading(second, 'Insights').waitFor()
    await page.close()
    await second.reload()
    await heading(second, 'Insights').waitFor()
    const third = await second.context().newPage()
    await second.close()
    await third.goto(`${SERVICE}/console`)
    await heading(third, 'Sign in').waitFor()
    expect(await third.getByRole('alert').count()).toBe(0)
    await sendToken(third, stage.rp.api_key)
    await heading(third, 'Verifications').waitFor()
  })

  it('needs no sign-in in a new tab even if a tab of an earlier sign-in responds first', async () => {
    const { page } = await stage.visitor()
    // A channel that is older than that of the console gets a message before it.
    await page.addInitScript(`
      globalThis.earlier = new BroadcastChannel('console-token')
      earlier.onmessage = ({ data }) => data === 'ask' && earlier.postMessage({ token: 'earlier' })
    `)
    await signIn(page, SERVICE, stage.rp.api_key)
    await heading(page, 'Verifications').waitFor()
    const second = await page.context().newPage()
    const sent: (string | undefined)[] = []
    second.on('request', (request) => {
      if (request.url().endsWith('/console/session')) sent.push(request.headers()['console-token'])
    })
    await second.goto(`${SERVICE}/console`)
    await heading(second, 'Verifications').waitFor()
    const token = await page.evaluate("sessionStorage.getItem('console-token')")
    expect(sent).toEqual(['', 'earlier', token])
  })

  it('shows no pages of a relying party after a sign-in with the operator’s token', async () => {
    const { page } = await stage.visitor()
    await signIn(page, SERVICE, stage.service.server.adminToken)
    await heading(page, 'Operator').waitFor()
    await page.goto(`${SERVICE}/console#/developers`)
    await page.reload()
    await heading(page, 'Operator').waitFor()
  })

  it('rejects an invalid key with a message', async () => {
    const { page } = await stage.visitor()
    await page.goto(`${SERVICE}/console`)
    await heading(page, 'Sign in').waitFor()
    await checkPage(page, 'console-sign-in')
    await sendToken(page, `${stage.rp.api_key}x`)
    await page.getByRole('alert').getByText('This key or token is not valid.').waitFor()
    await checkPage(page, 'console-sign-in-invalid')
    expect(await consoleCookies(page.context())).toEqual([])
    await sendToken(page, stage.rp.api_key)
    await heading(page, 'Verifications').waitFor()
  })

  it('opens only once with the link that `npm start` prints, and never sends the code of the link in a URL', async () => {
    const local = await startServer()
    started.local = local
    const printed = () => /^ +console +(http\S+#code=(\S+))$/m.exec(local.output())
    await expect.poll(printed).not.toBeNull()
    const [, link = '', code = ''] = printed() ?? []
    const own = `http://console.localhost:${new URL(local.baseUrl).port}`
    expect(link).toContain(`${own}/console#code=`)
    const { page } = await stage.visitor()
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await page.goto(link)
    await heading(page, 'Verifications').waitFor()
    expect(page.url()).not.toContain('code=')
    expect(addresses.join()).not.toContain(code)
    // Cookies ignore ports, so the name alone keeps the cookie from other servers of this machine.
    const [cookie] = await page.context().cookies(own)
    expect(cookie).toMatchObject({ name: 'wv_console', domain: 'console.localhost', sameSite: 'Strict' })
    expect(await page.context().cookies(local.baseUrl)).toEqual([])
    await page.goto(`${local.baseUrl}/console#/insights`)
    await heading(page, 'Insights').waitFor()
    expect(page.url()).toBe(`${own}/console#/insights`)
    await page.goto(`${own}/docs`)
    expect(page.url()).toBe(`${local.baseUrl}/docs`)

    // A receipt names BASE_URL, which is not the address of this page.
    const { api_key } = JSON.parse(readFileSync(join(local.stateDir, 'demo-relying-party.json'), 'utf8'))
    const send = async (path: string, body: object) => {
      const headers = { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(local.origin + path, init)).json()
    }
    const asked = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
    const { verification_id } = (await send('/v1/verify', asked)) as { verification_id: string }
    await send(`/v1/test/verify/${verification_id}/outcome`, { reason: 'verified' })
    await page.goto(`${own}/console#/verifications/${verification_id}`)
    await page.getByRole('button', { name: 'Fetch and check the receipt' }).click()
    await page.getByText('Valid: signed by this service').waitFor()

    const second = (await stage.visitor()).page
    await second.goto(link)
    await second.getByRole('alert').waitFor()
    await heading(second, 'Sign in').waitFor()
  })

  it('signs out when the key is revoked', async () => {
    const key = await keyWith(stage.rp, 'verify:read')
    const { page } = await enter(key)
    await heading(page, 'Verifications').waitFor()
    expect((await stage.rp.call('DELETE', `/v1/api_keys/${key.key_id}`)).status).toBe(204)
    await page.getByRole('alert').getByText('You are signed out').waitFor()
    await checkPage(page, 'console-session-ended')
    await heading(page, 'Sign in').waitFor()
    await page.reload()
    await heading(page, 'Sign in').waitFor()
  })

  it('asks to sign in again if another tab has signed in with another key, and shows no data of the other key', async () => {
    const [first, second] = [await relyingPartyOf(stage), await relyingPartyOf(stage)]
    const [own, foreign] = [await first.create(), await second.create()]
    const { page } = await enter(first)
    await page.getByRole('link').filter({ hasText: own.verification_id }).waitFor()
    const shown: string[] = []
    page.on('response', async (response) => shown.push(await response.text().catch(() => '')))
    const other = await page.context().newPage()
    // Without this the new tab would get the token of the first tab, and be signed in.
    await other.route('**/console/session', (route) => {
      const { 'console-token': _, ...headers } = route.request().headers()
      return route.continue({ headers })
    })
    await other.goto(`${SERVICE}/console`)
    await sendToken(other, second.api_key)
    await other.getByRole('link').filter({ hasText: foreign.verification_id }).waitFor()
    await page.getByRole('alert').getByText('Someone signed in again in another tab.').waitFor()
    await heading(page, 'Sign in').waitFor()
    expect(shown.join()).not.toContain(foreign.verification_id)
    await page.reload()
    await page.getByRole('link').filter({ hasText: foreign.verification_id }).waitFor()
  })

  it('stays signed in if the service refuses a delayed request of the previous sign-in', async () => {
    const rp = await relyingPartyOf(stage)
    const { verification_id } = await rp.create()
    const { page } = await enter(rp)
    await page.goto(`${SERVICE}/console#/verifications/${verification_id}`)
    await page.locator('.timeline').waitFor()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await new Promise<void>((holds) => {
      const hold = (route: Route) => {
        holds()
        return held.then(() => route.continue())
      }
      void page.route(/timeline$/, hold, { times: 1 })
    })
    await page.context().clearCookies()
    await page.getByRole('alert').getByText('You are signed out').waitFor()
    await sendToken(page, rp.api_key)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    const late = page.waitForResponse((response) => /timeline$/.test(response.url()) && !response.ok())
    release()
    await (await late).finished()
    await page.locator('.timeline').waitFor()
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(1)
  })

  it('offers no changes if the key may only read, and the API refuses changes with this key', async () => {
    const rp = await relyingPartyOf(stage)
    const { verification_id } = await rp.create()
    const { page } = await enter(await keyWith(rp, 'verify:read'))
    await page.goto(`${SERVICE}/console#/verifications/${verification_id}`)
    await page.getByText('Changes need an API key with the scope verify:create.').waitFor()
    await page.getByText('Changes need an API key with the scope webhooks:manage.').waitFor()
    await checkPage(page, 'console-verification-reading')
    for (const name of ['Cancel', 'Erase', 'Send again'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0)
    await openPage(page, 'Developers')
    await page.getByText('This key may not change settings').waitFor()
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
    const statuses = await page.evaluate(`(async () => {
      const headers = { 'Console-Token': sessionStorage.getItem('console-token') }
      const call = async (method, path) => (await fetch('/console/api' + path, { method, headers })).status
      return [
        await call('DELETE', '/v1/verify/${verification_id}'),
        await call('POST', '/v1/webhook/rotate_secret'),
        await call('GET', '/v1/verify/${verification_id}'),
      ]
    })()`)
    expect(statuses).toEqual([403, 403, 200])
  })

  it.each(['https://evil.example', 'https://localhost:9'])(
    'refuses every POST from a page of %s',
    async (other) => {
      const rp = await relyingPartyOf(stage)
      const visitor = await enter(rp)
      const { page } = visitor
      const target = `${SERVICE}/console/api/v1/verify`
      await visitor.host(
        `${other}/`,
        `<!doctype html><form method="post" action="${target}"><button>Go</button></form>`,
      )
      await page.goto(other)
      const answers: (readonly [string, number])[] = []
      page.on('response', (response) => {
        if (response.url().startsWith(SERVICE)) answers.push([response.request().method(), response.status()])
      })
      const sent = await page.evaluate(`(async () => {
      const body = JSON.stringify({ credential_types: ['age_attestation'], scope: ['age_over_18'] })
      const send = (path, init) =>
        fetch('${SERVICE}' + path, { method: 'POST', credentials: 'include', body, ...init }).then(
          ({ type }) => type,
          () => 'failed',
        )
      return [
        await send('/console/api/v1/verify', { mode: 'no-cors' }),
        await send('/console/session', { mode: 'no-cors' }),
        await send('/console/api/v1/verify', { headers: { 'Content-Type': 'application/json', 'Console-Token': 'x' } }),
        await send('/console/session', { method: 'DELETE', body: undefined }),
      ]
    })()`)
      expect(sent).toEqual(['opaque', 'opaque', 'failed', 'failed'])
      await page.getByRole('button', { name: 'Go' }).click()
      await page.waitForURL(target)
      const changes = () => answers.filter(([method]) => method !== 'OPTIONS')
      await expect.poll(changes).toEqual(Array(3).fill(['POST', 403]))
      visitor.takeErrors()
      await page.goto(`${SERVICE}/console`)
      await heading(page, 'Verifications').waitFor()
      expect(await countOf(rp)).toBe(0)
    },
  )

  it('has a cookie that gives no access to /v1', async () => {
    const { page } = await enter(stage.rp)
    const statuses = await page.evaluate(`(async () => {
      const headers = { 'Console-Token': sessionStorage.getItem('console-token') }
      return Promise.all(['/console/api/v1/verify', '/v1/verify', '/v1/relying_party', '/v1/events'].map(
        async (path) => (await fetch(path, { credentials: 'include', headers })).status,
      ))
    })()`)
    expect(statuses).toEqual([200, 401, 401, 401])
  })

  it('fetches nothing from other origins, on any page', async () => {
    const [{ page }, operator] = await Promise.all([stage.visitor(), stage.visitor()])
    const origins = new Set<string>()
    for (const one of [page, operator.page])
      one.context().on('request', (request) => origins.add(new URL(request.url()).origin))
    await signIn(page, SERVICE, stage.rp.api_key)
    for (const name of ['Insights', 'Developers', 'Verifications'] as const) await openPage(page, name)
    const texts = page.waitForResponse(/texts-de\.json/)
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
    await texts
    await page.getByRole('banner').getByRole('button').last().click()
    await page.getByRole('textbox').waitFor()
    await signIn(operator.page, SERVICE, stage.service.server.adminToken)
    await heading(operator.page, 'Operator').waitFor()
    expect([...origins]).toEqual([SERVICE])
  })

  it('shows script code in names and metadata as plain text', async () => {
    const script = '<img src=x onerror="globalThis.ran=1"><script>ran=1</script>'
    const rp = await relyingPartyOf(stage, { name: script })
    const { verification_id } = await rp.create({
      credential_types: ['age_attestation'],
      scope: ['age_over_18'],
      metadata: { '<b>order</b>': script },
    })
    const { page } = await enter(rp)
    await page.getByRole('banner').getByText(script).waitFor()
    await page.getByRole('link').filter({ hasText: verification_id }).getByText(script).waitFor()
    await page.goto(`${SERVICE}/console#/verifications/${verification_id}`)
    await page.getByText('Metadata: <b>order</b>').waitFor()
    await page.getByText(script).first().waitFor()
    const operator = (await stage.visitor()).page
    await signIn(operator, SERVICE, stage.service.server.adminToken)
    await operator.getByText(script).first().waitFor()
    for (const one of [page, operator]) {
      expect(await one.evaluate('globalThis.ran')).toBeUndefined()
      expect(await one.locator('main img, main script, main b, header img').count()).toBe(0)
    }
  })
})

afterAll(() => started.local?.stop())
