// `<wallet-verifier>` of the client in pages of a relying party, and both examples of embedding.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/service/paths.mjs'
import {
  type BrowserStage,
  describeInBrowser,
  useOwnBrowserStage,
  type Visitor,
} from '../../support/browser/browser-stage.ts'
import { checkPage, overflowOf, saveScreenshot } from '../../support/browser/page-check.ts'
import { scan } from '../../support/browser/scan.ts'
import { startFront } from '../../support/service/front.ts'
import { freePort } from '../../support/service/server.ts'
import { OVER_18 } from '../../support/service/service.ts'
import { relyingPartyOf, respondWithAge } from '../../support/service/stage.ts'

/** Starts before the service, which needs its port. */
const front = await startFront('localhost', () => started.stage?.service.server.origin ?? '')
const started: { stage?: BrowserStage } = {}
const SERVICE = `https://localhost:${front.port}`
const SHOP = 'https://shop.example'
const TILL = 'https://till.shop.example'
const ELEMENT = join(ROOT, 'packages', 'client', 'dist', 'element.js')

type Recorded = {
  /** Every message that the page received. `frame`: index of its frame outside of the element. */
  readonly messages: readonly { readonly frame: number; readonly origin: string; readonly data: unknown }[]
  /** `detail` of every `statuschange`. */
  readonly changes: readonly unknown[]
}

describeInBrowser('<wallet-verifier>', () => {
  const stage = useOwnBrowserStage({ env: { BASE_URL: SERVICE }, front })
  started.stage = stage

  /** Opens a page of the shop that records messages and changes. */
  async function openShop({ page, host }: Visitor, body: string): Promise<void> {
    const element = await readFile(ELEMENT, 'utf8')
    await host(
      `${SHOP}/`,
      `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>${body}</main><script type="module">
const recorded = { messages: [], changes: [] }
globalThis.recorded = recorded
addEventListener('message', ({ source, origin, data }) => {
  const frames = [...document.querySelectorAll('iframe')]
  const frame = frames.findIndex(({ contentWindow }) => contentWindow === source)
  recorded.messages.push({ frame, origin, data })
})
document.addEventListener('statuschange', ({ detail }) => recorded.changes.push(detail))
${element}
defineWalletVerifier()
</script></html>`,
    )
    await page.goto(SHOP)
  }

  const recordedOn = (page: Page) => page.evaluate('recorded') as Promise<Recorded>
  const changesOn = async (page: Page) => (await recordedOn(page)).changes
  const elementFor = (address: string) => `<wallet-verifier session-url="${address}"></wallet-verifier>`

  it('shows the page in its full height, and reports each status to the embedding page', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP] })
    const session = await rp.create()
    const { verification_id } = session
    const visitor = await stage.visitor()
    const { page } = visitor
    await openShop(visitor, elementFor(session.session_url))
    await expect.poll(() => changesOn(page)).toEqual([{ verification_id, status: 'pending' }])
    const inside = page.frameLocator('wallet-verifier iframe')
    const frame = page.locator('wallet-verifier iframe')
    const rest = async () =>
      (await frame.boundingBox())!.height - (await inside.locator('main').boundingBox())!.height
    for (const width of [420, 1000, 320]) {
      await page.setViewportSize({ width, height: 500 })
      await expect.poll(async () => Math.abs(await rest()) <= 1).toBe(true)
      expect((await inside.locator('#qr').boundingBox())!.width).toBeGreaterThan(200)
      expect(await overflowOf(page)).toBe(0)
      await saveScreenshot(page, `embedded-${width}`)
    }
    const { height } = (await frame.boundingBox())!
    await respondWithAge(stage, await stage.service.wallet.receive(session.wallet_request.uri))
    const last = { verification_id, status: 'verified' }
    await expect.poll(() => changesOn(page)).toEqual([{ verification_id, status: 'pending' }, last])
    await expect.poll(async () => (await frame.boundingBox())!.height).toBeLessThan(height)
    const { messages } = await recordedOn(page)
    for (const { origin, data } of messages) {
      expect(origin).toBe(SERVICE)
      expect(data).toEqual({
        type: 'wallet_verifier.state',
        verification_id,
        status: expect.stringMatching(/^(pending|verified)$/),
        height: expect.any(Number),
      })
    }
    await checkPage(page, 'embedded')
  })

  it('reports that the person declined on the page, which stays in its frame', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP], return_urls: [`${SHOP}/done`] })
    const { verification_id, session_url } = await rp.create({ ...OVER_18, return_url: `${SHOP}/done` })
    const visitor = await stage.visitor()
    await openShop(visitor, elementFor(session_url))
    const inside = visitor.page.frameLocator('wallet-verifier iframe')
    await inside.getByText('Do not share, back to').click()
    await inside.getByRole('button', { name: 'Yes, do not share' }).click()
    await inside.getByText('You shared nothing.').waitFor()
    await expect
      .poll(async () => (await changesOn(visitor.page)).at(-1))
      .toEqual({
        verification_id,
        status: 'declined',
      })
    expect(visitor.page.url()).toBe(`${SHOP}/`)
  })

  it('reports the outcome of a session that had ended before', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP] })
    const { verification_id, session_url } = await rp.create()
    await rp.call('POST', `/v1/verify/${verification_id}/cancel`)
    const visitor = await stage.visitor()
    await openShop(visitor, elementFor(session_url))
    await expect.poll(() => changesOn(visitor.page)).toEqual([{ verification_id, status: 'canceled' }])
  })

  it('reports the status gone after the person chose a wallet and the verification was erased', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP] })
    const { verification_id, session_url } = await rp.create()
    const visitor = await stage.visitor()
    const { page } = visitor
    await openShop(visitor, elementFor(session_url))
    const inside = page.frameLocator('wallet-verifier iframe')
    await inside.locator('#wallets > summary').click()
    await inside.locator('#wallets a').first().click()
    await inside.locator('main[data-embed] .chosen').waitFor()
    await rp.call('DELETE', `/v1/verify/${verification_id}`)
    await expect.poll(async () => (await changesOn(page)).at(-1)).toEqual({ verification_id, status: 'gone' })
  })

  it('opens the session page in a tab if the link is pressed; this page is not compact and reports no status', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP] })
    const { session_url } = await rp.create()
    const visitor = await stage.visitor({ hasTouch: true, isMobile: true })
    await openShop(visitor, elementFor(session_url))
    const opening = visitor.page.context().waitForEvent('page')
    await visitor.page.frameLocator('wallet-verifier iframe').locator('#link').click()
    const opened = await opening
    await opened.waitForURL(session_url)
    expect(await opened.locator('main.framed, main[data-embed]').count()).toBe(0)
  })

  it('the session page sends nothing to an allowed origin that is not the origin of the embedding page', async () => {
    const rp = await relyingPartyOf(stage, { origins: [SHOP, TILL] })
    const { verification_id, session_url } = await rp.create()
    const visitor = await stage.visitor()
    const frames = [TILL, SHOP].map((origin) => `<iframe src="${session_url}&embed=${origin}"></iframe>`)
    await openShop(visitor, frames.join(''))
    const mainOf = (index: number) =>
      visitor.page.locator('main > iframe').nth(index).contentFrame().locator('main')
    expect(await mainOf(0).getAttribute('data-embed')).toBe(TILL)
    expect(await mainOf(1).getAttribute('data-embed')).toBe(SHOP)
    await rp.call('POST', `/v1/verify/${verification_id}/cancel`)
    for (const index of [0, 1])
      await expect.poll(() => mainOf(index).getAttribute('data-state')).toBe('canceled')
    const senders = async () => (await recordedOn(visitor.page)).messages.map(({ frame }) => frame)
    await expect.poll(async () => (await senders()).length).toBeGreaterThan(1)
    expect(new Set(await senders())).toEqual(new Set([1]))
    // The browser reports each message to another origin, also after its page has changed.
    await visitor.page.context().close()
    for (const error of visitor.takeErrors()) expect(error).toContain('target origin')
  })

  it.each(['', '&embed=*', '&embed=https://evil.example', '&embed=null'])(
    'the embedding page gets no message from the session page if the URL of the iframe ends in %j',
    async (query) => {
      const rp = await relyingPartyOf(stage, { origins: [SHOP] })
      const session = await rp.create()
      const visitor = await stage.visitor()
      await openShop(visitor, `<iframe src="${session.session_url}${query}"></iframe>`)
      await respondWithAge(stage, await stage.service.wallet.receive(session.wallet_request.uri))
      await visitor.page.frameLocator('iframe').locator('main[data-state=verified]').waitFor()
      expect((await recordedOn(visitor.page)).messages).toEqual([])
    },
  )

  describe('rejects messages', () => {
    const id = 'v_1'
    const address = `${SERVICE}/s/${id}?token=t`
    const good = { type: 'wallet_verifier.state', verification_id: id, status: 'verified', height: 400 }
    const BAD: readonly unknown[] = [
      null,
      'verified',
      [good],
      { ...good, type: 'wallet_verifier.status' },
      { ...good, verification_id: 'v_2' },
      { ...good, verification_id: [id] },
      { ...good, status: 'success' },
      { ...good, status: ['verified'] },
      ...[undefined, '400', 0, -1, 0.5, 10_001, Number.POSITIVE_INFINITY].map((height) => ({
        ...good,
        height,
      })),
    ]
    const posting = (messages: string) =>
      `<!doctype html><script>for (const one of ${messages}) parent.postMessage(one, '*')</script>`
    const fulfil = ({ page }: Visitor, url: string, body: string) =>
      page.context().route(url, (route) => route.fulfill({ contentType: 'text/html', body }))
    const received = (page: Page, count: number) =>
      expect.poll(async () => (await recordedOn(page)).messages.length).toBe(count)

    it('that have an invalid form, and accepts a good message after them', async () => {
      const visitor = await stage.visitor()
      const last = { ...good, status: 'declined' }
      const shapes = JSON.stringify([...BAD, last]).replace('"height":null}', '"height":Infinity}')
      await fulfil(visitor, `${address}*`, posting(shapes))
      await openShop(visitor, elementFor(address))
      await received(visitor.page, BAD.length + 1)
      expect(await changesOn(visitor.page)).toEqual([{ verification_id: id, status: 'declined' }])
    })

    it('from the embedding page, and from another frame of the service', async () => {
      const visitor = await stage.visitor()
      await fulfil(visitor, `${address}*`, '<!doctype html>')
      await fulfil(visitor, `${SERVICE}/other`, posting(JSON.stringify([good])))
      await openShop(visitor, `${elementFor(address)}<iframe src="${SERVICE}/other"></iframe>`)
      await visitor.page.evaluate(`postMessage(${JSON.stringify(good)}, '${SHOP}')`)
      await received(visitor.page, 2)
      expect(await changesOn(visitor.page)).toEqual([])
    })

    it('from another origin in its own frame', async () => {
      const visitor = await stage.visitor()
      const elsewhere = 'https://evil.example/'
      await visitor.host(elsewhere, posting(JSON.stringify([good])))
      await fulfil(visitor, `${address}*`, `<!doctype html><script>location = '${elsewhere}'</script>`)
      await openShop(visitor, elementFor(address))
      await received(visitor.page, 1)
      expect(await changesOn(visitor.page)).toEqual([])
    })
  })

  it.each([['javascript:alert(1)//s/v_1'], ['https://shop.example/v_1'], ['/s/v_1']])(
    'shows nothing for the address %s',
    async (address) => {
      const visitor = await stage.visitor()
      await openShop(visitor, elementFor(address))
      expect(await visitor.page.locator('wallet-verifier iframe').count()).toBe(0)
      const errors: string[] = []
      await expect
        .poll(async () => {
          errors.push(...visitor.takeErrors())
          return errors
        })
        .toEqual(['threw: session-url must be the `session_url` of a created verification'])
    },
  )

  it.each(['embedding-html', 'embedding-react'])('works in examples/%s', async (name) => {
    const shop = await startExample(stage, name)
    const { page } = await stage.visitor()
    await page.goto(shop)
    await page.getByRole('button', { name: 'Buy wine' }).click()
    const inside = page.frameLocator('wallet-verifier iframe')
    await inside.locator('#qr').waitFor()
    await checkPage(page, name)
    await respondWithAge(stage, await stage.service.wallet.receive(await scan(page, inside)))
    await page.getByText('You are over 18. The wine is yours.').waitFor()
  })
})

const programs: ChildProcess[] = []
const folder = { path: '' }
beforeAll(async () => {
  folder.path = await mkdtemp(join(tmpdir(), 'embedding-'))
})
afterAll(async () => {
  for (const program of programs) program.kill()
  await rm(folder.path, { recursive: true, force: true })
})

/** Starts the server of an example, for a relying party that allows its page. Returns its address. */
async function startExample(stage: BrowserStage, name: string): Promise<string> {
  const port = await freePort()
  const shop = `http://localhost:${port}`
  const { api_key } = await relyingPartyOf(stage, { origins: [shop] })
  const certificate = join(folder.path, 'front.pem')
  await writeFile(certificate, stage.front.certificate)
  const program = spawn(process.execPath, ['server.js', await pageOf(name)], {
    cwd: join(ROOT, 'examples', 'embedding-html'),
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: certificate,
      VERIFIER_URL: stage.service.server.baseUrl,
      VERIFIER_API_KEY: api_key,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  programs.push(program)
  await Promise.race([
    once(program.stdout, 'data'), // its first line says that it is open
    once(program, 'close').then(() => Promise.reject(new Error('ended'))),
  ])
  return shop
}

/** Returns the folder of an example's page. That of React is built, as `npm start` builds it. */
async function pageOf(name: string): Promise<string> {
  const example = join(ROOT, 'examples', name)
  if (name === 'embedding-html') return join(example, 'public')
  const page = join(folder.path, name)
  await cp(join(example, 'public'), page, { recursive: true })
  await build({
    entryPoints: [join(example, 'app.jsx')],
    outfile: join(page, 'app.js'),
    bundle: true,
    minify: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: { '@wallet-verifier/client/element': ELEMENT },
  })
  return page
}
