// The way out of the page: *Do not share*. It is asked once, and works without a script. A press on a link is
// not enough, because programs open links, too.

import { html } from 'hono/html'
import type { PageView } from '../../../session/views/page-view.ts'
import type { Markup } from './document.ts'
import { fill, isolate, type Texts } from './texts.ts'

/** Input for the way out. */
export type LeaveInput = {
  readonly id: string
  readonly view: Pick<PageView, 'return_url' | 'login' | 'required_session_binding'>
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

/** Returns the way out: a summary that opens the question, and the form that declines. */
export function leaveMarkup(texts: Texts, page: LeaveInput): Markup {
  const { view, token, embedder } = page
  const name = isolate(view.login?.client ?? page.name)
  const words = fill(view.return_url === null ? texts.leave.short : texts.leave.back, { name })
  const query = new URLSearchParams({ token, ...(embedder !== undefined && { embed: embedder }) })
  // A frame has no access to the browser's cookie. A session of one browser is declined in a tab.
  const isInTab = page.isFramed && view.required_session_binding !== 'none'
  return html`<details id="leave"><summary>${words}</summary>
<p class="soft">${fill(texts.leave.question, { name })}</p>
<form method="post" action="/s/${page.id}/decline?${query}"${isInTab ? html` target="_blank"` : ''}><button type="submit" class="second">${texts.leave.confirm}</button></form></details>`
}
