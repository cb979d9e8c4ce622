// The console: sign-in, then the pages of its owner.

import './console.css'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import {
  type Answer,
  type Opened,
  resume,
  type Session,
  type SignInBody,
  signIn,
  signOut,
  useSession,
} from './api.ts'
import { Shell } from './shell.tsx'
import { type Arrival, goToProvider, takeArrival } from './sign-in/people.ts'
import { type Notice, SignIn } from './sign-in/sign-in.tsx'
import { type Language, preferredLanguage, setLanguage, storeLanguage, t } from './texts.ts'

/**
 * `session` is `undefined` until it is known who is signed in. `people`: relying party whose people sign in;
 * null: unknown.
 */
type State = {
  readonly session: Session | null | undefined
  readonly notice: Notice
  readonly people: string | null
}

function Console() {
  const [{ session, notice, people }, setState] = useState<State>(UNKNOWN)
  const [, setShown] = useState<Language>('en')
  const [isTyped, setTyped] = useState(false)

  const open = (next: Opened | null, why: Notice) => {
    useSession(next?.token ?? '', (end) => {
      if (end === 'fresh_sign_in_required') setState((state) => ({ ...state, notice: end }))
      else open(null, end)
    })
    setState((state) => {
      const last = next?.session ?? state.session
      const known = last?.person ? (last.relying_party?.relying_party_id ?? null) : state.people
      return { session: next?.session ?? null, notice: why, people: known }
    })
  }
  const openAnswer = (answer: Answer<Opened | null>) => {
    if (answer.ok) return open(answer.value, null)
    // The stored token stays: after a failed call, a reload continues the sign-in.
    setState((state) => ({ ...state, session: null, notice: answer.problem }))
  }
  const enter = async (body: SignInBody) => openAnswer(await signIn(body))
  const show = async (next: Language) => {
    await setLanguage(next)
    setShown(next)
  }
  useEffect(() => {
    void begin()
    async function begin() {
      const code = takeCode()
      const arrival = takeArrival()
      const { relyingPartyId, error } = arrival
      await show(preferredLanguage())
      setState((state) => ({ ...state, people: relyingPartyId }))
      if (code !== undefined) return enter({ code })
      const body = bodyOf(arrival)
      if (body !== null) return enter(body)
      const resumed = await resume()
      openAnswer(resumed)
      if (error !== null && resumed.ok && resumed.value === null) open(null, { provider_error: error })
    }
  }, [])

  if (session === undefined) {
    return (
      <main class="sign-in">
        <p role="status">{t('loading')}</p>
      </main>
    )
  }
  const send = (token: string) => {
    setTyped(true)
    return enter({ token })
  }
  if (session === null) {
    const onPerson = (id: string) => goToProvider(id, false)
    return <SignIn notice={notice} relyingPartyId={people} onSend={send} onPerson={onPerson} />
  }
  return (
    <SignedIn
      {...{ session, notice, takesFocus: isTyped, open }}
      setNotice={(next) => setState((state) => ({ ...state, notice: next }))}
      onLanguage={(next) => {
        storeLanguage(next)
        void show(next)
      }}
    />
  )
}

type SignedInProps = {
  readonly session: Session
  /** Why the person must sign in again; null: they need not. */
  readonly notice: Notice
  readonly takesFocus: boolean
  readonly open: (next: Opened | null, why: Notice) => void
  readonly setNotice: (notice: Notice) => void
  readonly onLanguage: (next: Language) => void
}

/** The pages, or, above the hidden pages with what was typed there, the request for a fresh sign-in. */
function SignedIn({ session, notice, takesFocus, open, setNotice, onLanguage }: SignedInProps) {
  const isStale = notice !== null
  const signInAgain = async (token: string) => {
    const answer = await signIn({ token })
    if (answer.ok) open(answer.value, null)
    else setNotice(answer.problem)
  }
  return (
    <>
      {isStale && (
        <SignIn
          notice={notice}
          relyingPartyId={session.person && (session.relying_party?.relying_party_id ?? null)}
          only={session.person ? 'person' : 'token'}
          onSend={signInAgain}
          onPerson={(id) => goToProvider(id, true)}
          onBack={() => setNotice(null)}
        />
      )}
      <div hidden={isStale}>
        <Shell
          key={ownerOf(session)}
          session={session}
          takesFocus={takesFocus}
          onLanguage={onLanguage}
          onSignOut={async () => {
            const answer = await signOut()
            if (!answer.ok) return answer
            history.replaceState(null, '', location.pathname)
            open(null, answer.value === '' ? 'signed_out' : answer.value)
            return answer
          }}
        />
      </div>
    </>
  )
}

const UNKNOWN: State = { session: undefined, notice: null, people: null }

/** Returns the sign-in with the response of a person's provider; null if there is none. */
function bodyOf({ relyingPartyId, response }: Arrival): SignInBody | null {
  return relyingPartyId && response ? { person: { relying_party_id: relyingPartyId, ...response } } : null
}

/** Returns another text for another owner, whose page must not show the former owner's data. */
function ownerOf({ owner, relying_party, person }: Session): string {
  return [owner, relying_party?.relying_party_id, person?.subject].join(' ')
}

/** Returns the code in the address, and removes it from the address at once. */
function takeCode(): string | undefined {
  const code = /^#code=([\w.-]+)$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, '', location.pathname)
  return code
}

const root = document.getElementById('console')
if (root !== null) render(<Console />, root)
