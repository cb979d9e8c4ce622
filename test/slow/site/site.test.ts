// The documentation as a site: its pages, its links, and what a reader's browser shows and loads.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import OAUTH_ERRORS from '../../../assets/oauth-errors.json' with { type: 'json' }
import { zipOf } from '../../../scripts/release/site.mjs'
import { findChromium } from '../../../scripts/service/chromium.mjs'
import { buildSite } from '../../../scripts/site/build.mjs'
import { checkSite } from '../../../scripts/site/check.mjs'
import { PROBLEMS } from '../../../src/routes/edge/problems.ts'
import { REASONS } from '../../../src/session/document/reasons.ts'
import { WALLET_PROFILES } from '../../../src/wallets/profiles/index.ts'
import { saveScreenshot } from '../../support/browser/page-check.ts'
import { emptyFolder } from '../release/archive.ts'
import { serveFolder } from './serve.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const CHROMIUM = findChromium()
/** One page of each kind, and those with the most parts. */
const PAGES = [
  ...[
    'index',
    'getting-started',
    'webhooks',
    'statuses-and-reasons',
    'conformance',
    'self-hosting',
    'console',
  ],
  ...[
    'reasons/nonce_mismatch',
    'errors/idempotency_conflict',
    'wallet-errors/invalid_request',
    'login-errors/login_required',
    'wallets/valera',
  ],
  ...[
    'reference/verifications',
    'reference/schemas',
    'reasons/index',
    'api/creation',
    'project/CHANGELOG',
    '404',
  ],
].map((path) => `${path}.html`)
const LONGEST = ['conformance', 'statuses-and-reasons', 'project/CHANGELOG', 'reference/schemas'].map(
  (path) => `${path}.html`,
)

/** Errors that a login ends with: those of its request, and those of its end. */
const LOGIN_ERRORS = [
  ...Object.values(OAUTH_ERRORS.request).map(({ error }) => error),
  ...['access_denied', 'temporarily_unavailable', 'server_error'],
]

const work = emptyFolder()
const out = join(work, 'site')
let built: { readonly pages: number }
let paths: readonly string[]
beforeAll(() => {
  built = buildSite(out)
  paths = readdirSync(out, { recursive: true, encoding: 'utf8' })
}, 600_000)
afterAll(() => rmSync(work, { recursive: true, force: true }))

describe('the site', () => {
  it('has a page for each page of docs/, each wallet, each reason, and each error code of the API and of logins', () => {
    const pages = [
      ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.md'))
        .map((path) => path.replace(/README\.md$/, 'index.md').replace(/\.md$/, '')),
      ...WALLET_PROFILES.map(({ id }) => `wallets/${id}`),
      ...Object.keys(REASONS).map((code) => `reasons/${code}`),
      ...Object.keys(PROBLEMS).map((code) => `errors/${code}`),
      ...LOGIN_ERRORS.map((code) => `login-errors/${code}`),
    ]
    expect(pages.filter((page) => !paths.includes(`${page}.html`))).toEqual([])
    expect(built.pages).toBeGreaterThan(pages.length)
  })

  it('has every operation of the API description', () => {
    const { paths: operations } = JSON.parse(readFileSync(join(out, 'openapi.json'), 'utf8'))
    const text = paths
      .filter((path) => path.startsWith('reference/') && path.endsWith('.html'))
      .map((path) => readFileSync(join(out, path), 'utf8'))
      .join()
    const missing = Object.entries<object>(operations).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`)
        .filter((operation) => !text.includes(`<code>${operation.replaceAll('&', '&amp;')}</code>`)),
    )
    expect(missing).toEqual([])
  })

  it.each([
    ['a page that does not exist', '<a href="/nothing.html">', '/nothing.html: does not exist'],
    ['a heading that does not exist', '<a href="./webhooks.html#nothing">', 'has no such heading'],
    ['a picture of another site', '<img src="https://a.example/b.png">', 'is loaded from elsewhere'],
  ])('is not built with a link to %s', (_, html, error) => {
    const path = join(out, 'index.html')
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace('</body>', `${html}</body>`))
    const { errors } = checkSite(out)
    writeFileSync(path, text)
    expect(errors).toEqual([expect.stringContaining(error)])
    expect(checkSite(out).errors).toEqual([])
  })

  it('is one archive with the same bytes on a machine in another time zone', () => {
    const zone = process.env.TZ
    const archives = ['Asia/Tokyo', 'America/New_York'].map((name) => {
      process.env.TZ = name
      return zipOf(out, 1_764_547_200)
    })
    process.env.TZ = zone
    expect(Buffer.compare(archives[0] ?? Buffer.of(), archives[1] ?? Buffer.of(1))).toBe(0)
  })
})

describe.skipIf(CHROMIUM === undefined)('the site in a browser', () => {
  let server: Awaited<ReturnType<typeof serveFolder>>
  let browser: Browser
  const requests: string[] = []
  beforeAll(async () => {
    server = await serveFolder(out)
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser.close()
    server.close()
    expect(requests.filter((url) => !url.startsWith(server.origin) && !url.startsWith('data:'))).toEqual([])
    expect(server.missing).toEqual([])
  })

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options)
    page.on('request', (request) => requests.push(request.url()))
    page.on('pageerror', (error) => requests.push(`error: ${error.message}`))
    await page.goto(`${server.origin}/${path}`)
    return page
  }

  /** Returns rules of axe with their first place. */
  async function findingsOf(page: Page): Promise<readonly object[]> {
    await page.evaluate(AXE)
    return page.evaluate<object[]>(
      "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, html: nodes[0].html })))",
    )
  }

  it.each([
    ['nonce mismatch', 'Nonce mismatch', '/reasons/nonce_mismatch.html'],
    ['idempotency_conflict', 'The Idempotency-Key was used', '/errors/idempotency_conflict.html'],
    ['Valera', 'Valera', '/wallets/valera.html'],
    ['Create a verification', 'Create a verification', '/reference/verifications.html#create-a-verification'],
  ])('finds %s by its search', async (words, heading, address) => {
    const page = await open('index.html')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill(words)
    const result = page.locator(`.result[href^="${address}"]`).first()
    await result.waitFor()
    expect(await findingsOf(page)).toEqual([])
    await result.click()
    await page.getByRole('heading', { name: heading }).first().waitFor()
    expect(page.url()).toContain(address)
    await page.close()
  })

  it('has a dark mode, which follows the system and can be switched', async () => {
    const page = await open('index.html', { colorScheme: 'dark' })
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const dark = await background()
    await page.getByRole('switch').first().click()
    await expect.poll(background).not.toBe(dark)
    await page.close()
  })

  // Dark mode changes colours only. The longest pages have no element of a kind of their own.
  it.each([
    ['light', 'desktop', 1280, PAGES],
    ['light', 'phone', 390, PAGES],
    ['dark', 'desktop', 1280, PAGES.filter((path) => !LONGEST.includes(path))],
  ] as const)('has no finding of axe in %s mode, on a %s', async (colorScheme, device, width, pages) => {
    const page = await open('index.html', { colorScheme, viewport: { width, height: 800 } })
    for (const path of pages) {
      await page.goto(`${server.origin}/${path}`)
      expect(await findingsOf(page), path).toEqual([])
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate<number>(overflow), path).toBe(0)
    }
    await saveScreenshot(page, `site-${device}-${colorScheme}`)
    await page.close()
  })

  it('shows its text without JavaScript', async () => {
    const page = await open('reasons/nonce_mismatch.html', { javaScriptEnabled: false })
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Nonce mismatch')
    await page.close()
  })
})
