// Page of the test wallet, `/test/wallet?uri=…`. Shows the request and the credentials, and responds with or
// without a mistake. Plain forms. After an accepted response the person follows the verifier's redirect.

import { html } from 'hono/html'
import { isJsonObject, type Json, member } from '../../src/codec/json.ts'
import { claimsFor } from '../wallet/claims.ts'
import { MISTAKES } from '../wallet/mistakes/index.ts'
import { credentialChoice, type RequestedCredential } from '../wallet/query.ts'
import {
  type CallVerifier,
  decodePart,
  receiveRequest,
  type WalletError,
  type WalletRequest,
} from '../wallet/request.ts'
import { postForm, prepare, unmetRequirement, type WalletTask } from '../wallet/wallet.ts'
import type { Markup, Page } from './document.ts'

/** Shows the request of the address's `uri`. */
export async function showRequest(address: URL, call: CallVerifier): Promise<Page> {
  return showUri(address.searchParams.get('uri') ?? '', call)
}

/** Sends the wallet's response that a submitted form describes. `now` in Unix seconds. */
export async function sendResponse(
  form: URLSearchParams,
  call: CallVerifier,
  now: number,
): Promise<Page | Response> {
  const task = taskOf(form)
  const choice = { credential: form.get('credential') ?? '', reason: form.get('reason') ?? '' }
  const prepared = await prepare(task, call, now)
  if (!prepared.ok) {
    const { error } = prepared
    return error.status === undefined ? showUri(task.uri, call, { error, choice }) : unavailable(error)
  }
  const { post, description } = prepared.value
  const { status, body, redirect_uri } = await postForm(post, call)
  if (redirect_uri !== null) return new Response(null, { status: 303, headers: { Location: redirect_uri } })
  const detail = `The wallet ${description}. The verifier refused that response. The session is still pending.`
  return showUri(task.uri, call, { error: { detail, status, body }, choice })
}

/**
 * Reads the form's fields. `credential` is `<query id> <format>`, and missing without a choice. `reason` is
 * read only if its own button was pressed.
 */
function taskOf(form: URLSearchParams): WalletTask {
  const field = (name: string) => form.get(name) ?? ''
  const [credential_type, format] = field('credential').split(' ')
  const mistake = form.has('mistake') ? field('reason') : ''
  const reason = form.has('decline') ? 'access_denied' : mistake || 'verified'
  return { uri: field('uri'), reason, ...(format && { credential_type, format }) }
}

/** The choice of the person in the previous form. */
type Choice = { readonly credential: string; readonly reason: string }
const NO_CHOICE: Choice = { credential: '', reason: '' }

async function showUri(
  uri: string,
  call: CallVerifier,
  { error, choice = NO_CHOICE }: { readonly error?: WalletError; readonly choice?: Choice } = {},
): Promise<Page> {
  const received = await receiveRequest(uri, call)
  if (!received.ok) return unavailable(received.error)
  const body = html`<main>
<p class="test">Test wallet: for test mode only</p>
<h1>${hostOf(received.value)} asks you to show</h1>
${error && errorBox(error)}
${received.value.transactionData.length > 0 && confirmation(received.value)}
${responseForm(uri, received.value, choice)}
<p class="soft">The verifier identifies as <bdi>${received.value.clientId}</bdi>. This wallet does not verify that. It issues the requested credentials to itself, with keys that are public.</p>
</main>`
  return { status: error === undefined ? 200 : 422, title: 'Test wallet', body }
}

/** Shown for a request that has ended, or that a test wallet may not fetch. */
function unavailable(error: WalletError): Page {
  return {
    status: 404,
    title: 'Test wallet',
    body: html`<main>
<p class="test">Test wallet: for test mode only</p>
<h1>There is no request to answer</h1>
${errorBox(error)}
<p>It may have ended, or it belongs to live mode, where this wallet does not work. Open the wallet again from the page where you started.</p>
</main>`,
  }
}

function errorBox({ detail, status, body }: WalletError): Markup {
  return html`<div class="bad" role="alert"><p>${detail}</p>${status !== undefined && html`<pre>HTTP ${status} ${body}</pre>`}</div>`
}

function hostOf({ responseUri, clientId }: WalletRequest): string {
  return URL.canParse(responseUri) ? new URL(responseUri).host : clientId
}

/**
 * A credential with its claims. One of several credentials has a radio button. The claims of the other
 * credentials are folded.
 */
function credential(
  { id, type, format, claims }: RequestedCredential,
  choice: 'chosen' | 'another' | false,
): Markup {
  const checked = choice === 'chosen' && html` checked`
  const button = html`<input type="radio" name="credential" value="${id} ${format}"${checked}>`
  // Leaves out the namespace of an mdoc and the `credentialSubject` of a W3C credential.
  const root = format === 'dc+sd-jwt' ? 0 : 1
  const rows = leavesOf(claimsFor(claims), []).map(([path, value]) => [path.slice(root).join(' '), value])
  return html`<label class="credential">${choice && button}
<strong><bdi>${NAMES.get(type) ?? type}</bdi></strong>
<span class="soft"><bdi>${type}</bdi>, ${FORMATS[format]}</span>
<dl>${rows.map(([name, value]) => html`<dt><bdi>${name}</bdi></dt><dd><bdi>${value}</bdi></dd>`)}</dl>
</label>`
}

/** Display names of the built-in types. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['urn:eu.europa.ec.av:1', 'Proof of age'],
  ['eu.europa.ec.av.1', 'Proof of age'],
  ['AgeAttestationCredential', 'Proof of age'],
  ['urn:eudi:pid:1', 'National digital ID'],
  ['eu.europa.ec.eudi.pid.1', 'National digital ID'],
  ['PersonIdentificationData', 'National digital ID'],
  ['org.iso.18013.5.1.mDL', 'Driving licence'],
  ['org.iso.23220.photoid.1', 'Photo ID'],
])

const FORMATS = {
  'dc+sd-jwt': 'SD-JWT VC',
  mso_mdoc: 'ISO mdoc',
  jwt_vc_json: 'W3C credential as a JWT',
} as const

/** Returns each value with the names of its path. */
function leavesOf(
  value: unknown,
  path: readonly string[],
): readonly (readonly [readonly string[], string])[] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner, Array.isArray(value) ? path : [...path, name]),
  )
}

/** Transaction data: a payment as money, and the text as sent, so that a developer sees what is signed. */
function confirmation({ transactionData }: WalletRequest): Markup {
  const parts = transactionData.map((text) => decodePart(text, 0))
  return html`<section class="credential"><h2>and to confirm</h2>
${parts.map((part) => paymentLine(part?.payload))}
<details><summary>Transaction data (${parts.length})</summary>${parts.map((part) => html`<pre>${JSON.stringify(part, null, 2)}</pre>`)}</details></section>`
}

/** "€12.50 to Shop", with every digit of the amount. */
function paymentLine(payload: Json | undefined): Markup | '' {
  if (payload === undefined || !isJsonObject(payload)) return ''
  const [amount, currency, payee] = ['amount', 'currency', 'payee'].map((name) => member(payload, name))
  const isPayment = typeof amount === 'number' && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)
  if (!isPayment || payee === undefined || !isJsonObject(payee)) return ''
  const style = { style: 'currency', currency, maximumFractionDigits: 20 } as const
  const money = new Intl.NumberFormat('en', style).format(amount)
  return html`<p class="money">${money} to <bdi>${String(member(payee, 'name'))}</bdi></p>`
}

/** Shows the chosen credential; all other credentials are folded, so that the buttons need no scrolling. */
function credentialParts(request: WalletRequest, chosen: string): Markup {
  const { credentials, isChoice } = credentialChoice(request)
  if (!isChoice) return html`${credentials.map((requested) => credential(requested, false))}`
  const isChosen = ({ id, format }: RequestedCredential) => `${id} ${format}` === chosen
  const first = credentials.find(isChosen) ?? credentials[0]
  const others = credentials.filter((one) => one !== first)
  return html`${first && credential(first, 'chosen')}
<details><summary>Other credentials (${others.length})</summary>${others.map((one) => credential(one, 'another'))}</details>`
}

function responseForm(uri: string, request: WalletRequest, choice: Choice): Markup {
  const mistakes = Object.entries(MISTAKES).filter(
    ([reason, mistake]) =>
      reason !== 'access_denied' && !('requires' in mistake && unmetRequirement(mistake.requires, request)),
  )
  return html`<form method="post">
<input type="hidden" name="uri" value="${uri}">
${credentialParts(request, choice.credential)}
<p class="actions"><button>Share</button>
<button class="second" name="decline" value="1">Decline</button></p>
<details${choice.reason === '' ? '' : html` open`}><summary>Respond with a mistake</summary>
<label>The wallet …<select name="reason">${mistakes.map(([reason, { description }]) => html`<option value="${reason}"${reason === choice.reason ? html` selected` : ''}>${description} (${reason})</option>`)}</select></label>
<button class="second" name="mistake" value="1">Respond with this mistake</button>
</details>
</form>`
}
