// The stage of a browser test: the stage of a conformance test, and a Chromium with one context for each
// visitor. Test files of one worker share its Chromium. An error that a page logs or throws fails the test.

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service/chromium.mjs'
import { type Front, startFront } from '../service/front.ts'
import { type OwnStage, type Stage, useOwnStage, useStage } from '../service/stage.ts'
import { WAIT } from '../wait.ts'

const CHROMIUM = findChromium()

/** `describe`, skipped without Chromium. */
export const describeInBrowser = describe.skipIf(CHROMIUM === undefined)

export const DEVICES = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} as const
export type Device = keyof typeof DEVICES

/** Chromium, and the TLS proxy through which it reaches the service. */
type Place = { readonly front: Front; readonly browser: Browser }

type Visits = {
  readonly front: Front
  /** Opens a new browser context, on a desktop by default. It is closed after the test. */
  readonly visitor: (options?: BrowserContextOptions) => Promise<Visitor>
}

export type BrowserStage = Stage & Visits

export type Visitor = {
  readonly page: Page
  /** Returns and removes the page's errors so far, for tests that expect them. */
  readonly takeErrors: () => readonly string[]
  /** The wallet URIs that the page opened. */
  readonly walletUris: readonly string[]
  /** Serves a page of another https origin. */
  readonly host: (address: string, html: string) => Promise<void>
}

/** Further hosts that the browser of the stage can reach on https, besides the service. */
type BrowserStageOptions = {
  /** Variables of the launcher. */
  readonly env?: Readonly<Record<string, string>>
  /** Stands at BASE_URL already. */
  readonly front?: Front
  /** Further hosts. */
  readonly sites?: () => Readonly<Record<string, Pick<Front, 'port'>>>
}

/**
 * Sets up the stage for the file's tests. After each test no page may have unexpected errors. The service is
 * shared (see `useStage`).
 */
export function useBrowserStage(options: BrowserStageOptions = {}): BrowserStage {
  return withBrowser(useStage(options.env), options)
}

/** Works like the function above, but with a service for this file only. */
export function useOwnBrowserStage(options: BrowserStageOptions = {}): OwnStage & Visits {
  return withBrowser(useOwnStage(options.env), options)
}

function withBrowser<S extends Stage>(stage: S, options: BrowserStageOptions): S & Visits {
  const errors: string[] = []
  const isUsual = options.front === undefined && options.sites === undefined
  const open: { place?: Place } = {}
  beforeAll(async () => {
    const { baseUrl, origin } = stage.service.server
    const { hostname } = new URL(baseUrl)
    const place = await (isUsual
      ? placeOfWorker(hostname, origin)
      : openPlace(hostname, () => origin, options))
    open.place = place
    Object.assign(stage, {
      front: place.front,
      visitor: (settings: BrowserContextOptions = {}) => newVisitor(place.browser, settings, errors),
    })
  })
  afterEach(async () => {
    await Promise.all(open.place?.browser.contexts().map((context) => context.close()) ?? [])
    expect(errors.splice(0)).toEqual([])
  })
  afterAll(async () => {
    if (isUsual) return
    await open.place?.browser.close()
    await open.place?.front.close()
  })
  return stage as S & Visits
}

/** The Chromium of this worker and the service that it reaches. A worker runs one file at a time. */
const worker: { place?: Promise<Place>; origin: string } = { origin: '' }

/** Returns the worker's Chromium, and leads it to the service at `origin`. It ends with the worker. */
function placeOfWorker(hostname: string, origin: string): Promise<Place> {
  worker.origin = origin
  worker.place ??= openPlace(hostname, () => worker.origin)
  return worker.place
}

async function openPlace(
  hostname: string,
  origin: () => string,
  { front: given, sites }: BrowserStageOptions = {},
): Promise<Place> {
  const front = given ?? (await startFront(hostname, origin))
  const rules = Object.entries({ [hostname]: front, ...sites?.() }).map(([host, { port }]) =>
    host === 'localhost' ? 'EXCLUDE localhost, EXCLUDE console.localhost' : `MAP ${host} 127.0.0.1:${port}`,
  )
  return { front, browser: await launchChromium([...rules, 'MAP * ~NOTFOUND'].join(', ')) }
}

/**
 * Features of Chromium that no test uses. The first two start a renderer for the address bar of each context,
 * and take a third of all processor time. Playwright disables the others, too: Chromium uses only the last
 * list.
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
      '--in-process-gpu',
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
    reducedMotion: 'reduce', // a test need not wait until a movement ends
    ...options,
  })
  context.setDefaultTimeout(WAIT.timeout)
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
