// The console: sign-in, navigation and pages. The address after `#` names the page.

import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Problem, readSession, type Session, signIn, signOut, useSession } from './api.ts'
import { Developers } from './developers.tsx'
import { Insights } from './insights.tsx'
import { Operator } from './operator.tsx'
import { SignIn } from './sign-in.tsx'
import { browserLanguage, LANGUAGES, type Language, language, setLanguage, t } from './texts.ts'
import { Verification } from './verification.tsx'
import { Verifications } from './verifications.tsx'

/** Pages of each owner. The first is the start. */
const PAGES = {
  relying_party: ['verifications', 'insights', 'developers'],
  operator: ['operator'],
} as const

function Console() {
  const [session, setSession] = useState<Session | null | undefined>(undefined)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [route, setRoute] = useState(location.hash)
  const [, setShown] = useState<Language>('en')

  const open = (next: Session | null) => {
    useSession(next, () => setSession(null))
    setSession(next)
  }
  const enter = async (body: Parameters<typeof signIn>[0]) => {
    const answer = await signIn(body)
    if (answer.ok) open(answer.value)
    setProblem(answer.ok ? null : answer.problem)
    return answer.ok
  }
  const choose = async (next: Language) => {
    await setLanguage(next)
    setShown(next)
  }
  useEffect(() => {
    const follow = () => setRoute(location.hash)
    addEventListener('hashchange', follow)
    void begin()
    return () => removeEventListener('hashchange', follow)
    async function begin() {
      await choose(browserLanguage())
      const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
      if (code !== undefined) {
        history.replaceState(null, '', location.pathname) // the code must not stay in the address
        setRoute('')
        if (await enter({ code })) return
      }
      const answer = await readSession()
      open(answer.ok ? answer.value : null)
    }
  }, [])

  if (session === undefined) return <p role="status">{t('loading')}</p>
  if (session === null) return <SignIn problem={problem} onSend={(token) => enter({ token })} />
  const pages: readonly string[] = PAGES[session.owner]
  const [page = '', id] = route.replace(/^#\/?/, '').split('/')
  const shown = pages.includes(page) ? page : (pages[0] ?? '')
  return (
    <>
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <header>
        <strong>{session.relying_party?.name ?? t('operator')}</strong>
        {session.relying_party?.livemode === false && <span class="test">{t('test_mode')}</span>}
        <nav aria-label={t('pages')}>
          {pages.map((name) => (
            <a key={name} href={`#/${name}`} aria-current={name === shown ? 'page' : undefined}>
              {t(name)}
            </a>
          ))}
        </nav>
        <label class="language">
          <span class="hidden">{t('language')}</span>
          <select value={language()} onChange={(event) => choose(event.currentTarget.value as Language)}>
            {LANGUAGES.map((one) => (
              <option key={one} value={one} lang={one}>
                {new Intl.DisplayNames(one, { type: 'language' }).of(one)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => signOut().then(() => open(null))}>
          {t('sign_out')}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {shown === 'verifications' && id && <Verification id={id} session={session} />}
        {shown === 'verifications' && !id && <Verifications />}
        {shown === 'insights' && <Insights />}
        {shown === 'developers' && <Developers session={session} />}
        {shown === 'operator' && <Operator />}
      </main>
    </>
  )
}

const root = document.getElementById('console')
if (root !== null) render(<Console />, root)
