// The link button's script: it asks for a request of this browser's own and opens it in the wallet on this device (CONTRACT 5).
// Plain JavaScript as text, for it runs in the browser. It writes no markup.

/** Content of `/assets/link.js`. It may hold no backquote, no backslash and no `${`. */
export const LINK_SCRIPT = `// Opens the wallet on this device.

const page = JSON.parse(document.querySelector('main').dataset.page)
const token = new URLSearchParams(location.search).get('token')
const button = document.getElementById('link')
const note = document.getElementById('link-note')

button.hidden = false
button.addEventListener('click', open)

/** Each try is a new request. The answer sets the cookie that this browser is known by when the wallet sends it back. */
async function open() {
  button.disabled = true
  try {
    const response = await fetch(page.api + '/link', {
      method: 'POST',
      headers: { Authorization: 'Bearer ' + token },
      cache: 'no-store',
      signal: AbortSignal.timeout(15000),
    })
    if (response.ok) location.href = (await response.json()).uri
    note.textContent = response.ok ? page.link_opened : page.link_failed
  } catch {
    note.textContent = page.link_failed
  }
  button.disabled = false
  button.focus()
}
`
