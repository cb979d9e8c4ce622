// assets/page/public.json: bodies of the pages for people who open an address of the service itself. These
// are its start page, and the pages behind a problem's `type`. They are in English, as the API is.

import { html } from 'hono/html'
import { PROBLEMS, type ProblemKind } from '../../src/routes/edge/problems.ts'
import { REASONS, type Reason } from '../../src/session/document/reasons.ts'
import meanings from './problem-meanings.json' with { type: 'json' }

/** Returns the file: path of a page without the first slash → its title and body. */
export function describePublicPages(): string {
  const pages = {
    '': page('Wallet verifier', START),
    problems: page('Problems and reasons', LIST),
    ...Object.fromEntries(Object.entries<ProblemKind>(PROBLEMS).map(problemPage)),
    ...Object.fromEntries(Object.entries<Reason>(REASONS).map(reasonPage)),
  }
  return JSON.stringify(pages, null, 2)
}

type Markup = ReturnType<typeof html>

function page(title: string, body: Markup) {
  return { title, body: String(body) }
}

/** `{version}` and `{shop}` are filled by the service. */
const START = html`<main>
<div class="status">
<h1>Wallet verifier</h1>
<p>Version {version}</p>
</div>
<p>This service checks credentials from digital identity wallets.
Did a website send you here? Go back to it, and start again.</p>
<ul>
{shop}
<li><a href="/docs">API reference</a><p class="soft">Every call, with a command to paste.</p></li>
<li><a href="/inspect">Inspector</a><p class="soft">Decodes messages of wallets. Nothing leaves your browser.</p></li>
<li><a href="/problems">Problems and reasons</a><p class="soft">What each code means.</p></li>
<li><a href="/readyz">Readiness</a><p class="soft">Whether the service can work, and its warnings.</p></li>
</ul>
</main>`

const WAYS_ON = html`<p class="soft"><a href="/docs">API reference</a> · <a href="/">This service</a></p>`

const LIST = html`<main>
<div class="status">
<h1>Problems and reasons</h1>
</div>
<p>A problem is an error of a call.
A reason says why a verification did not succeed, or why a response of a wallet was refused.</p>
<h2>Problems</h2>
${codeList(Object.entries(PROBLEMS).map(([code, { status, title }]) => [code, `${status}: ${title}`]))}
<h2>Reasons</h2>
${codeList(Object.entries(REASONS).map(([code, { message }]) => [code, message]))}
${WAYS_ON}
</main>`

function codeList(rows: readonly (readonly [string, string])[]): Markup {
  return html`<dl class="codes">
${rows.map(([code, text]) => html`<dt><a href="/problems/${code}"><code>${code}</code></a></dt><dd>${text}</dd>`)}
</dl>`
}

function problemPage([code, { status, title, retryable }]: [string, ProblemKind]) {
  const again = retryable ? 'The same request may succeed later.' : 'The same request will fail again.'
  const meaning = meanings[code as keyof typeof meanings]
  return codePage(code, { title, kind: `HTTP status ${status}`, meaning, again })
}

function reasonPage([code, { family, message, retryable }]: [string, Reason]) {
  const again = retryable ? 'Asking again may end differently.' : 'Asking again will end the same.'
  const title = 'Why a verification did not succeed'
  return codePage(code, { title, kind: `a reason: ${family}`, meaning: message, again })
}

function codePage(
  code: string,
  { title, kind, meaning, again }: Readonly<Record<'title' | 'kind' | 'meaning' | 'again', string>>,
) {
  const body = html`<main>
<div class="status">
<h1>${title}</h1>
<p><code>${code}</code>, ${kind}</p>
</div>
<p>${meaning}</p>
<p>${again}</p>
<nav><p><a href="/problems">All problems and reasons</a></p></nav>
${WAYS_ON}
</main>`
  return [`problems/${code}`, page(code, body)] as const
}
