// The body of the session page: who asks for which claims, and the session's state. While the session is
// open, the body also has the QR code and the data for the scripts. The page shows no claim value and no
// exact reason: only the relying party gets these. After a refused response, the page shows only the kind of
// the reason (refusal-family.ts).

import { html } from 'hono/html'
import type { AddedTransactionDataType } from '../../../openid4vp/transaction-data/transaction-data-types.ts'
import type { Branding } from '../../../relying-party/document/branding.ts'
import type { EndFamily } from '../../../session/document/refusal-family.ts'
import type { ReturnAddresses } from '../../../session/end/return-address.ts'
import { type AboutInput, aboutMarkup } from './about.ts'
import type { Markup } from './document.ts'
import { ownTextAttributes } from './language.ts'
import { type LeaveInput, leaveMarkup } from './leave.ts'
import { mark } from './mark.ts'
import { claimLines, credentialLines } from './request-words.ts'
import type { ScriptData, StateText } from './script-data.ts'
import { fill, isolate, type PageState, type Texts } from './texts.ts'
import { summarizeTransactions } from './transactions.ts'
import { chosenMarkup, noWalletMarkup, type WalletsInput, walletsMarkup } from './wallets.ts'
import { hasQr, listWays, type WaysInput, waysMarkup } from './ways.ts'

/** The content of a session page. */
export type SessionPage = WaysInput &
  WalletsInput &
  LeaveInput &
  AboutInput & {
    readonly branding: Branding | null
    /** Types of transaction data that the relying party added. */
    readonly transactionTypes: readonly AddedTransactionDataType[]
    /** Path of the session's API. */
    readonly api: string
    /**
     * Number of the last wallet activity before the person asked for a new code. The page shows later
     * activities only.
     */
    readonly seen: number
    /** Address of the page for people without a wallet; null if there is none. */
    readonly alternative: string | null
    /** Time of the call in Unix milliseconds. */
    readonly now: number
  }

/** Returns the page's title and body. `live`: the session is pending, so the page's scripts show changes. */
export function sessionBody(
  page: SessionPage,
  texts: Texts,
): { readonly title: string; readonly body: Markup; readonly live: boolean } {
  const { view } = page
  const name = isolate(page.name)
  const state = chooseState(page)
  const live = view.status === 'pending'
  const { title, text } = stateText(page, texts, { name, state })
  const names = [page.isFramed && 'framed', hasQr(page) && 'wide'].filter((name) => name !== false)
  const classes = names.length === 0 ? '' : html` class="${names.join(' ')}"`
  const embed = page.embedder && html` data-embed="${page.embedder}"`
  const body = html`<main${classes}${embed}${live ? html` data-live` : ''} data-state="${state}" data-page="${live ? JSON.stringify(scriptData(page, texts, name)) : '{}'}">
${view.livemode ? '' : html`<p class="test">${texts.testMode}</p>`}
<div class="ask">
${emblem(page)}
${heading(page, fill(asksWords(page, texts)[live ? 'asks' : 'asked'], { name }))}
${transactionParts(page, texts)}
<ul>${claimLines(view.requested_claims, texts).map((claim) => html`<li><bdi>${claim}</bdi></li>`)}</ul>
${purpose(page, texts)}
${credentialLines(view.requested_claims, texts).map((line) => html`<p class="soft">${line}</p>`)}
${live ? html`<p id="consent" class="soft">${texts.consent}</p>` : ''}
${live && view.login ? html`<p class="soft">${continueWords(view.login, texts)}</p>` : ''}
${aboutMarkup(texts, page)}
</div>
<div class="status">
${mark()}
<div role="status">
<h2 id="title" tabindex="-1">${title}</h2>
<p id="text">${text}</p>
</div>
${live ? newCodeLink(page, state, texts) : ''}
${live ? steps(texts) : ''}
${view.return_addresses === null ? '' : wayBack(page, backWords(page, texts, name))}
${live && goesBack(page) ? goBackParts(texts, name) : ''}
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

/**
 * Returns the heading. A heading that the relying party wrote is shown above the sentence that says who asks.
 * It never replaces this sentence.
 */
function heading({ view }: SessionPage, asks: string): Markup {
  if (view.heading === null) return html`<h1 id="asks">${asks}</h1>`
  const { lang, dir } = ownTextAttributes(view.locale)
  return html`<h1 class="own" lang="${lang}" dir="${dir}">${view.heading}</h1>
<p id="asks" class="soft">${asks}</p>`
}

function asksWords({ view }: SessionPage, texts: Texts): { readonly asks: string; readonly asked: string } {
  const { asksToConfirm: asks, askedToConfirm: asked } = texts
  return view.transactions.length === 0 ? texts : { asks, asked }
}

/**
 * Returns the sentence of this service that contains the purpose. The relying party wrote the purpose, so the
 * purpose has its own language and writing direction.
 */
function purpose({ view }: SessionPage, texts: Texts): Markup | '' {
  if (view.purpose === null) return ''
  const { lang, dir } = ownTextAttributes(view.locale)
  const [before = '', after = ''] = texts.why.split('{purpose}')
  return html`<p class="why">${before}<bdi lang="${lang}" dir="${dir}">${view.purpose}</bdi>${after}</p>`
}

/** Time after which the page offers a new code, if a wallet fetched the request and has not responded. */
const WAITING_FOR_WALLET_MS = 30_000

/**
 * Returns the link to a new code. The link is visible after a refused response, or if a wallet fetched the
 * request and has not responded in time. Without a script, the link opens the page again with a new code. The
 * link contains the number of the last activity: the new page shows only what happened after it.
 */
function newCodeLink(page: SessionPage, state: PageState, texts: Texts): Markup {
  const activity = describeActivity(page)
  const isLate = state === 'scanned' && activity !== null && activity.ago >= WAITING_FOR_WALLET_MS
  const words = hasQr(page) ? texts.newCode : texts.tryAgain
  const wallet = page.named === null ? '' : `&wallet=${encodeURIComponent(page.named)}`
  const address = `?token=${encodeURIComponent(page.token)}&seen=${activity?.number ?? 0}${wallet}`
  return state === 'refused' || isLate
    ? html`<a id="new-code" class="button" href="${address}">${words}</a>`
    : html`<a id="new-code" class="button" hidden>${words}</a>`
}

/** Returns the list of steps. It is hidden from screen readers, because the status has the same meaning. */
function steps({ steps: { open, confirm, done } }: Texts): Markup {
  return html`<ol class="steps" aria-hidden="true"><li>${open}</li><li>${confirm}</li><li>${done}</li></ol>`
}

/**
 * Returns the link back to the relying party. The link has no code, so the link proves nothing about the
 * person who opens it (api/binding). While the session is pending, the link is hidden. If its address depends
 * on the outcome, the page's script adds the address when the session ends.
 */
function wayBack(page: SessionPage, words: string): Markup {
  const isHidden = page.view.status === 'pending'
  const address = backAddress(page)
  const href = address === undefined ? '' : html` href="${address}"`
  return html`<a id="back" class="button"${href} target="_top"${isHidden ? html` hidden` : ''}>${words}</a>`
}

/**
 * Returns the elements for an automatic return to the relying party. When the session ends, the page's script
 * writes the text and shows the button.
 */
function goBackParts({ goBack }: Texts, name: string): Markup {
  return html`<p id="going" role="status" data-text="${fill(goBack.soon, { name })}"></p>
<button id="stay" type="button" class="second" hidden>${goBack.stay}</button>`
}

/**
 * Returns true if the page goes back by itself some seconds after the end. Returns false for a page in a
 * frame, which stays open, and for the page of a login, which goes back at once.
 */
export function goesBack({ view, isFramed }: SessionPage): boolean {
  return view.return_automatically && view.login === null && !isFramed
}

/**
 * Returns the address to which the person goes back; `undefined` if there is none, or if it depends on an end
 * that is not known yet. For a login, the address has the token of the login, which is valid longer than the
 * session.
 */
export function backAddress({ view, token }: Pick<SessionPage, 'view' | 'token'>): string | undefined {
  const { return_addresses: addresses, login, status } = view
  if (addresses === null || (status === 'pending' && dependsOnEnd(addresses))) return undefined
  const address = addresses[status === 'pending' ? 'verified' : status]
  return login === null ? address : `${address}?${new URLSearchParams({ token })}`
}

function dependsOnEnd(addresses: ReturnAddresses): boolean {
  return new Set(Object.values(addresses)).size > 1
}

/**
 * Returns the words about the end of a login. The words name the client, and the host that the browser
 * returns to.
 */
function continueWords({ client, redirect_uri }: Login, texts: Texts): string {
  const host = isolate(new URL(redirect_uri).host)
  return fill(texts.login.continueAt, { client: isolate(client), host })
}

type Login = NonNullable<SessionPage['view']['login']>

function backWords({ view }: SessionPage, texts: Texts, name: string): string {
  if (view.login === null) return fill(texts.back, { name })
  return fill(texts.login.continueTo, { host: isolate(new URL(view.login.redirect_uri).host) })
}

function transactionParts(page: SessionPage, texts: Texts): Markup | '' {
  const { view, transactionTypes: addedTypes } = page
  if (view.transactions.length === 0) return ''
  const summaries = summarizeTransactions(view.transactions, { addedTypes, texts, locale: view.locale })
  return html`${summaries.map(
    ({ title, isMoney, details }) => html`<p class="confirm${isMoney ? ' money' : ''}"><bdi>${title}</bdi></p>
<dl>${details.map(({ label, value }) => html`<dt><bdi>${label}</bdi></dt><dd><bdi>${value}</bdi></dd>`)}</dl>`,
  )}
<p class="also">${texts.alsoShow}</p>`
}

function liveParts(page: SessionPage, texts: Texts): Markup {
  return html`<div id="live">
${chosenMarkup(texts, page)}
${waysMarkup(texts, page)}
${leaveMarkup(texts, page)}
<p id="time" class="soft" role="timer" hidden></p>
<p id="lost" role="alert" hidden>${texts.connectionLost}</p>
<noscript><p>${texts.withoutScript}</p><p><a href="">${texts.reload}</a></p></noscript>
</div>
<div id="help">
${walletsMarkup(texts, page)}
${noWalletMarkup(texts, page)}
${alternative(page, texts)}
</div>`
}

/**
 * Shows the link to the page on which the person can prove the same without a wallet. The page of a login has
 * no such link.
 */
function alternative({ alternative: address }: SessionPage, texts: Texts): Markup | '' {
  if (address === null) return ''
  return html`<p><a id="alternative" href="${address}" target="_top" rel="noopener">${texts.wallets.alternative}</a></p>`
}

/**
 * Returns the state that the page shows. For a pending session, the state depends on the stage and on the
 * wallet's newest activity. Every stage except `created` and `awaiting_return` is handled like
 * `request_fetched`, so a new stage needs no new text.
 */
function chooseState({ view, seen }: SessionPage): PageState {
  const { status, stage, wallet_activity: activity } = view
  if (status !== 'pending') return status
  if (stage === 'awaiting_return') return 'returning'
  if (activity === null) return stage === 'created' ? 'waiting' : 'scanned'
  if (activity.number <= seen) return 'waiting'
  return activity.kind === 'response_refused' ? 'refused' : 'scanned'
}

function describeActivity({ view, now }: SessionPage): ScriptData['activity'] {
  const { wallet_activity: activity } = view
  if (activity === null) return null
  return { number: activity.number, ago: Math.max(0, now - Date.parse(activity.at)) }
}

function stateText(
  page: SessionPage,
  texts: Texts,
  { name, state }: { readonly name: string; readonly state: PageState },
): StateText {
  const text = listStates(page, texts, name)[state]
  const { wallet_activity: activity, family } = page.view
  if (family !== null) return { ...text, text: listEnds(page, texts, name)[family] }
  const refusal = state === 'refused' ? activity?.family : null
  return refusal ? { ...text, text: fill(texts.refusals[refusal], { name }) } : text
}

/** Returns the texts for the end of a session, by the kind of the reason (`EndFamily`). */
function listEnds(page: SessionPage, texts: Texts, name: string): Readonly<Record<EndFamily, string>> {
  const filled = Object.entries(texts.ends).map(([family, text]) => [
    family,
    fill(text, { name }) + (family === 'declined_on_page' ? closeWords(page, texts) : ''),
  ])
  return Object.fromEntries(filled) as Record<EndFamily, string> // the names are those of `texts.ends`
}

/**
 * Returns the sentence which says that the person can close the page. It is empty in a frame, or if the page
 * has a link back to the relying party.
 */
function closeWords({ isFramed, view }: SessionPage, texts: Texts): string {
  return isFramed || view.return_addresses !== null ? '' : ` ${texts.closePage}`
}

function listStates(page: SessionPage, texts: Texts, name: string): ScriptData['states'] {
  const withQr = hasQr(page)
  const stateTexts = withQr ? texts.states : { ...texts.states, ...texts.linkStates }
  const states = withQr && !page.isBegun ? { ...stateTexts, waiting: texts.login.showCode } : stateTexts
  const close = closeWords(page, texts)
  const filled = Object.entries(states).map(([state, { title, text }]) => [
    state,
    { title: fill(title, { name }), text: fill(text, { name }) + (state === 'verified' ? close : '') },
  ])
  return Object.fromEntries(filled) as ScriptData['states'] // the names are those of `texts.states`
}

function scriptData(page: SessionPage, texts: Texts, name: string): ScriptData {
  const { view, api, seen, now } = page
  const { return_addresses: addresses } = view
  const refusals = Object.entries(texts.refusals).map(([family, text]) => [family, fill(text, { name })])
  return {
    api,
    begun: page.isBegun,
    version: view.version,
    expires_in: Math.max(0, view.expires_at - now),
    follows: view.login !== null,
    seen,
    activity: describeActivity(page),
    asked: fill(asksWords(page, texts).asked, { name }),
    time_left: texts.timeLeft,
    link_opened: texts.linkOpened,
    link_failed: texts.linkFailed,
    link_elsewhere: texts.linkElsewhere,
    wallet: page.named,
    dc_api_exchanges: view.dc_api_exchanges,
    dc_api_protocols: view.dc_api_protocols,
    dc_api_iphone: page.answersOnIphone,
    dc_api_nearby: view.dc_api_protocols.length > 1 ? texts.onAndroid : texts.onPhoneNearby,
    dc_api_closed: texts.browserWalletClosed,
    dc_api_sent: texts.browserWalletSent,
    states: listStates(page, texts, name),
    refusals: Object.fromEntries(refusals),
    ends: listEnds(page, texts, name),
    back: addresses !== null && dependsOnEnd(addresses) ? addresses : {},
    ways: listWays(page).map(({ id, opening }) => ({ id, opening: opening(texts, page) })),
  }
}
