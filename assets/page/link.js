// Opens the wallet on this device with a request for this browser alone.
// A frame has no access to the browser's cookie, so there the page first opens in a tab. It writes no markup.

/** @typedef {import('../../src/routes/browser/page/script-data.ts').ScriptData} ScriptData */

const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const page = /** @type {ScriptData} */ (JSON.parse(main.dataset.page ?? ''))
const token = new URLSearchParams(location.search).get('token')
// All are null when the session has ended before this script runs.
const button = /** @type {HTMLButtonElement | null} */ (document.getElementById('link'))
const note = /** @type {HTMLElement} */ (document.getElementById('link-note'))
const link = /** @type {HTMLAnchorElement} */ (document.getElementById('link-now'))

if (button) {
  button.disabled = false
  button.addEventListener('click', () => (self === top ? openWallet(button, '') : openPage()))
}

// In test mode the sandbox's wallet takes the same request, in an address of our own.
const testWallet = /** @type {HTMLAnchorElement | null} */ (document.getElementById('test-wallet'))
if (button && testWallet && self === top) {
  testWallet.hidden = false
  testWallet.href ||= '/test/wallet'
  testWallet.addEventListener('click', (event) => {
    event.preventDefault()
    openWallet(button, '/test/wallet?uri=')
  })
}

function openPage() {
  const address = new URL(location.href)
  address.searchParams.delete('embed')
  open(address.href, '_blank', 'noopener')
  note.textContent = page.link_elsewhere
}

/**
 * Creates a new request for each try. The cookie in the response identifies this browser when it returns.
 * @param {HTMLButtonElement} pressed
 * @param {string} sandbox
 */
async function openWallet(pressed, sandbox) {
  pressed.disabled = true
  link.hidden = true
  try {
    const response = await fetch(`${page.api}/link`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(page.wallet === null ? {} : { wallet: page.wallet }),
      cache: 'no-store',
      signal: AbortSignal.timeout(15000),
    })
    // A login that can have no session any more: the page leads to its client, or says that it is over.
    if (!page.begun && response.status === 404) location.reload()
    if (response.ok) {
      main.dispatchEvent(new Event('begun'))
      const { uri } = await response.json()
      follow(sandbox ? sandbox + encodeURIComponent(uri) : uri)
    }
    note.textContent = response.ok ? page.link_opened : page.link_failed
  } catch {
    note.textContent = page.link_failed
  }
  pressed.disabled = false
  pressed.focus()
}

/**
 * Opens the wallet, and shows a link to it: browsers open other apps only shortly after a press.
 * @param {string} uri
 */
function follow(uri) {
  link.href = uri
  link.hidden = false
  location.href = uri
}
