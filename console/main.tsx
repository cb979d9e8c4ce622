// The console: sign-in, then the pages of its owner.

import './console.css'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Answer, type Opened, resume, type Session, signIn, signOut, useSession } from './api.ts'
import { Shell } from './shell.tsx'
import { type Notice, SignIn } from './sign-in.tsx'
import { type Language, preferredLanguage, setLanguage, storeLanguage, t } from './texts.ts'

/** `undefined` until it is known who is signed in. */
type State = { readonly session: Session | null | undefined; readonly notice: Notice }

function Console() {
  const [{ session, notice }, setState] = useState<State>({ session: undefined, notice: null })
  const [, setShown] = useState<Language>('en')
  const [isTyped, setTyped] = useState(false)

  const open = (next: Opened | null, why: Notice) => {
    useSession(next?.token ?? '', (end) => open(null, end))
    setState({ session: next?.session ?? null, notice: why })
  }
  const openAnswer = (answer: Answer<Opened | null>) => {
    if (answer.ok) return open(answer.value, null)
    // The stored token stays: after a failed call, a reload continues the sign-in.
    setState({ session: null, notice: answer.problem })
  }
  const enter = async (body: Parameters<typeof signIn>[0]) => openAnswer(await signIn(body))
  const show = async (next: Language) => {
    await setLanguage(next)
    setShown(next)
  }
  useEffect(() => {
    void begin()
    async function begin() {
      const code = takeCode()
      await show(preferredLanguage())
      if (code !== undefined) return enter({ code })
      openAnswer(await resume())
    }
  }, [])

  if (session === undefined) {
    return (
      <main class="sign-in">
        <p role="status">{t('loading')}</p>
      </main>
    )
  }
  if (session === null) {
    const send = (token: string) => {
      setTyped(true)
      return enter({ token })
    }
    return <SignIn notice={notice} onSend={send} />
  }
  return (
    <Shell
      session={session}
      takesFocus={isTyped}
      onLanguage={(next) => {
        storeLanguage(next)
        void show(next)
      }}
      onSignOut={async () => {
        const answer = await signOut()
        if (!answer.ok) return answer
        history.replaceState(null, '', location.pathname)
        open(null, 'signed_out')
        return answer
      }}
    />
  )
}

/** Returns the code in the address, and removes it from the address at once. */
function takeCode(): string | undefined {
  const code = /^#code=([\w.-]+)$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, '', location.pathname)
  return code
}

const root = document.getElementById('console')
if (root !== null) render(<Console />, root)
