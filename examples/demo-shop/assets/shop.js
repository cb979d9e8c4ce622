// Reloads the page when its order has changed.

const EVERY_MS = 1000
const { mark } = document.querySelector('main').dataset

// A reloaded page moves the focus to the heading, so that screen readers announce the change.
if (sessionStorage.getItem('news') === '1') document.querySelector('h1').focus({ preventScroll: true })
sessionStorage.removeItem('news')

// The browser's back/forward cache may restore an outdated page.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

if (mark) setTimeout(poll, EVERY_MS)

async function poll() {
  if (!document.hidden && (await isOutdated())) {
    sessionStorage.setItem('news', '1')
    return location.reload()
  }
  setTimeout(poll, EVERY_MS)
}

async function isOutdated() {
  try {
    const response = await fetch('/demo/state', { cache: 'no-store', signal: AbortSignal.timeout(10000) })
    return response.ok && (await response.json()).mark !== mark
  } catch {
    return false // no connection: the next poll may have one
  }
}
