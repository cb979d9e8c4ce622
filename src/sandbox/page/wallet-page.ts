// Page of the test wallet, `/test/wallet?uri=…`. Shows the request and the credentials, and responds with or
// without a mistake. Plain forms. After an accepted response the person follows the verifier's redirect.

import { html } from 'hono/html'
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
  const prepared = await prepare(task, call, now)
  if (!prepared.ok) {
    const { error } = prepared
    return error.status === undefined ? showUri(task.uri, call, error) : unavailable(error)
  }
  const { post, description } = prepared.value
  const { status, body, redirect_uri } = await postForm(post, call)
  if (redirect_uri !== null) return new Response(null, { status: 303, headers: { Location: redirect_uri } })
  const detail = `The wallet ${description}. The verifier refused that response. The session is still pending.`
  return showUri(task.uri, call, { detail, status, body })
}

/** Reads the form's fields. `credential` is `<query id> <format>`, and missing without a choice. */
function taskOf(form: URLSearchParams): WalletTask {
  const field = (name: string) => form.get(name) ?? ''
  const [credential_type, format] = field('credential').split(' ')
  const reason = form.has('decline') ? 'access_denied' : field('reason') || 'verified'
  return { uri: field('uri'), reason, ...(format && { credential_type, format }) }
}

async function showUri(uri: string, call: CallVerifier, error?: WalletError): Promise<Page> {
  const received = await receiveRequest(uri, call)
  if (!received.ok) return unavailable(received.error)
  const body = html`<main>
<p class="test">Test wallet: for test mode only</p>
<h1>${hostOf(received.value)} asks you to show</h1>
${error && errorBox(error)}
${received.value.transactionData.length > 0 && confirmation(received.value)}
${responseForm(uri, received.value)}
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

/** A credential with its claims. One of several has a radio button; the claims of the others are folded. */
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

/** Transaction data as sent, so that a developer sees what the wallet signs. */
function confirmation({ transactionData }: WalletRequest): Markup {
  return html`<section class="credential"><h2>and to confirm</h2>${transactionData.map((text) => html`<pre>${JSON.stringify(decodePart(text, 0), null, 2)}</pre>`)}</section>`
}

function responseForm(uri: string, request: WalletRequest): Markup {
  const { credentials, isChoice } = credentialChoice(request)
  const mistakes = Object.entries(MISTAKES).filter(
    ([reason, mistake]) =>
      reason !== 'access_denied' && !('requires' in mistake && unmetRequirement(mistake.requires, request)),
  )
  return html`<form method="post">
<input type="hidden" name="uri" value="${uri}">
${credentials.map((requested, i) => credential(requested, isChoice && (i === 0 ? 'chosen' : 'another')))}
<button>Share</button>
<button class="second" name="decline" value="1">Decline</button>
<details><summary>Respond with a mistake</summary>
<label>The wallet …<select name="reason"><option value="">makes no mistake</option>${mistakes.map(([reason, { description }]) => html`<option value="${reason}">${description} (${reason})</option>`)}</select></label>
</details>
</form>`
}
