// In a frame: reports state and height to the page around this one. The service found the origin of that page
// in the relying party's `origins`. The browser drops the message where the page around is of another origin.

const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const embedder = main.dataset.embed ?? ''
const [, id] = /\/s\/([\w-]+)$/.exec(location.pathname) ?? []
/** States of the page that are no status of the session. */
const PENDING = ['waiting', 'scanned', 'refused', 'returning']
const LARGEST_HEIGHT = 10000

if (self !== parent) {
  new MutationObserver(report).observe(main, { attributeFilter: ['data-state'] })
  new ResizeObserver(report).observe(main)
  document.addEventListener('click', keepEmbedder, true)
}

function report() {
  const state = main.dataset.state ?? ''
  const { bottom } = main.getBoundingClientRect()
  const message = {
    type: 'wallet_verifier.state',
    verification_id: id,
    status: PENDING.includes(state) ? 'pending' : state,
    height: Math.min(Math.max(1, Math.ceil(bottom + scrollY)), LARGEST_HEIGHT),
  }
  parent.postMessage(message, embedder)
}

/**
 * Keeps the origin in the address where a link opens this page again, for example for another wallet.
 * @param {Event} event
 */
function keepEmbedder({ target }) {
  const link = target instanceof Element ? target.closest('a') : null
  if (!link?.getAttribute('href')?.startsWith('?')) return
  const address = new URL(link.href)
  address.searchParams.set('embed', embedder)
  link.href = address.href
}
