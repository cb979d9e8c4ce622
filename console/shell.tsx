// The frame of every page: owner, navigation, language, sign-out, and the region for announcements.

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { type Answer, modeOf, type Session } from './api.ts'
import { Audit } from './audit/audit.tsx'
import { Developers } from './developers.tsx'
import { Insights } from './insights.tsx'
import { Keys } from './keyboard/keys.tsx'
import { Operator } from './operator.tsx'
import { Action, focusHeading, LIVE_REGION, useKeptFocus } from './parts.tsx'
import { type Route, useRoute } from './route.ts'
import { followActivity } from './sign-in/activity.ts'
import { LANGUAGES, type Language, language, t } from './texts.ts'
import { Verifications } from './verifications/list.tsx'
import { Verification } from './verifications/verification.tsx'

/** Pages of each owner. The first is the start. */
const PAGES = {
  relying_party: ['verifications', 'insights', 'developers', 'audit'],
  operator: ['operator'],
} as const

type ShellProps = {
  readonly session: Session
  /** True if a person has just signed in by the form, which is no longer shown. */
  readonly takesFocus: boolean
  readonly onLanguage: (next: Language) => void
  readonly onSignOut: () => Promise<Answer<unknown>>
}

export function Shell({ session, takesFocus, onLanguage, onSignOut }: ShellProps) {
  const route = useRoute()
  const pages: readonly string[] = PAGES[session.owner]
  const page = pages.includes(route.page) ? route.page : (pages[0] ?? '')
  const owner = session.relying_party?.name ?? t('operator')
  const hasMoved = useRef(takesFocus)
  const main = useRef<HTMLElement>(null)
  useKeptFocus(main)
  useEffect(followActivity, [])
  useLayoutEffect(() => {
    if (hasMoved.current) {
      scrollTo(0, 0)
      focusHeading()
    }
    hasMoved.current = true
  }, [page, route.id])
  useLayoutEffect(() => {
    document.title = [route.id, t(page), owner, t('console')].filter((part) => part !== '').join(' · ')
  })
  return (
    <>
      <button type="button" class="skip-link" onClick={focusHeading}>
        {t('skip')}
      </button>
      <header>
        <strong class="owner">{owner}</strong>
        {session.relying_party?.livemode === false && <span class="test">{t('test_mode')}</span>}
        <nav aria-label={t('pages')}>
          {pages.map((name) => (
            <a key={name} href={`#/${name}`} aria-current={name === page ? 'page' : undefined}>
              {t(name)}
            </a>
          ))}
        </nav>
        <div class="tools">
          {session.person && <span class="soft">{session.person.name ?? session.person.subject}</span>}
          <Keys />
          <LanguageChoice onChange={onLanguage} />
          <Action label={t('sign_out')} run={onSignOut} />
        </div>
      </header>
      <main ref={main} id="main">
        <Page page={page} route={route} session={session} />
      </main>
      <p id={LIVE_REGION} class="hidden" role="status" />
    </>
  )
}

type PageProps = { readonly page: string; readonly route: Route; readonly session: Session }

function Page({ page, route, session }: PageProps) {
  if (page === 'insights') return <Insights mode={modeOf(session)} />
  if (page === 'developers') return <Developers session={session} />
  if (page === 'audit') return <Audit key={route.query} query={route.query} session={session} />
  if (page === 'operator') return <Operator id={route.id} />
  if (route.id !== '') return <Verification key={route.id} id={route.id} session={session} />
  return <Verifications key={route.query} query={route.query} session={session} />
}

function LanguageChoice({ onChange }: { readonly onChange: (next: Language) => void }) {
  return (
    <label>
      <span class="hidden">{t('language')}</span>
      <select value={language()} onChange={(event) => onChange(event.currentTarget.value as Language)}>
        {LANGUAGES.map((one) => (
          <option key={one} value={one} lang={one}>
            {new Intl.DisplayNames(one, { type: 'language' }).of(one)}
          </option>
        ))}
      </select>
    </label>
  )
}
