// Posts the response code of the fragment with this browser's cookie (OpenID4VP 1.0 §14.2).
// Only this request uses the code up; opening the address does not. It writes no markup.

/** @typedef {typeof import('../texts/en.json')} Texts */
/** @typedef {Texts['returning'] & Pick<Texts, 'returned'>} PageTexts */

const PAUSES_MS = [500, 1000, 2000, 4000]

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const texts = /** @type {PageTexts} */ (JSON.parse(main.dataset.page ?? ''))
const again = element('again')
const code = new URLSearchParams(location.hash.slice(1)).get('response_code')

again.addEventListener('click', () => send(0))
if (code) send(0)

/**
 * Posts the code, and tries again after a failure: a repeated request gets the same response.
 * @param {number} tries
 */
async function send(tries) {
  again.hidden = true
  show('finishing')
  try {
    const response = await fetch(location.pathname.replace(/return$/, 'response_code'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ response_code: code }),
      cache: 'no-store',
      signal: AbortSignal.timeout(15000),
    })
    if (response.ok) return finish((await response.json()).return_url)
    if (response.status < 500 && response.status !== 429) return finish(null, await failureOf(response))
  } catch {
    // A lost connection is tried again, as 429 and 5xx are.
  }
  const pause = PAUSES_MS[tries]
  if (pause !== undefined) {
    setTimeout(() => send(tries + 1), pause)
    return
  }
  show('interrupted')
  again.hidden = false
  again.focus()
}

/**
 * @param {Response} response
 * @returns {Promise<keyof PageTexts>}
 */
async function failureOf(response) {
  const problem = await response.json()
  return problem.code === 'other_browser' ? 'otherBrowser' : 'invalidCode'
}

/**
 * Removes the used code from the history, and returns to the relying party.
 * @param {string | null} returnUrl
 * @param {keyof PageTexts} state
 */
function finish(returnUrl, state = 'returned') {
  history.replaceState(null, '', location.pathname)
  if (returnUrl) location.replace(returnUrl)
  else show(state)
}

/** @param {keyof PageTexts} state */
function show(state) {
  const { title, text } = texts[state]
  main.dataset.state = state
  document.title = title
  element('title').textContent = title
  element('text').textContent = text
}
