// The panel beside the order: calls and webhooks of the shop's server, oldest first, as sent and received.

import { html } from 'hono/html'
import { type Call, type Order, type ShopRecord, stateOf, type Webhook } from './order.ts'
import type { Markup } from './page.ts'

/** The panel. Webhooks are unfolded. */
export function recordsSection(order: Order | undefined): Markup {
  const records = order?.records ?? []
  return html`<section class="behind" aria-labelledby="behind">
<h2 id="behind">Behind the scenes</h2>
<p class="soft">${records.length === 0 ? emptyText(order) : 'Calls of the shop’s server and webhooks to it, as sent and received. Secrets are removed.'}</p>
<ol>${records.map((record) => html`<li>${recordItem(record, records.length === 1)}</li>`)}</ol>
${order?.proof?.endedAt != null && !order.proof.notified ? missingWebhook() : ''}
</section>`
}

function emptyText(order: Order | undefined): string {
  const purpose = 'Calls of the shop’s server to the verification service, and webhooks from it, appear here.'
  const isFree = order !== undefined && stateOf(order) === 'free'
  return isFree ? `${purpose} This order needed none.` : `${purpose} There are none yet.`
}

function missingWebhook(): Markup {
  return html`<p class="soft">No webhook has arrived yet. The service retries for more than a day. The poll has already reported the outcome.
If the service may not call this shop, no webhook is sent.</p>`
}

function recordItem(record: ShopRecord, isOnly: boolean): Markup {
  return record.kind === 'webhook' ? webhook(record) : call(record, isOnly)
}

function webhook({ at, headers, body, age }: Webhook): Markup {
  return html`<details open class="webhook">
<summary><span class="way">in</span> <span>Webhook: the service reports the outcome</span> ${time(at)}</summary>
<p class="good">✓ Signature verified, created ${age < 2 ? 'a moment' : `${age} s`} before arrival</p>
<p class="soft">Checked with <code>verifyWebhook</code> over the time and the raw body, before the shop parsed it.
The body is indented here for reading.</p>
<pre><b>POST /demo/webhook</b>
${headers.map(({ name, value }) => html`<span class="key">${name}</span>: ${value}\n`)}
${json(body)}</pre>
</details>`
}

function call({ at, what, method, path, sent, status, answer }: Call, isOpen: boolean): Markup {
  const { title, text } = CALLS[what]
  return html`<details${isOpen ? html` open` : ''}>
<summary><span class="way">out</span> <span>${title}</span> ${time(at)}</summary>
<p class="soft">${text}</p>
<pre><b>${method} ${path}</b>
<span class="key">authorization</span>: Bearer wv_test_… (the shop’s API key)
${sent === null ? '' : html`\n${json(sent)}\n`}
<b>${status ?? 'no response'}</b>
${json(answer)}</pre>
</details>`
}

const CALLS: Readonly<Record<Call['what'], { readonly title: string; readonly text: string }>> = {
  create: {
    title: 'The shop requests a proof',
    text: 'One fact, from any of three credentials. The response contains the page that the visitor is sent to.',
  },
  redeem: {
    title: 'The shop redeems the visitor’s code',
    text: 'The wallet sent the browser back with this code. Only our server can use it.',
  },
  poll: {
    title: 'The shop polls the outcome',
    text: 'The same outcome without a webhook, which may be late.',
  },
  cancel: { title: 'The shop cancels', text: 'The visitor changed their mind.' },
}

function time(at: number): Markup {
  const text = new Date(at).toISOString()
  return html`<time datetime="${text}">${text.slice(11, 19)} UTC</time>`
}

/** Formats JSON with its member names highlighted. Leaves other text as it is. */
function json(text: string): Markup {
  return html`${indented(text)
    .split('\n')
    .map((line) => {
      const [, space, name, rest] = /^(\s*)("(?:[^"\\]|\\.)*")(: .*)$/.exec(line) ?? []
      return name === undefined ? html`${line}\n` : html`${space}<span class="key">${name}</span>${rest}\n`
    })}`
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
