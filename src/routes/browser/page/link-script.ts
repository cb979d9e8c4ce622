// The link button's script: it asks for a request of this browser's own and opens it in the wallet on this device (CONTRACT 5).
// In a frame the browser would not be known again by its cookie, so there the page first opens at top level.
// Plain JavaScript as text, for it runs in the browser. It writes no markup.

/** Content of `/assets/link.js`. It may hold no backquote, no backslash and no `${`. */
export const LINK_SCRIPT = `// Opens the wallet on this device.

const page = JSON.parse(document.querySelector('main').dataset.page)
const token = new URLSearchParams(location.search).get('token')
const [button, note, now] = ['link', 'link-note', 'link-now'].map((id) => document.getElementById(id))

// The session may have ended before this ran, and its ways with it.
if (button) {
  button.hidden = false
  button.addEventListener('click', self === top ? () => openWallet('') : openPage)
}

// The sandbox's wallet, in test mode: it takes the same request, in an address of ours.
const testWallet = document.getElementById('test-wallet')
if (testWallet && self === top) {
  testWallet.hidden = false
  testWallet.href ||= '/test/wallet'
  testWallet.addEventListener('click', (event) => {
    event.preventDefault()
    openWallet('/test/wallet?uri=')
  })
}

function openPage() {
  open(location.href, '_blank', 'noopener')
  note.textContent = page.link_elsewhere
}

/** Each try is a new request. The answer sets the cookie that this browser is known by when the wallet sends it back. */
async function openWallet(sandbox) {
  button.disabled = true
  now.hidden = true
  try {
    const response = await fetch(page.api + '/link', {
      method: 'POST',
      headers: { Authorization: 'Bearer ' + token },
      cache: 'no-store',
      signal: AbortSignal.timeout(15000),
    })
    if (response.ok) {
      const { uri } = await response.json()
      follow(sandbox ? sandbox + encodeURIComponent(uri) : uri)
    }
    note.textContent = response.ok ? page.link_opened : page.link_failed
  } catch {
    note.textContent = page.link_failed
  }
  button.disabled = false
  button.focus()
}

/** A slow network may outlast the press, and browsers open other apps on a press only: then there is one more thing to press. */
function follow(uri) {
  now.href = uri
  now.hidden = false
  location.href = uri
}
`
