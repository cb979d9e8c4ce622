// *Do not share* on the session page: the person declines. The page asks once if the person is sure. This
// works without a script. A form sends the decision. A link would not be safe, because programs such as link
// previews open links without the person.

import { html } from 'hono/html'
import type { PageView } from '../../../session/views/page-view.ts'
import type { Markup } from './document.ts'
import { fill, isolate, type Texts } from './texts.ts'

/** Input for *Do not share*. */
export type LeaveInput = {
  readonly id: string
  readonly view: Pick<PageView, 'return_addresses' | 'login' | 'required_session_binding'>
  /** The relying party's name. */
  readonly name: string
  readonly token: string
  /** True if the page is shown in a frame. */
  readonly isFramed: boolean
  /**
   * Origin of the page that shows this page in a frame. This page reports its status and height to that
   * origin.
   */
  readonly embedder: string | undefined
}

/** Returns *Do not share*: a `<summary>` that shows the question and the form that declines. */
export function leaveMarkup(texts: Texts, page: LeaveInput): Markup {
  const { view, token, embedder } = page
  const name = isolate(view.login?.client ?? page.name)
  const words = fill(view.return_addresses === null ? texts.leave.short : texts.leave.back, { name })
  const query = new URLSearchParams({ token, ...(embedder !== undefined && { embed: embedder }) })
  // A frame has no access to the browser's cookie. So a session that requires a binding is declined in a new
  // tab.
  const isInTab = page.isFramed && view.required_session_binding !== 'none'
  return html`<details id="leave"><summary>${words}</summary>
<p class="soft">${fill(texts.leave.question, { name })}</p>
<form method="post" action="/s/${page.id}/decline?${query}"${isInTab ? html` target="_blank"` : ''}><button type="submit" class="second">${texts.leave.confirm}</button></form></details>`
}
