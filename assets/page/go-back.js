// Goes back to the relying party by itself some seconds after the end (`return_automatically`). The time runs
// only while the page is visible. The person can stop it. It writes text, never markup.

/** Seconds until the page goes back: a failure has more to read. */
const SECONDS = { verified: 5, other: 10 }

const main = /** @type {HTMLElement} */ (document.querySelector('main'))
// All are null when the session has ended before this script runs.
const going = document.getElementById('going')
const stay = document.getElementById('stay')
const back = /** @type {HTMLAnchorElement | null} */ (document.getElementById('back'))

if (going && stay && back) {
  main.addEventListener('ended', () => announce(going, stay, back), { once: true })
}

/**
 * Says what happens, offers to stop it, and waits.
 * @param {HTMLElement} words
 * @param {HTMLElement} stop
 * @param {HTMLAnchorElement} link
 */
function announce(words, stop, link) {
  let left = main.dataset.state === 'verified' ? SECONDS.verified : SECONDS.other
  words.textContent = words.dataset.text ?? ''
  stop.hidden = false
  const clock = setInterval(() => {
    if (document.hidden) return
    left -= 1
    if (left > 0) return
    clearInterval(clock)
    location.assign(link.href)
  }, 1000)
  const cancel = () => {
    clearInterval(clock)
    words.textContent = ''
    stop.hidden = true
  }
  link.addEventListener('click', cancel)
  stop.addEventListener('click', () => {
    cancel()
    link.focus()
  })
}
