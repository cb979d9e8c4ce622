// The icon above a state: one picture that contains every icon. The style shows the icon of the current
// state.

import { html } from 'hono/html'

/** Returns the icon. It is hidden from screen readers, because the title has the same meaning. */
export function mark() {
  return html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
<path class="yes" d="M4 12.5l5.5 5.5L20 6.5"/>
<path class="no" d="M6 6l12 12M18 6L6 18"/>
<path class="less" d="M5 12h14"/>
<path class="clock" d="M12 3a9 9 0 1 0 .01 0M12 7.5V12l3 2"/>
<path class="what" d="M8.5 9a3.5 3.5 0 1 1 5.2 3c-1.1.7-1.7 1.3-1.7 2.7M12 19v.01"/>
</svg>`
}
