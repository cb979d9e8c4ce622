// Asks the browser for a presentation: the Digital Credentials API (OpenID4VP 1.0 Appendix A, ISO/IEC TS
// 18013-7 Annex C).
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

const iphone = /** @type {HTMLButtonElement | null} */ (document.getElementById('dc-api-iphone'))
const other = /** @type {HTMLButtonElement | null} */ (document.getElementById('dc-api-document'))

/** Protocols by family. Those of one family are one request, so they share a call. */
const FAMILIES = {
  openid4vp: ['openid4vp-v1-multisigned', 'openid4vp-v1-signed', 'openid4vp-v1-unsigned'],
  'org-iso-mdoc': ['org-iso-mdoc'],
}

/**
 * Some browsers have no `DigitalCredential`. An older one has it without the question: it filters by itself.
 * @param {string} protocol
 */
function allows(protocol) {
  const api = self.DigitalCredential
  return api !== undefined && (api.userAgentAllowsProtocol?.(protocol) ?? true)
}

/** @param {keyof typeof FAMILIES} family */
const allowed = (family) =>
  FAMILIES[family].filter((protocol) => page.dc_api_exchanges.includes(protocol)).filter(allows)

// On a phone the wallet is on this device. A browser that reports both families may prefer mdocs in a call
// that has both, so each family has its call if more than mdocs can answer. An older browser cannot report,
// and gets one call. Elsewhere the wallet is on a phone nearby: a call with two families never ends on an
// iPhone.
const isHere = matchMedia('(pointer: coarse)').matches
const canReport = self.DigitalCredential?.userAgentAllowsProtocol !== undefined
const apart = page.dc_api_protocols.map(allowed).filter(({ length }) => length > 0)
const all = [...allowed('openid4vp'), ...allowed('org-iso-mdoc')]
const isOneCall = isHere && !(canReport && other && apart.length > 1)
const [first = [], second = []] = isOneCall ? [all] : apart

/** Safari allows `org-iso-mdoc` alone, and reaches iPhones only. */
const isUseless = !FAMILIES.openid4vp.some(allows) && !page.dc_api_iphone

// A frame has no access to the browser's cookie.
if (self === top && !isUseless) {
  if (button && !isHere) button.textContent = nearbyWords()
  if (first.length > 0) fold()
  offer(button, first)
  offer(isHere ? other : iphone, second)
}

/**
 * Folds what does not lead beside a QR code: on a phone the link, elsewhere the buttons of this script, below
 * the code. Without a QR code nothing is folded.
 */
function fold() {
  const others = document.getElementById('others')
  const link = document.getElementById('link')
  const code = document.querySelector('#live > :is(.camera, form)')
  if (!others || !code || !button) return
  if (!isHere) code.after(others, button, ...(iphone ? [iphone] : []))
  else if (link) others.after(link)
}

/** Returns the words of the first button. Safari allows `org-iso-mdoc` alone, so it is the iPhone's there. */
function nearbyWords() {
  return iphone && first[0] === 'org-iso-mdoc' ? iphone.textContent : page.dc_api_nearby
}

/**
 * Shows a button where the browser supports one of its protocols.
 * @param {HTMLButtonElement | null} element
 * @param {readonly string[]} protocols
 */
function offer(element, protocols) {
  if (!element || protocols.length === 0) return
  element.hidden = false
  element.addEventListener('click', () => present(element, protocols))
}

/**
 * Creates a new request for each try. This page posts the response, with this browser's cookie.
 * @param {HTMLButtonElement} pressed
 * @param {readonly string[]} protocols
 */
async function present(pressed, protocols) {
  pressed.disabled = true
  note.textContent = ''
  try {
    const { digital } = await send('/dc-api/request', page.wallet === null ? {} : { wallet: page.wallet })
    main.dispatchEvent(new Event('begun'))
    const requests = digital.requests.filter((/** @type {Exchange} */ { protocol }) =>
      protocols.includes(protocol),
    )
    const response = await choose(requests)
    if (response === null) offerOthers()
    else await respond(response)
  } catch {
    note.textContent = page.link_failed
  }
  pressed.disabled = false
}

/** Says that no wallet responded, and unfolds the other ways. */
function offerOthers() {
  note.textContent = page.dc_api_closed
  document.getElementById('others')?.setAttribute('open', '')
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
  // A login that can have no session any more: the page leads to its client, or says that it is over.
  if (!page.begun && response.status === 404) location.reload()
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.json()
}
