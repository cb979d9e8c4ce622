// Behind the counter: what the shop's server sent and received, in the order in which it did, as it went over the wire.

import { html } from 'hono/html'
import { type Call, type Entry, type Order, stateOf, type Webhook } from './order.ts'
import type { Markup } from './page.ts'

/** The panel beside the order. The webhook is open: it is what the shop goes by. */
export function behindTheCounter(order: Order | undefined): Markup {
  const records = order?.records ?? []
  return html`<section class="behind" aria-labelledby="behind">
<h2 id="behind">Behind the counter</h2>
<p class="soft">${records.length === 0 ? silence(order) : 'What the shop’s server sent and received, as it went over the wire. Secrets are left out.'}</p>
<ol>${records.map((entry) => html`<li>${shown(entry, records.length === 1)}</li>`)}</ol>
${order?.proof?.endedAt != null && !order.proof.told ? missing() : ''}
</section>`
}

function silence(order: Order | undefined): string {
  const what =
    'What visitors never see: what the shop’s server says to the verification service, and what it is told.'
  if (order === undefined) return `${what} So far: nothing.`
  return stateOf(order) === 'free'
    ? `${what} About this order: nothing. There was nothing to ask, so nobody was asked.`
    : `${what} About this order: nothing yet.`
}

function missing(): Markup {
  return html`<p class="soft">No webhook has come yet. It is tried again for more than a day; what it would say, the poll has said already.
Where the service may not call this shop, there is none.</p>`
}

function shown(entry: Entry, isOnly: boolean): Markup {
  return entry.kind === 'webhook' ? webhook(entry) : call(entry, isOnly)
}

function webhook({ at, headers, body, age }: Webhook): Markup {
  return html`<details open class="webhook">
<summary><span class="way">in</span> <span>Webhook: the service tells the shop</span> ${time(at)}</summary>
<p class="good">✓ Signature verified, made ${age < 2 ? 'a moment' : `${age} s`} before it came</p>
<p class="soft">Checked with <code>verifyWebhook</code> over the time and the very bytes that came, before the shop read a word of them.
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
<b>${status ?? 'no answer'}</b>
${json(answer)}</pre>
</details>`
}

const CALLS: Readonly<Record<Call['what'], { readonly title: string; readonly text: string }>> = {
  create: {
    title: 'The shop asks for a proof',
    text: 'One fact, from any of three credentials. The answer has the page that the visitor is sent to.',
  },
  redeem: {
    title: 'The shop redeems the visitor’s code',
    text: 'The wallet sent the browser back, and the browser brought this code. It is worth something to our server only, and once.',
  },
  poll: {
    title: 'The shop looks for itself',
    text: 'The same outcome by polling: for the day on which a webhook is late.',
  },
  cancel: { title: 'The shop calls it off', text: 'The visitor changed their mind.' },
}

function time(at: number): Markup {
  const text = new Date(at).toISOString()
  return html`<time datetime="${text}">${text.slice(11, 19)} UTC</time>`
}

/** JSON, indented, its names told from its values. What is none is shown as it is. */
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
