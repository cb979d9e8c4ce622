// The stage of a browser test: that of a conformance test, and a Chromium with one context for each visitor.
// An error that a page logs or throws fails the test.

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service/chromium.mjs'
import { type Front, startFront } from '../service/front.ts'
import { type Stage, useStage } from '../service/stage.ts'

const CHROMIUM = findChromium()

/** `describe`, skipped without Chromium. */
export const describeInBrowser = describe.skipIf(CHROMIUM === undefined)

export const DEVICES = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} as const
export type Device = keyof typeof DEVICES

export type BrowserStage = Stage & {
  readonly front: Front
  /** Opens a new browser context, on a desktop by default. It is closed after the test. */
  readonly visitor: (options?: BrowserContextOptions) => Promise<Visitor>
}

export type Visitor = {
  readonly page: Page
  /** Returns and removes the page's errors so far, for tests that expect them. */
  readonly takeErrors: () => readonly string[]
  /** The wallet URIs that the page opened. */
  readonly walletUris: readonly string[]
  /** Serves a page of another https origin. */
  readonly host: (address: string, html: string) => Promise<void>
}

/** Of a stage whose browser reaches more than the service on https. */
type BrowserStageOptions = {
  /** Variables of the launcher. */
  readonly env?: Readonly<Record<string, string>>
  /** Stands at BASE_URL already. */
  readonly front?: Front
  /** Further hosts. */
  readonly sites?: () => Readonly<Record<string, Front>>
}

/** Sets up the stage for the file's tests. After each test no page may have unexpected errors. */
export function useBrowserStage({ env, sites, ...given }: BrowserStageOptions = {}): BrowserStage {
  const stage = useStage(env) as BrowserStage
  const open: { browser?: Browser; errors: string[] } = { errors: [] }
  beforeAll(async () => {
    const { hostname } = new URL(stage.service.server.baseUrl)
    const front = given.front ?? (await startFront(hostname, () => stage.service.server.origin))
    const places = { [hostname]: front, ...sites?.() }
    const rules = Object.entries(places).map(([host, { port }]) =>
      host === 'localhost' ? 'EXCLUDE localhost' : `MAP ${host} 127.0.0.1:${port}`,
    )
    const browser = await launchChromium([...rules, 'MAP * ~NOTFOUND'].join(', '))
    open.browser = browser
    Object.assign(stage, {
      front,
      visitor: (options: BrowserContextOptions = {}) => newVisitor(browser, options, open.errors),
    })
  })
  afterEach(async () => {
    await Promise.all(open.browser?.contexts().map((context) => context.close()) ?? [])
    expect(open.errors.splice(0)).toEqual([])
  })
  afterAll(async () => {
    await open.browser?.close()
    await stage.front?.close()
  })
  return stage
}

/**
 * Features of Chromium that no test uses. The first two start a renderer for the address bar of each context,
 * and take a third of all processor time. The others are those that Playwright disables: the last list wins.
 */
const WITHOUT_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** Starts Chromium, which can reach only the hosts that the rules map. */
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
      `--disable-features=${WITHOUT_FEATURES.join()}`,
      `--host-resolver-rules=${hostRules}`,
    ],
  })
}

async function newVisitor(
  browser: Browser,
  options: BrowserContextOptions,
  errors: string[],
): Promise<Visitor> {
  const context = await browser.newContext({
    ...DEVICES.desktop,
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
    ...options,
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => errors.push(`threw: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) errors.push(message.text())
  })
  const walletUris: string[] = []
  context.on('request', (request) => {
    if (!/^(https?|data|blob):/.test(request.url())) walletUris.push(request.url())
  })
  return {
    page,
    takeErrors: () => errors.splice(0),
    walletUris,
    host: async (address, body) => {
      // For the browser the service is on loopback: a page from elsewhere needs a permission to frame it.
      const { origin } = new URL(address)
      await context.grantPermissions(['local-network-access'], { origin })
      await context.route(address, (route) =>
        route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
      )
    },
  }
}

/**
 * Accepts the browser's messages about a lost network and unsuccessful responses: the page reports these
 * itself.
 */
function isExpected(message: string): boolean {
  return /^(Failed to load resource: (the server responded|net::ERR_)|WebSocket connection to .* failed)/.test(
    message,
  )
}
