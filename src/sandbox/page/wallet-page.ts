// The test wallet as a page, `/test/wallet?uri=…`: who asks for what, which credential would be shown, and an answer, right or wrong.
// Plain forms: each answer is posted, and where the verifier processes it, the person goes on to where it says.

import { html } from 'hono/html'
import { claimsFor } from '../wallet/claims.ts'
import { FLAWS } from '../wallet/flaws/index.ts'
import { partOf } from '../wallet/jwt-parts.ts'
import { offered, type Wanted } from '../wallet/query.ts'
import { type Reach, receiveRequest, type WalletFault, type WalletRequest } from '../wallet/request.ts'
import { type Answered, type Errand, obstacleOf, prepare, send } from '../wallet/wallet.ts'
import { type Markup, sendPage } from './document.ts'

/** Shows the request behind the address's `uri`. */
export async function showRequest(address: URL, reach: Reach): Promise<Response> {
  return showUri(address.searchParams.get('uri') ?? '', reach)
}

/** Answers as the form says. `now` in Unix seconds. */
export async function answerAs(form: URLSearchParams, reach: Reach, now: number): Promise<Response> {
  const errand = errandOf(form)
  const prepared = await prepare(errand, reach, now)
  if (!prepared.ok)
    return prepared.error.status === undefined
      ? showUri(errand.uri, reach, prepared.error)
      : lost(prepared.error)
  const answered = await send(prepared.value.post, reach)
  const { redirect_uri } = answered
  if (redirect_uri !== null) return new Response(null, { status: 303, headers: { Location: redirect_uri } })
  return showUri(errand.uri, reach, refusal(prepared.value.does, answered))
}

/** A form's fields. The credential is named as `<query id> <format>`; where there is no choice, not at all. */
function errandOf(form: URLSearchParams): Errand {
  const field = (name: string) => form.get(name) ?? ''
  const [credential_type, format] = field('credential').split(' ')
  const wrong = field('reason')
  const reason = form.has('decline') ? 'access_denied' : wrong === '' ? 'verified' : wrong
  return { uri: field('uri'), reason, ...(format && { credential_type, format }) }
}

function refusal(does: string, { status, body }: Answered): WalletFault {
  return {
    detail: `The wallet ${does}. The verifier did not hear that answer, and still waits.`,
    status,
    body,
  }
}

async function showUri(uri: string, reach: Reach, fault?: WalletFault): Promise<Response> {
  const received = await receiveRequest(uri, reach)
  if (!received.ok) return lost(received.error)
  const body = html`<main>
<p class="test">Test wallet: nothing here counts</p>
<h1>${hostOf(received.value)} asks you to show</h1>
${fault && explain(fault)}
${received.value.transactionData.length > 0 && confirmation(received.value)}
${answerForm(uri, received.value)}
<p class="soft">It calls itself <bdi>${received.value.clientId}</bdi>. This wallet checks nothing of that: it issues itself whatever is asked for, by an issuer whose keys are public.</p>
</main>`
  return sendPage(fault === undefined ? 200 : 422, { title: 'Test wallet', body })
}

/** The request cannot be had: it is over, or it is none that a test wallet may have. */
function lost({ detail, status, body }: WalletFault): Promise<Response> {
  return sendPage(404, {
    title: 'Test wallet',
    body: html`<main>
<p class="test">Test wallet: nothing here counts</p>
<h1>There is no request to answer</h1>
${explain({ detail, ...(status !== undefined && { status }), ...(body !== undefined && { body }) })}
<p>It may be over, or of live mode, where this wallet has no part. Open the wallet again from the page where you began.</p>
</main>`,
  })
}

function explain({ detail, status, body }: WalletFault): Markup {
  return html`<div class="bad" role="alert"><p>${detail}</p>${status !== undefined && html`<pre>HTTP ${status} ${body}</pre>`}</div>`
}

function hostOf({ responseUri, clientId }: WalletRequest): string {
  return URL.canParse(responseUri) ? new URL(responseUri).host : clientId
}

/** One of several has a button to choose it by; what is in the others is folded away. */
function credential({ id, type, format, claims }: Wanted, choice: 'chosen' | 'another' | false): Markup {
  const checked = choice === 'chosen' && html` checked`
  const button = html`<input type="radio" name="credential" value="${id} ${format}"${checked}>`
  // A namespace, or what stands for the whole credential, says nothing to a person.
  const root = format === 'dc+sd-jwt' ? 0 : 1
  const shown = leavesOf(claimsFor(claims), []).map(([path, value]) => [path.slice(root).join(' '), value])
  return html`<label class="credential">${choice && button}
<strong><bdi>${NAMES.get(type) ?? type}</bdi></strong>
<span class="soft"><bdi>${type}</bdi>, ${FORMATS[format]}</span>
<dl>${shown.map(([name, value]) => html`<dt><bdi>${name}</bdi></dt><dd><bdi>${value}</bdi></dd>`)}</dl>
</label>`
}

/** What people call the built-in types. */
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

/** Each value, and the names on the way to it. */
function leavesOf(
  value: unknown,
  path: readonly string[],
): readonly (readonly [readonly string[], string])[] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner, Array.isArray(value) ? path : [...path, name]),
  )
}

/** Texts as they were sent: whoever tests wants to see what would be signed. */
function confirmation({ transactionData }: WalletRequest): Markup {
  return html`<section class="credential"><h2>and to confirm</h2>${transactionData.map((text) => html`<pre>${JSON.stringify(partOf(text, 0), null, 2)}</pre>`)}</section>`
}

function answerForm(uri: string, request: WalletRequest): Markup {
  const { credentials, isChoice } = offered(request)
  const wrong = Object.entries(FLAWS).filter(
    ([reason, flaw]) => reason !== 'access_denied' && !('needs' in flaw && obstacleOf(flaw.needs, request)),
  )
  return html`<form method="post">
<input type="hidden" name="uri" value="${uri}">
${credentials.map((wanted, i) => credential(wanted, isChoice && (i === 0 ? 'chosen' : 'another')))}
<button>Share</button>
<button class="second" name="decline" value="1">Decline</button>
<details><summary>Answer wrongly</summary>
<label>The wallet …<select name="reason"><option value="">does everything right</option>${wrong.map(([reason, { does }]) => html`<option value="${reason}">${does} (${reason})</option>`)}</select></label>
</details>
</form>`
}
