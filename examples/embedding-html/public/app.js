import { defineWalletVerifier } from './wallet-verifier.js'

const button = document.getElementById('buy')
const outcome = document.getElementById('outcome')
const element = document.querySelector('wallet-verifier')

defineWalletVerifier()
button.addEventListener('click', ask)
element.addEventListener('statuschange', ({ detail }) => {
  if (detail.status !== 'pending') showOutcome()
})

async function ask() {
  const response = await fetch('/verification', { method: 'POST' })
  const { session_url, error } = await response.json()
  if (error) outcome.textContent = error
  else {
    button.hidden = true
    element.setAttribute('session-url', session_url)
  }
}

/** The frame reported an end, which is a hint. The server reads the outcome. */
async function showOutcome() {
  const response = await fetch('/outcome')
  const { status, isAdult } = await response.json()
  outcome.textContent = isAdult ? 'You are over 18. The wine is yours.' : `No wine: ${status}.`
}
