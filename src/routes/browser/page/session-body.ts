// The body of the session page: by whom what is asked, how the session stands, and while it is open its QR and what the script
// needs. It shows no claim value and no reason: those are the relying party's.

import { html } from 'hono/html'
import type { AddedTransactionDataType } from '../../../openid4vp/transaction-data/transaction-data-types.ts'
import type { Branding } from '../../../relying-party/settings/branding.ts'
import type { PageView } from '../../../session/views/view.ts'
import { askedClaims, askedTypes } from './asked.ts'
import type { Markup } from './document.ts'
import { mark } from './mark.ts'
import { fill, PAGE_STATES, type PageState, type StateText, type Texts } from './texts.ts'
import { transactionsInWords } from './transactions.ts'

/** What a page is written from. */
export type Shown = {
  readonly page: PageView
  /** The relying party's. */
  readonly name: string
  readonly branding: Branding | null
  /** Address of the picture; null where there is none to show. */
  readonly qr: string | null
  /** Address of the sandbox's wallet, where there is one for this session; empty: for a request of this browser's own alone. */
  readonly testWallet: string | null
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
${emblem(shown)}
<h1 id="asks">${fill(live ? texts.asks : texts.asked, { name })}</h1>
<ul>${askedClaims(page.asked, texts).map((claim) => html`<li><bdi>${claim}</bdi></li>`)}</ul>
${page.purpose === null ? '' : html`<p class="why"><bdi>${fill(texts.why, { purpose: page.purpose })}</bdi></p>`}
${askedTypes(page.asked, texts).map((line) => html`<p class="soft">${line}</p>`)}
${transactionParts(shown, texts)}
${live ? html`<p id="consent" class="soft">${texts.consent}</p>` : ''}
</div>
<div class="status">
${mark()}
<div role="status">
<h2 id="title" tabindex="-1">${title}</h2>
<p id="text">${text}</p>
</div>
${live ? steps(texts) : ''}
${page.return_url === null ? '' : wayBack(page.return_url, { name, hidden: live }, texts)}
</div>
${live ? liveParts(shown, texts) : ''}
</main>`
  return { title, body, live }
}

/** What people know the relying party by: its logo, or the first letter of its name on its colour. */
function emblem({ name, branding }: Shown): Markup {
  if (branding?.logo) return html`<img class="logo" src="${branding.logo}" alt="">`
  const [letter = ''] = name
  return html`<p class="tile" aria-hidden="true">${letter.toLocaleUpperCase()}</p>`
}

/** In pictures what the status says in words. */
function steps({ steps: { open, confirm, done } }: Texts): Markup {
  return html`<ol class="steps" aria-hidden="true"><li>${open}</li><li>${confirm}</li><li>${done}</li></ol>`
}

/** Once it is over, whatever came of it; without a code, so it proves nothing (CONTRACT 5). */
function wayBack(
  address: string,
  { name, hidden }: { readonly name: string; readonly hidden: boolean },
  texts: Texts,
): Markup {
  const words = fill(texts.back, { name })
  return html`<a id="back" class="button" href="${address}" target="_top"${hidden ? html` hidden` : ''}>${words}</a>`
}

function transactionParts({ page, transactionTypes }: Shown, texts: Texts): Markup | '' {
  if (page.transactions.length === 0) return ''
  const shown = transactionsInWords(page.transactions, transactionTypes, texts)
  return html`<p class="confirms">${texts.confirms}</p>
${shown.map(
  ({ title, details }) => html`<p class="confirm"><bdi>${title}</bdi></p>
<dl>${details.map(({ label, value }) => html`<dt><bdi>${label}</bdi></dt><dd><bdi>${value}</bdi></dd>`)}</dl>`,
)}`
}

/** The ways to a wallet, best first: the browser's own, the link on a phone, the QR for another device. */
function liveParts(shown: Shown, texts: Texts): Markup {
  const beside = offersQr(shown)
  return html`<div id="live">
<button id="dc-api" type="button" hidden>${texts.openBrowserWallet}</button>
<button id="link" type="button"${beside ? html` class="beside-qr"` : ''} hidden>${texts.openWallet}</button>
<p id="link-note" class="soft" role="status"></p>
<a id="link-now" hidden>${texts.openNow}</a>
${beside ? html`<p class="or">${texts.orScan}</p>` : ''}
<div class="scan">${picture(shown, texts)}</div>
${beside ? html`<p class="soft">${texts.camera}</p>` : ''}
${testWalletLink(shown, texts)}
<p id="time" class="soft" role="timer" hidden></p>
<p id="lost" role="alert" hidden>${texts.connectionLost}</p>
<noscript><p>${texts.withoutScript}</p><p><a href="">${texts.reload}</a></p></noscript>
</div>`
}

/** Without a script it answers the QR's request; with one, a request of this browser's own (link-script.ts). */
function testWalletLink({ testWallet }: Shown, { testWallet: words }: Texts): Markup | '' {
  if (testWallet === null) return ''
  const place = testWallet === '' ? html` hidden` : html` href="${testWallet}"`
  return html`<p><a id="test-wallet"${place} target="_blank" rel="noopener">${words}</a></p>`
}

function picture({ qr }: Shown, { qrAlt }: Texts): Markup {
  return qr === null
    ? html`<img id="qr" alt="${qrAlt}" hidden>`
    : html`<img id="qr" alt="${qrAlt}" width="288" height="288" src="${qr}">`
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
  const worded = PAGE_STATES.map((state) => [state, describeIssue(states[state], name)])
  return Object.fromEntries(worded) as Record<PageState, StateText> // `PAGE_STATES` names them all
}

function describeIssue({ title, text }: StateText, name: string): StateText {
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
    link_elsewhere: texts.linkElsewhere,
    dc_api_closed: texts.browserWalletClosed,
    dc_api_sent: texts.browserWalletSent,
    states: statesOf(shown, texts, name),
    on_phone: offersQr(shown) ? texts.onPhone : null,
  })
}
