// The shop page's script: it looks for news and shows the page anew. Without it the page says to reload. Plain JavaScript as text.

/** Content of `/demo/shop.js`. It may hold no backquote, no backslash and no `${`. */
export const SCRIPT = `// Shows the page anew when something has happened.

const EVERY_MS = 1000
const { mark } = document.querySelector('main').dataset

// Whoever was shown news hears and sees them first.
if (sessionStorage.getItem('news') === '1') document.querySelector('h1').focus({ preventScroll: true })
sessionStorage.removeItem('news')

// The browser may bring an old page back from its memory.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

if (mark) setTimeout(look, EVERY_MS)

async function look() {
  if (!document.hidden && (await isOld())) {
    sessionStorage.setItem('news', '1')
    return location.reload()
  }
  setTimeout(look, EVERY_MS)
}

async function isOld() {
  try {
    const response = await fetch('/demo/state', { cache: 'no-store', signal: AbortSignal.timeout(10000) })
    return response.ok && (await response.json()).mark !== mark
  } catch {
    return false // no connection: the next look may have one
  }
}
`
