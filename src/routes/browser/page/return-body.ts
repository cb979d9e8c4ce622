// The body of the page that a wallet returns people to. The page shows a general text if scripts are off, or
// if its address has no response code.

import { html } from 'hono/html'
import type { Markup } from './document.ts'
import { mark } from './mark.ts'
import type { Texts } from './texts.ts'

/** Returns the page's title and body: the same for every session. */
export function returnBody(texts: Texts): { readonly title: string; readonly body: Markup } {
  const { returned } = texts
  const body = html`<main data-state="returned" data-page="${JSON.stringify({ ...texts.returning, returned })}">
<div class="status">
${mark()}
<div role="status">
<h1 id="title">${returned.title}</h1>
<p id="text" class="soft">${returned.text}</p>
</div>
<button id="again" type="button" hidden>${texts.tryAgain}</button>
</div>
</main>`
  return { title: returned.title, body }
}
