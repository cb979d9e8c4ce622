// What the shop says, state by state, and what it has learned of its visitor.

import { html } from 'hono/html'
import type { Order, OrderState, Outcome } from './order.ts'
import type { Markup } from './page.ts'

export const WORDS: Readonly<Record<OrderState, { readonly title: string; readonly text: string }>> = {
  chosen: {
    title: 'One question before we pack it',
    text: 'This bottle is for adults. Your wallet can prove that you are over 18; that is all we ask, and all we will be told.',
  },
  waiting: {
    title: 'Waiting for your proof',
    text: 'The verification page has our question. Answer it there with your wallet; this page hears of it by itself.',
  },
  confirmed: {
    title: 'Cheers! Your order is confirmed',
    text: 'You are over 18, and that is proven. Were this bottle real, it would be waiting for you at the counter.',
  },
  free: {
    title: 'All yours, no questions asked',
    text: 'There is no alcohol in it, so we have nothing to ask. The best proof is the one that nobody needs.',
  },
  rejected: {
    title: 'We cannot sell you this one',
    text: 'Your wallet answered, but the answer does not prove that you are over 18.',
  },
  declined: {
    title: 'No proof, no hard feelings',
    text: 'Your wallet told us no: perhaps you did, perhaps it has nothing that fits. We are not told which, and that is right.',
  },
  expired: {
    title: 'That took too long',
    text: 'Our question was open for ten minutes, and no good answer came. Ask for a new one whenever you like.',
  },
  canceled: {
    title: 'Back on the shelf',
    text: 'You called it off. Nothing was shown, and nothing was learned.',
  },
}

/** In so many words what the shop now knows. Nothing where it was never asked. */
export function learned({ proof }: Order, state: OrderState): Markup | '' {
  if (state === 'chosen' || state === 'waiting') return ''
  const outcome = proof?.outcome ?? null
  return html`<div class="learned">
<h2>What we learned about you</h2>
<dl>
<dt>Over 18</dt><dd>${over18(outcome, state)}</dd>
<dt>Name</dt><dd>not asked</dd>
<dt>Date of birth</dt><dd>not asked</dd>
</dl>
${outcome?.reason && state === 'rejected' ? html`<p class="soft">The service says why: ${outcome.reason.message} (<code>${outcome.reason.code}</code>)</p>` : ''}
${outcome !== null && state === 'confirmed' ? html`<p class="soft">${BINDINGS[outcome.binding ?? 'none']}</p>` : ''}
</div>`
}

function over18(outcome: Outcome | null, state: OrderState): Markup {
  if (state === 'confirmed') return html`<strong>yes, proven</strong>`
  return outcome === null ? html`not asked` : html`not proven`
}

/** Who is at the other end (docs/contract.md, section 5). */
const BINDINGS: Readonly<Record<NonNullable<Outcome['binding']>, string>> = {
  relying_party:
    'The wallet answered for this very browser: it brought back a code, and our server redeemed it for your order.',
  page: 'The wallet answered for the browser that had opened the verification page.',
  none: 'The proof came by QR, from another device. Whoever held it is over 18; that it was you, somebody would have to see at the counter.',
}
