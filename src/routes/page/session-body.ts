// The body of the session page: by whom what is asked, how the session stands, and while it is open its QR and what the script
// needs. It shows no claim value and no reason: those are the relying party's.

import { html } from 'hono/html'
import type { AddedTransactionDataType } from '../../openid4vp/transaction-data-types.ts'
import type { PageView } from '../../session/view.ts'
import { askedClaims, askedTypes } from './asked.ts'
import type { Markup } from './document.ts'
import { fill, PAGE_STATES, type PageState, type StateText, type Texts } from './texts.ts'
import { transactionsInWords } from './transactions.ts'

/** What a page is written from. */
export type Shown = {
  readonly page: PageView
  /** The relying party's. */
  readonly name: string
  /** Address of the picture; null where there is none to show. */
  readonly qr: string | null
  /** Types of transaction data that the relying party added. */
  readonly transactionTypes: readonly AddedTransactionDataType[]
  /** Path of the session's API. */
  readonly api: string
  /** Unix milliseconds. */
  readonly now: number
}

/** The page's title and body. `live`: the session can still change, and the script follows it. */
export function sessionBody(
  shown: Shown,
  texts: Texts,
): { readonly title: string; readonly body: Markup; readonly live: boolean } {
  const { page } = shown
  // U+2068 and U+2069 keep a name of another writing direction from reordering the words around it.
  const name = `\u2068${shown.name}\u2069`
  const state = stateOf(page)
  const live = page.status === 'pending'
  const { title, text } = statesOf(shown, texts, name)[state]
  const body = html`<main data-state="${state}" data-page="${live ? scriptData(shown, texts, name) : '{}'}">
${page.livemode ? '' : html`<p class="test">${texts.testMode}</p>`}
<div class="ask">
<h1 id="asks">${fill(live ? texts.asks : texts.asked, { name })}</h1>
<ul>${askedClaims(page.asked, texts).map((claim) => html`<li><bdi>${claim}</bdi></li>`)}</ul>
${askedTypes(page.asked, texts).map((line) => html`<p class="soft">${line}</p>`)}
${transactionParts(shown, texts)}
</div>
<div role="status">
<p class="mark" aria-hidden="true"></p>
<h2 id="title">${title}</h2>
<p id="text">${text}</p>
</div>
${live ? liveParts(shown, texts) : ''}
</main>`
  return { title, body, live }
}

function transactionParts({ page, transactionTypes }: Shown, texts: Texts): Markup | '' {
  if (page.transactions.length === 0) return ''
  const shown = transactionsInWords(page.transactions, transactionTypes, texts)
  return html`<p>${texts.confirms}</p>
${shown.map(
  ({ title, details }) => html`<p class="confirm"><bdi>${title}</bdi></p>
<dl>${details.map(({ label, value }) => html`<dt><bdi>${label}</bdi></dt><dd><bdi>${value}</bdi></dd>`)}</dl>`,
)}`
}

function liveParts(shown: Shown, texts: Texts): Markup {
  const { qr } = shown
  return html`<div id="live">
${
  qr === null
    ? html`<img id="qr" alt="${texts.qrAlt}" hidden>`
    : html`<img id="qr" alt="${texts.qrAlt}" width="280" height="280" src="${qr}">`
}
<p class="soft">${texts.consent}</p>
<button id="dc-api" type="button" hidden>${texts.openBrowserWallet}</button>
<button id="link" type="button"${offersQr(shown) ? html` class="beside-qr"` : ''} hidden>${texts.openWallet}</button>
<p id="link-note" class="soft" role="status"></p>
<p id="time" class="soft" role="timer" hidden></p>
<p id="lost" role="alert" hidden>${texts.connectionLost}</p>
<noscript><p class="soft">${texts.withoutScript}</p></noscript>
</div>`
}

/** A stage that this page has no words for yet is past the scan. */
function stateOf({ status, stage }: PageView): PageState {
  if (status !== 'pending') return status
  if (stage === 'awaiting_return') return 'returning'
  return stage === 'created' ? 'waiting' : 'scanned'
}

/** CONTRACT 5: where binding is required, there is a link and no QR. */
function offersQr({ page }: Shown): boolean {
  return page.required_session_binding === 'none'
}

function statesOf(shown: Shown, texts: Texts, name: string): Readonly<Record<PageState, StateText>> {
  const states = offersQr(shown) ? texts.states : { ...texts.states, ...texts.linkStates }
  const worded = PAGE_STATES.map((state) => [state, inWords(states[state], name)])
  return Object.fromEntries(worded) as Record<PageState, StateText> // `PAGE_STATES` names them all
}

function inWords({ title, text }: StateText, name: string): StateText {
  return { title: fill(title, { name }), text: fill(text, { name }) }
}

/** What the script is told, as JSON. */
function scriptData(shown: Shown, texts: Texts, name: string): string {
  const { page, api, now } = shown
  return JSON.stringify({
    api,
    version: page.version,
    expires_in: Math.max(0, page.expires_at - now),
    asked: fill(texts.asked, { name }),
    time_left: texts.timeLeft,
    link_opened: texts.linkOpened,
    link_failed: texts.linkFailed,
    dc_api_closed: texts.browserWalletClosed,
    dc_api_sent: texts.browserWalletSent,
    states: statesOf(shown, texts, name),
  })
}
