// Browsers with the Digital Credentials API, as fakes: the protocols that each reports, and the requests of
// one call that it passes to wallets. Each mode is one fact from public sources about browsers of 2026.

import type { Page } from 'playwright-core'

/** An entry of `requests`, and the credential that the wallet returns. */
type Entry = { readonly protocol: string; readonly data: unknown }
/** Answers the requests that the browser passes on; null: no wallet answers. */
export type PickedWallet = (requests: readonly Entry[]) => Promise<object | null>

type Mode = {
  readonly allows: readonly string[]
  /** Requests of one call that reach wallets. */
  readonly passes: (requests: readonly Entry[]) => readonly Entry[]
}

const OPENID4VP = ['openid4vp-v1-unsigned', 'openid4vp-v1-signed', 'openid4vp-v1-multisigned']
const ISO = 'org-iso-mdoc'
const allowedOnly = (allows: readonly string[]): Mode => ({
  allows,
  passes: (requests) => requests.filter(({ protocol }) => allows.includes(protocol)),
})

export const BROWSER_MODES = {
  /** W3C Digital Credentials: a browser allows all four. */
  'all four': allowedOnly([...OPENID4VP, ISO]),
  /** Safari 26. */
  'Annex C alone': allowedOnly([ISO]),
  /** WebKit #71473: where a set contains both, mdocs have precedence. */
  'mdoc takes precedence': {
    allows: [...OPENID4VP, ISO],
    passes: (requests) => {
      const documents = requests.filter(({ protocol }) => protocol === ISO)
      return documents.length > 0 ? documents : requests
    },
  },
  'OpenID4VP alone': allowedOnly(OPENID4VP),
  none: allowedOnly([]),
} as const satisfies Readonly<Record<string, Mode>>
export type BrowserMode = keyof typeof BROWSER_MODES

/** Gives the page a browser of this mode. Returns the protocols of each call. */
export async function pretendBrowser(
  page: Page,
  name: BrowserMode,
  wallet: PickedWallet,
): Promise<readonly (readonly string[])[]> {
  const mode: Mode = BROWSER_MODES[name]
  const calls: string[][] = []
  await page.exposeFunction('askWallet', async (requests: readonly Entry[]) => {
    calls.push(requests.map(({ protocol }) => protocol))
    const passed = mode.passes(requests)
    return passed.length === 0 ? null : wallet(passed)
  })
  await page.addInitScript(install, mode.allows)
  return calls
}

/** Runs in the page. */
function install(allows: readonly string[]) {
  const browser = globalThis as unknown as { askWallet: (requests: object[]) => Promise<object | null> }
  const DigitalCredential = { userAgentAllowsProtocol: (protocol: string) => allows.includes(protocol) }
  Object.defineProperty(globalThis, 'DigitalCredential', { value: DigitalCredential })
  const get = (options: { digital: { requests: object[] } }) => browser.askWallet(options.digital.requests)
  Object.defineProperty(navigator, 'credentials', { value: { get } })
}
