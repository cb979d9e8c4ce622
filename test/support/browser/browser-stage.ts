// The stage of a browser test: a conformance test's, and before its service a Chromium with a context of its own for each visitor.
// What a page must not do fails the test, whatever else the test looks at.

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service/chromium.mjs'
import { type Front, startFront } from '../service/front.ts'
import { BASE_URL } from '../service/service.ts'
import { type Stage, useStage } from '../service/stage.ts'

const CHROMIUM = findChromium()

/** `describe`, skipped where there is no Chromium. */
export const describeInBrowser = describe.skipIf(CHROMIUM === undefined)

export const DEVICES = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} as const
export type Device = keyof typeof DEVICES

export type BrowserStage = Stage & {
  readonly front: Front
  /** A person's browser with nothing in it, on a desktop unless told otherwise. Closed after the test. */
  readonly visitor: (options?: BrowserContextOptions) => Promise<Visitor>
}

export type Visitor = {
  readonly page: Page
  /** What the page must not have done, so far. Who takes them out has expected them. */
  readonly takeFaults: () => readonly string[]
  /** Where the page sent its person outside of https: the wallet's URIs. */
  readonly walletUris: readonly string[]
  /** Pages that stand elsewhere, by address: https origins other than the service's. */
  readonly host: (address: string, html: string) => Promise<void>
}

/** Sets the stage before the file's tests, and clears it. After each test no page may have broken its rules. */
export function useBrowserStage(env: Readonly<Record<string, string>> = {}): BrowserStage {
  const stage = useStage(env) as BrowserStage
  const open: { browser?: Browser; faults: string[] } = { faults: [] }
  beforeAll(async () => {
    const { hostname } = new URL(BASE_URL)
    const front = await startFront(hostname, stage.service.server.origin)
    const browser = await launchChromium(`MAP ${hostname} 127.0.0.1:${front.port}, MAP * ~NOTFOUND`)
    open.browser = browser
    Object.assign(stage, {
      front,
      visitor: (options: BrowserContextOptions = {}) => newVisitor(browser, options, open.faults),
    })
  })
  afterEach(async () => {
    await Promise.all(open.browser?.contexts().map((context) => context.close()) ?? [])
    expect(open.faults.splice(0)).toEqual([])
  })
  afterAll(async () => {
    await open.browser?.close()
    await stage.front?.close()
  })
  return stage
}

/** Starts Chromium; it reaches the hosts that the rules map, and no other. */
export function launchChromium(hostRules: string): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('no Chromium')
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=${hostRules}`,
    ],
  })
}

async function newVisitor(
  browser: Browser,
  options: BrowserContextOptions,
  faults: string[],
): Promise<Visitor> {
  const context = await browser.newContext({
    ...DEVICES.desktop,
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
    ...options,
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`threw: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) faults.push(message.text())
  })
  const walletUris: string[] = []
  context.on('request', (request) => {
    if (!/^(https|data|blob):/.test(request.url())) walletUris.push(request.url())
  })
  return {
    page,
    takeFaults: () => faults.splice(0),
    walletUris,
    host: async (address, body) => {
      // To the browser the service is on loopback, where a page from elsewhere needs a permission to frame it.
      const { origin } = new URL(address)
      await context.grantPermissions(['local-network-access'], { origin })
      await context.route(address, (route) =>
        route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
      )
    },
  }
}

/** What a browser says of a network that is cut, and of an answer that is no success: the page's to tell, and no fault of it. */
function isExpected(message: string): boolean {
  return /^(Failed to load resource: (the server responded|net::ERR_)|WebSocket connection to .* failed)/.test(
    message,
  )
}
