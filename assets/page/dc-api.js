// Asks the browser for a presentation: the Digital Credentials API (OpenID4VP 1.0 Appendix A).
// It writes no markup.

/** @typedef {import('../../src/routes/browser/page/script-data.ts').ScriptData} ScriptData */
/** @typedef {{ readonly protocol: string, readonly data: unknown }} Exchange */
/** @typedef {{ readonly requests: readonly Exchange[] }} DigitalOptions */
/** @typedef {CredentialRequestOptions & { readonly digital: DigitalOptions }} DcApiOptions */

const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const page = /** @type {ScriptData} */ (JSON.parse(main.dataset.page ?? ''))
const token = new URLSearchParams(location.search).get('token')
// Both are null when the session has ended before this script runs.
const button = /** @type {HTMLButtonElement | null} */ (document.getElementById('dc-api'))
const note = /** @type {HTMLElement} */ (document.getElementById('link-note'))

/** The protocols that this browser supports. Some browsers have no `DigitalCredential`, or an older one. */
const PROTOCOLS = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'].filter(
  (protocol) => self.DigitalCredential?.userAgentAllowsProtocol?.(protocol) === true,
)

// A frame has no access to the browser's cookie.
if (PROTOCOLS.length > 0 && self === top && button) {
  button.hidden = false
  button.addEventListener('click', () => present(button))
}

/**
 * Creates a new request for each try. This page posts the response, with this browser's cookie.
 * @param {HTMLButtonElement} pressed
 */
async function present(pressed) {
  pressed.disabled = true
  note.textContent = ''
  try {
    const { digital } = await send('/dc-api/request', {})
    const requests = digital.requests.filter((/** @type {Exchange} */ { protocol }) =>
      PROTOCOLS.includes(protocol),
    )
    const response = await choose(requests)
    if (response === null) note.textContent = page.dc_api_closed
    else await respond(response)
  } catch {
    note.textContent = page.link_failed
  }
  pressed.disabled = false
}

/**
 * Returns null when the person closed the browser's dialogue, or no wallet responded.
 * @param {readonly Exchange[]} requests
 * @returns {Promise<Exchange | null>}
 */
async function choose(requests) {
  /** @type {DcApiOptions} */
  const options = { mediation: 'required', digital: { requests } }
  try {
    return /** @type {DigitalCredential | null} */ (await navigator.credentials.get(options))
  } catch {
    return null
  }
}

/** @param {Exchange} response */
async function respond({ protocol, data }) {
  note.textContent = page.dc_api_sent
  const { return_url: next } = await send('/dc-api', { protocol, data })
  note.textContent = ''
  if (next) location.href = next
}

/**
 * @param {string} path
 * @param {object} body
 */
async function send(path, body) {
  const response = await fetch(page.api + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    signal: AbortSignal.timeout(30000),
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.json()
}
