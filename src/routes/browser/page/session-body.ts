// The body of the session page: who asks for which claims, and the session's state. While the session is
// open, it also has the QR code and the data for the scripts. It shows no claim value and no reason: those
// are for the relying party.

import { html } from 'hono/html'
import type { AddedTransactionDataType } from '../../../openid4vp/transaction-data/transaction-data-types.ts'
import type { Branding } from '../../../relying-party/settings/branding.ts'
import type { PageView } from '../../../session/views/view.ts'
import type { Markup } from './document.ts'
import { mark } from './mark.ts'
import { claimLines, credentialLines } from './request-words.ts'
import type { ScriptData } from './script-data.ts'
import { fill, type PageState, type Texts } from './texts.ts'
import { summarizeTransactions } from './transactions.ts'

/** The content of a session page. */
export type SessionPage = {
  readonly view: PageView
  /** The relying party's name. */
  readonly name: string
  readonly branding: Branding | null
  /** Address of the QR code's picture; null when there is none. */
  readonly qr: string | null
  /**
   * Address of the sandbox's wallet. Null without a sandbox, empty when only a script can make the request.
   */
  readonly testWallet: string | null
  /** Types of transaction data that the relying party added. */
  readonly transactionTypes: readonly AddedTransactionDataType[]
  /** Path of the session's API. */
  readonly api: string
  /** Unix milliseconds. */
  readonly now: number
}

/** Returns the page's title and body. `live`: the session can still change, and the scripts follow it. */
export function sessionBody(
  page: SessionPage,
  texts: Texts,
): { readonly title: string; readonly body: Markup; readonly live: boolean } {
  const { view } = page
  // U+2068 and U+2069 keep a name of another writing direction from reordering the words around it.
  const name = `\u2068${page.name}\u2069`
  const state = stateOf(view)
  const live = view.status === 'pending'
  const { title, text } = statesOf(page, texts, name)[state]
  const body = html`<main data-state="${state}" data-page="${live ? JSON.stringify(scriptData(page, texts, name)) : '{}'}">
${view.livemode ? '' : html`<p class="test">${texts.testMode}</p>`}
<div class="ask">
${emblem(page)}
<h1 id="asks">${fill(live ? texts.asks : texts.asked, { name })}</h1>
<ul>${claimLines(view.requested_claims, texts).map((claim) => html`<li><bdi>${claim}</bdi></li>`)}</ul>
${view.purpose === null ? '' : html`<p class="why"><bdi>${fill(texts.why, { purpose: view.purpose })}</bdi></p>`}
${credentialLines(view.requested_claims, texts).map((line) => html`<p class="soft">${line}</p>`)}
${transactionParts(page, texts)}
${live ? html`<p id="consent" class="soft">${texts.consent}</p>` : ''}
</div>
<div class="status">
${mark()}
<div role="status">
<h2 id="title" tabindex="-1">${title}</h2>
<p id="text">${text}</p>
</div>
${live ? steps(texts) : ''}
${view.return_url === null ? '' : wayBack(view.return_url, { name, hidden: live }, texts)}
</div>
${live ? liveParts(page, texts) : ''}
</main>`
  return { title, body, live }
}

/** Shows the relying party's logo, or the first letter of its name on its colour. */
function emblem({ name, branding }: SessionPage): Markup {
  if (branding?.logo) return html`<img class="logo" src="${branding.logo}" alt="">`
  const [letter = ''] = name
  return html`<p class="tile" aria-hidden="true">${letter.toLocaleUpperCase()}</p>`
}

/** Hidden from screen readers: the status says the same. */
function steps({ steps: { open, confirm, done } }: Texts): Markup {
  return html`<ol class="steps" aria-hidden="true"><li>${open}</li><li>${confirm}</li><li>${done}</li></ol>`
}

/** The link back after every outcome. It has no code, so following it proves nothing (CONTRACT 5). */
function wayBack(
  address: string,
  { name, hidden }: { readonly name: string; readonly hidden: boolean },
  texts: Texts,
): Markup {
  const words = fill(texts.back, { name })
  return html`<a id="back" class="button" href="${address}" target="_top"${hidden ? html` hidden` : ''}>${words}</a>`
}

function transactionParts({ view, transactionTypes }: SessionPage, texts: Texts): Markup | '' {
  if (view.transactions.length === 0) return ''
  const summaries = summarizeTransactions(view.transactions, transactionTypes, texts)
  return html`<p class="confirms">${texts.confirms}</p>
${summaries.map(
  ({ title, details }) => html`<p class="confirm"><bdi>${title}</bdi></p>
<dl>${details.map(({ label, value }) => html`<dt><bdi>${label}</bdi></dt><dd><bdi>${value}</bdi></dd>`)}</dl>`,
)}`
}

/** The ways to a wallet, best first: the browser's API, the link on a phone, the QR code. */
function liveParts(page: SessionPage, texts: Texts): Markup {
  const hasQr = offersQr(page)
  return html`<div id="live">
<button id="dc-api" type="button" hidden>${texts.openBrowserWallet}</button>
<button id="link" type="button"${hasQr ? html` class="beside-qr"` : ''} hidden>${texts.openWallet}</button>
<p id="link-note" class="soft" role="status"></p>
<a id="link-now" hidden>${texts.openNow}</a>
${hasQr ? html`<p class="or">${texts.orScan}</p>` : ''}
<div class="scan">${picture(page, texts)}</div>
${hasQr ? html`<p class="soft">${texts.camera}</p>` : ''}
${testWalletLink(page, texts)}
<p id="time" class="soft" role="timer" hidden></p>
<p id="lost" role="alert" hidden>${texts.connectionLost}</p>
<noscript><p>${texts.withoutScript}</p><p><a href="">${texts.reload}</a></p></noscript>
</div>`
}

/** Has the QR code's request; the script (assets/page/link.js) creates one for this browser alone. */
function testWalletLink({ testWallet }: SessionPage, { testWallet: words }: Texts): Markup | '' {
  if (testWallet === null) return ''
  const address = testWallet === '' ? html` hidden` : html` href="${testWallet}"`
  return html`<p><a id="test-wallet"${address} target="_blank" rel="noopener">${words}</a></p>`
}

function picture({ qr }: SessionPage, { qrAlt }: Texts): Markup {
  return qr === null
    ? html`<img id="qr" alt="${qrAlt}" hidden>`
    : html`<img id="qr" alt="${qrAlt}" width="288" height="288" src="${qr}">`
}

/** Treats every pending stage but the first and the last as `scanned`, so that a new stage needs no text. */
function stateOf({ status, stage }: PageView): PageState {
  if (status !== 'pending') return status
  if (stage === 'awaiting_return') return 'returning'
  return stage === 'created' ? 'waiting' : 'scanned'
}

/** CONTRACT 5: a session that requires binding offers no QR code, nor does a protocol without redirects. */
function offersQr({ view }: SessionPage): boolean {
  return view.offers_redirect && view.required_session_binding === 'none'
}

function statesOf(page: SessionPage, texts: Texts, name: string): ScriptData['states'] {
  const states = offersQr(page) ? texts.states : { ...texts.states, ...texts.linkStates }
  const filled = Object.entries(states).map(([state, { title, text }]) => [
    state,
    { title: fill(title, { name }), text: fill(text, { name }) },
  ])
  return Object.fromEntries(filled) as ScriptData['states'] // the names are those of `texts.states`
}

function scriptData(page: SessionPage, texts: Texts, name: string): ScriptData {
  const { view, api, now } = page
  return {
    api,
    version: view.version,
    expires_in: Math.max(0, view.expires_at - now),
    asked: fill(texts.asked, { name }),
    time_left: texts.timeLeft,
    link_opened: texts.linkOpened,
    link_failed: texts.linkFailed,
    link_elsewhere: texts.linkElsewhere,
    dc_api_closed: texts.browserWalletClosed,
    dc_api_sent: texts.browserWalletSent,
    states: statesOf(page, texts, name),
    on_phone: offersQr(page) ? texts.onPhone : null,
  }
}
