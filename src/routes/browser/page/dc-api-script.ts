// The script behind the browser's own way to a wallet: the Digital Credentials API, where there is one (OpenID4VP 1.0
// Appendix A). Plain JavaScript as text, for it runs in the browser. It writes no markup.

/** Content of `/assets/dc-api.js`. It may hold no backquote, no backslash and no `${`. */
export const DC_API_SCRIPT = `// Asks the browser for a credential.

const page = JSON.parse(document.querySelector('main').dataset.page)
const token = new URLSearchParams(location.search).get('token')
const button = document.getElementById('dc-api')
const note = document.getElementById('link-note')

const knows = (protocol) => self.DigitalCredential?.userAgentAllowsProtocol?.(protocol) === true
const PROTOCOLS = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'].filter(knows)

// In a frame this browser would not be known by its cookie. And the session may have ended before this ran.
if (PROTOCOLS.length > 0 && self === top && button) {
  button.hidden = false
  button.addEventListener('click', ask)
}

/** Each try is a new request. What the wallet answers goes straight back from this page, with this browser's cookie. */
async function ask() {
  button.disabled = true
  note.textContent = ''
  try {
    const { digital } = await send('/dc-api/request', {})
    const requests = digital.requests.filter(({ protocol }) => PROTOCOLS.includes(protocol))
    const credential = await choose(requests)
    if (credential === null) note.textContent = page.dc_api_closed
    else await answer(credential)
  } catch {
    note.textContent = page.link_failed
  }
  button.disabled = false
}

/** Null where the person closed the browser's dialogue, or no wallet had an answer. */
async function choose(requests) {
  try {
    return await navigator.credentials.get({ mediation: 'required', digital: { requests } })
  } catch {
    return null
  }
}

async function answer({ protocol, data }) {
  note.textContent = page.dc_api_sent
  const { return_url: next } = await send('/dc-api', { protocol, data })
  note.textContent = ''
  if (next) location.href = next
}

async function send(path, body) {
  const response = await fetch(page.api + path, {
    method: 'POST',
    headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    signal: AbortSignal.timeout(30000),
  })
  if (!response.ok) throw new Error(response.status)
  return response.json()
}
`
