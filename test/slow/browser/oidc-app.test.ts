// The app of examples/oidc-app in a browser, with the service on https: the wallet is a foreign wallet, which
// refuses http.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/service/paths.mjs'
import {
  type BrowserStage,
  DEVICES,
  describeInBrowser,
  useOwnBrowserStage,
} from '../../support/browser/browser-stage.ts'
import { namesClient, pressLink, scanLogin } from '../../support/browser/login-page.ts'
import { checkPage } from '../../support/browser/page-check.ts'
import { PID, presentationOf, queryFor } from '../../support/people/person.ts'
import type { ReceivedRequest } from '../../support/people/wallet.ts'
import { startFront } from '../../support/service/front.ts'
import { freePort } from '../../support/service/server.ts'

/** Starts before the service, which needs its port. */
const front = await startFront('localhost', () => started.stage?.service.server.origin ?? '')
const started: { stage?: BrowserStage } = {}
const appPort = await freePort()
const EXAMPLE = join(ROOT, 'examples', 'oidc-app')
const APP = `http://localhost:${appPort}`

describeInBrowser('the example app with openid-client', () => {
  const stage = useOwnBrowserStage({ env: { BASE_URL: `https://localhost:${front.port}` }, front })
  started.stage = stage
  useApp(stage)

  it('logs a person in on one device, and shows the names and the age check of the person', async () => {
    const { page } = await stage.visitor(DEVICES.phone)
    await logIn(page)
    const responded = await present(await stage.service.wallet.receive(await pressLink(page)))
    const back = await page.context().newPage()
    await back.goto(((await responded.json()) as { redirect_uri: string }).redirect_uri)
    await back.waitForURL(`${APP}/`)
    await back.getByText('Welcome, Erika Mustermann. You are over 18.').waitFor()
    expect(await rowsOf(back)).toMatchObject({
      given_name: 'Erika',
      family_name: 'Mustermann',
      age_over_18: 'true',
      session_binding: 'relying_party',
    })
    await checkPage(back, 'oidc-app-phone')
    await back.getByRole('button', { name: 'Log out' }).click()
    await back.getByRole('button', { name: 'Log in with your wallet' }).waitFor()
  })

  it('logs a person in without a click, if the wallet is on another device', async () => {
    const { page } = await stage.visitor()
    await logIn(page)
    expect((await present(await stage.service.wallet.receive(await scanLogin(page)))).status).toBe(200)
    await page.waitForURL(`${APP}/`)
    expect(await rowsOf(page)).toMatchObject({ age_over_18: 'true', session_binding: 'none' })
  })

  it('shows an error if the person declines', async () => {
    const { page } = await stage.visitor()
    await logIn(page)
    await stage.service.wallet.decline(
      await stage.service.wallet.receive(await scanLogin(page)),
      'access_denied',
    )
    await page.getByText('You are not logged in: access_denied (access_denied).').waitFor()
    await checkPage(page, 'oidc-app-desktop')
    await page.goto(APP)
    await page.getByRole('button', { name: 'Log in with your wallet' }).waitFor()
  })

  async function logIn(page: Page): Promise<void> {
    await page.goto(APP)
    await page.getByRole('button', { name: 'Log in with your wallet' }).click()
    await namesClient(page, 'Wine club', `localhost:${appPort}`)
  }

  async function present(request: ReceivedRequest): Promise<Response> {
    const telling = { claims: { age_equal_or_over: { 18: true } } }
    const presentation = await presentationOf(stage.person, PID, request, telling)
    return stage.service.wallet.present(request, { [queryFor(request, PID)]: [presentation] })
  }
})

/** Registers and starts the app, as its README says. */
function useApp(stage: BrowserStage): void {
  const open: { app?: ChildProcess; folder?: string } = {}
  beforeAll(async () => {
    open.folder = await mkdtemp(join(tmpdir(), 'oidc-app-'))
    const certificate = join(open.folder, 'front.pem')
    await writeFile(certificate, stage.front.certificate)
    const env = {
      ...process.env,
      NODE_EXTRA_CA_CERTS: certificate,
      VERIFIER_URL: stage.service.server.baseUrl,
      VERIFIER_API_KEY: stage.rp.api_key,
      PORT: String(appPort),
      REGISTRATION: join(open.folder, 'registration.json'),
    }
    const run = (script: string) => {
      const child = spawn(process.execPath, [script], {
        cwd: EXAMPLE,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      child.stdout.setEncoding('utf8')
      return child
    }
    expect(await once(run('register.js'), 'close')).toEqual([0, null])
    const app = run('app.js')
    open.app = app
    // Its first line says that it is open.
    await Promise.race([
      once(app.stdout, 'data'),
      once(app, 'close').then(() => Promise.reject(new Error('ended'))),
    ])
  })
  afterAll(async () => {
    open.app?.kill()
    if (open.folder) await rm(open.folder, { recursive: true, force: true })
  })
}

/** Returns the claims that the app shows. */
async function rowsOf(page: Page): Promise<Readonly<Record<string, string>>> {
  const rows = await page.locator('tr').all()
  const cells = await Promise.all(
    rows.map((row) => Promise.all(['th', 'td'].map((cell) => row.locator(cell).innerText()))),
  )
  return Object.fromEntries(cells)
}
