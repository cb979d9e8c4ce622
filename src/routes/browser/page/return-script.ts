// The return page's script (OpenID4VP 1.0 §14.2): it posts the response code that the wallet left in the fragment, together with
// this browser's cookie. Only this, never the opening of the address, uses the code up. Plain JavaScript as text.

/** Content of `/assets/return-page.js`. It may hold no backquote, no backslash and no `${`. */
export const RETURN_SCRIPT = `// Brings the response code back.

const main = document.querySelector('main')
const texts = JSON.parse(main.dataset.page)
const again = document.getElementById('again')
const code = new URLSearchParams(location.hash.slice(1)).get('response_code')
const PAUSES_MS = [500, 1000, 2000, 4000]

again.addEventListener('click', () => bring(0))
if (code) bring(0)

/** Tries a few times by itself: a repeated call is answered like the first. */
async function bring(tries) {
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
    if (response.status < 500 && response.status !== 429) return finish(null, await faultOf(response))
  } catch {
    // no connection: as with an answer that says to come again
  }
  if (tries < PAUSES_MS.length) return setTimeout(() => bring(tries + 1), PAUSES_MS[tries])
  show('interrupted')
  again.hidden = false
  again.focus()
}

async function faultOf(response) {
  const { code: fault } = await response.json()
  return fault === 'other_browser' ? 'otherBrowser' : 'invalidCode'
}

/** The code is used up: it need not stand in the history. */
function finish(returnUrl, state = 'returned') {
  history.replaceState(null, '', location.pathname)
  if (returnUrl) location.replace(returnUrl)
  else show(state)
}

function show(state) {
  main.dataset.state = state
  document.getElementById('title').textContent = document.title = texts[state].title
  document.getElementById('text').textContent = texts[state].text
}
`
