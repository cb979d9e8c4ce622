// Ways to a wallet: buttons, a link and the QR code, best first. Each way is one constant in this file. Some
// elements are hidden at first. A script in assets/page shows such an element if the browser supports the
// way.

import { html } from 'hono/html'
import type { PageView } from '../../../session/views/page-view.ts'
import type { ScriptName } from './assets.ts'
import type { Markup } from './document.ts'
import type { StateText } from './script-data.ts'
import { fill, type Texts } from './texts.ts'

/** Input for the ways to a wallet. */
export type WaysInput = {
  readonly view: PageView
  /** False for a login whose session does not exist yet. */
  readonly isBegun: boolean
  /** Address of the QR code's picture; null when there is none. */
  readonly qr: string | null
  /**
   * Address of the sandbox's wallet. Null: there is no sandbox, or the session is live. Empty: only a script
   * can make the request.
   */
  readonly testWallet: string | null
  /** True if an iPhone app can answer through the browser. */
  readonly answersOnIphone: boolean
  /** Name of the chosen wallet; null if no wallet is chosen. */
  readonly walletName: string | null
}

export type Way = {
  /** Id of the way's element. */
  readonly id: string
  /** Script of the way; null if the way needs no script of its own. */
  readonly script: ScriptName | null
  readonly isOffered: (input: WaysInput) => boolean
  /** Text of the state `waiting` if a person sees this way first. Null: this way is never first. */
  readonly opening: (texts: Texts, input: WaysInput) => StateText | null
  readonly markup: (texts: Texts, input: WaysInput) => Markup
}

const DC_API: Way = {
  id: 'dc-api',
  script: 'dc-api.js',
  isOffered: ({ view }) => view.offers_dc_api, // api/protocols: only some protocols support this API
  opening: ({ inBrowser }) => inBrowser,
  markup: ({ onThisDevice }) => html`<button id="dc-api" type="button" hidden>${onThisDevice}</button>`,
}

/**
 * Button for documents on this device. If one call has OpenID4VP and `org-iso-mdoc`, a browser may ask only
 * the wallets for `org-iso-mdoc`. So each of the two protocols has its own button and its own call.
 */
const DOCUMENT: Way = {
  id: 'dc-api-document',
  script: null,
  isOffered: ({ view }) => view.dc_api_protocols.length > 1,
  opening: () => null,
  markup: ({ onDocument }) =>
    html`<button id="dc-api-document" type="button" class="second" hidden>${onDocument}</button>`,
}

/**
 * Button for an iPhone nearby. A request to a phone nearby can have one protocol only, and an iPhone supports
 * only `org-iso-mdoc`.
 */
const IPHONE: Way = {
  id: 'dc-api-iphone',
  script: null,
  isOffered: ({ view, answersOnIphone }) => view.dc_api_protocols.length > 1 && answersOnIphone,
  opening: () => null,
  markup: ({ onIphone }) =>
    html`<button id="dc-api-iphone" type="button" class="second" hidden>${onIphone}</button>`,
}

const LINK: Way = {
  id: 'link',
  script: 'link.js',
  isOffered: ({ view }) => view.offers_redirect,
  opening: ({ onPhone, linkStates }, input) => (QR.isOffered(input) ? onPhone : linkStates.waiting),
  markup: ({ openWallet, wallets }, input) => {
    const { walletName: wallet } = input
    const words = wallet === null ? openWallet : fill(wallets.open, { wallet })
    return html`<button id="link" type="button"${QR.isOffered(input) ? html` class="beside-qr"` : ''} disabled>${words}</button>`
  },
}

/**
 * Link to the sandbox's wallet. Without a script, the link opens the request of the QR code. With a script,
 * link.js creates a request for this browser alone.
 */
const TEST_WALLET: Way = {
  id: 'test-wallet',
  script: null,
  isOffered: ({ testWallet, view, walletName }) =>
    testWallet !== null && view.offers_redirect && walletName === null,
  opening: () => null,
  markup: ({ testWallet: words }, { testWallet }) =>
    html`<a id="test-wallet"${testWallet ? html` href="${testWallet}"` : html` hidden`} class="button second" target="_blank" rel="noopener">${words}</a>`,
}

const QR: Way = {
  id: 'qr',
  script: null,
  // api/binding: a session that requires a binding offers no QR code. A protocol without redirects offers
  // none either.
  isOffered: ({ view }) => view.offers_redirect && view.required_session_binding === 'none',
  opening: ({ states, login }, { isBegun }) => (isBegun ? states.waiting : login.showCode),
  markup: ({ orScan, camera, qrAlt, login }, { qr, isBegun }) =>
    // The form creates the session, and the page of the new session has the QR code. On a phone, the fragment
    // `#others` makes the QR code visible.
    isBegun
      ? html`<p class="or">${orScan}</p>
<div class="scan">${
          qr === null
            ? html`<img id="qr" alt="${qrAlt}" hidden>`
            : html`<img id="qr" alt="${qrAlt}" width="288" height="288" src="${qr}">`
        }</div>
<p class="soft camera">${camera}</p>`
      : html`<p class="or">${orScan}</p>
<form method="post" action="#others"><button id="show-code" type="submit">${login.showCode.button}</button></form>`,
}

/**
 * Ways whose button is above the QR code. Only one way is visible at first: the QR code on a computer, a
 * button on a phone. The style sheet and dc-api.js hide all other ways until the person opens `#others`.
 */
const PRESSED: readonly Way[] = [DC_API, DOCUMENT, LINK, IPHONE]

const WAYS: readonly Way[] = [...PRESSED, QR, TEST_WALLET]

/** Returns the ways to a wallet that the page offers, best first. */
export function listWays(input: WaysInput): readonly Way[] {
  return WAYS.filter(({ isOffered }) => isOffered(input))
}

/**
 * Returns the buttons, the note about the last pressed button, and the QR code. The test wallet comes
 * last, because only developers use it.
 */
export function waysMarkup(texts: Texts, input: WaysInput): Markup {
  const [buttons, others] = [true, false].map((isPressed) =>
    listWays(input)
      .filter((way) => PRESSED.includes(way) === isPressed)
      .map((way) => way.markup(texts, input)),
  )
  return html`${buttons}
<p id="link-note" class="soft" role="status"></p>
<a id="link-now" hidden>${texts.openNow}</a>
${hasQr(input) ? html`<details id="others"><summary>${texts.otherWays}</summary></details>` : ''}
${others}`
}

/** Returns true if the page has a QR code, or a button that shows one. */
export function hasQr(input: WaysInput): boolean {
  return QR.isOffered(input)
}
