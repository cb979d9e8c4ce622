// Texts of the page for each state of an order, and the list of facts about the visitor.

import { html } from 'hono/html'
import type { Order, OrderState, Outcome } from './order.ts'
import type { Markup } from './page.ts'

export const TEXTS: Readonly<Record<OrderState, { readonly title: string; readonly text: string }>> = {
  chosen: {
    title: 'One question before we pack it',
    text: 'This bottle is for adults. Your wallet can prove that you are over 18. We ask for nothing else and learn nothing else.',
  },
  waiting: {
    title: 'Waiting for your proof',
    text: 'Open the verification page and confirm with your wallet. This page then updates by itself.',
  },
  confirmed: {
    title: 'Cheers! Your order is confirmed',
    text: 'You are over 18, and that is proven. A real shop would now pack your bottle.',
  },
  free: {
    title: 'All yours, no questions asked',
    text: 'It contains no alcohol, so there is nothing to prove.',
  },
  rejected: {
    title: 'We cannot sell you this one',
    text: 'Your wallet responded, but its response does not prove that you are over 18.',
  },
  declined: {
    title: 'No proof, no hard feelings',
    text: 'Your wallet declined: perhaps you did, perhaps it has no suitable credential. We do not learn which.',
  },
  expired: {
    title: 'That took too long',
    text: 'Our request expired after ten minutes. You can start a new one at any time.',
  },
  canceled: {
    title: 'Back on the shelf',
    text: 'You canceled the request. Your wallet shared nothing.',
  },
}

/** Lists what the shop knows after the end of an order. Empty before. */
export function learned({ proof }: Order, state: OrderState): Markup | '' {
  if (state === 'chosen' || state === 'waiting') return ''
  const outcome = proof?.outcome ?? null
  return html`<div class="learned">
<h2>What we learned about you</h2>
<dl>
<dt>Over 18</dt><dd>${over18(outcome, state)}</dd>
<dt>Name</dt><dd>not requested</dd>
<dt>Date of birth</dt><dd>not requested</dd>
</dl>
${outcome?.reason && state === 'rejected' ? html`<p class="soft">Reason given by the service: ${outcome.reason.message} (<code>${outcome.reason.code}</code>)</p>` : ''}
${outcome !== null && state === 'confirmed' ? html`<p class="soft">${BINDINGS[outcome.binding ?? 'none']}</p>` : ''}
</div>`
}

function over18(outcome: Outcome | null, state: OrderState): Markup {
  if (state === 'confirmed') return html`<strong>yes, proven</strong>`
  return outcome === null ? html`not requested` : html`not proven`
}

/** Meaning of the session binding (api/binding). */
const BINDINGS: Readonly<Record<NonNullable<Outcome['binding']>, string>> = {
  relying_party:
    'The proof belongs to this browser: it brought back a code, and our server redeemed it for your order.',
  page: 'The proof belongs to the browser that opened the verification page.',
  none: 'The proof came by QR, from another device. Its holder is over 18. Whether that was you, only a person could check.',
}
