import { defineWalletVerifier } from '@wallet-verifier/client/element'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

defineWalletVerifier()
createRoot(document.getElementById('shop')).render(<Shop />)

function Shop() {
  const [sessionUrl, setSessionUrl] = useState()
  const [text, setText] = useState('A bottle of wine, € 12.50.')

  const ask = async () => {
    const { session_url, error } = await call('POST', '/verification')
    setSessionUrl(session_url)
    if (error) setText(error)
  }
  // The frame reports a status, which is a hint. The server reads the outcome.
  const follow = async ({ detail }) => {
    if (detail.status === 'pending') return
    const { status, isAdult } = await call('GET', '/outcome')
    setText(isAdult ? 'You are over 18. The wine is yours.' : `No wine: ${status}.`)
  }
  return (
    <main>
      <h1>Wine shop</h1>
      <p role="status">{text}</p>
      {sessionUrl === undefined ? (
        <button type="button" onClick={ask}>
          Buy wine
        </button>
      ) : (
        <wallet-verifier session-url={sessionUrl} label="Age check" onstatuschange={follow} />
      )}
    </main>
  )
}

async function call(method, path) {
  return (await fetch(path, { method })).json()
}
