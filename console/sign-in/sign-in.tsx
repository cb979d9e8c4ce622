// The sign-in of the console: an API key of a relying party, the operator's token, or the account of a person
// at their organisation.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Answer, Problem, SessionEnd } from '../api.ts'
import { Failure, Field } from '../parts.tsx'
import { t } from '../texts.ts'

/** Why a person is here. `provider_error`: the error that their provider sent. */
export type Notice =
  | Problem
  | SessionEnd
  | 'signed_out'
  | { readonly end_session_url: string }
  | { readonly provider_error: string }
  | null

type SignInProps = {
  readonly notice: Notice
  /** Relying party whose people sign in; null: the person names it. */
  readonly relyingPartyId: string | null
  readonly onSend: (token: string) => Promise<void>
  readonly onPerson: (relyingPartyId: string) => Promise<Answer<unknown>>
  /** Offers one way only, for the person or the key that must sign in again. */
  readonly only?: 'person' | 'token' | undefined
  /** Goes back to the page without a new sign-in. */
  readonly onBack?: (() => void) | undefined
}

export function SignIn({ notice, relyingPartyId, onSend, onPerson, only, onBack }: SignInProps) {
  useLayoutEffect(() => {
    document.title = `${t('sign_in')} · ${t('console')}`
  }, [])
  return (
    <main id={onBack ? undefined : 'main'} class="sign-in">
      <h1>{t('sign_in')}</h1>
      <Notices notice={notice} />
      {only !== 'token' && relyingPartyId !== null && <Person {...{ relyingPartyId, onPerson }} />}
      {only !== 'person' && <Token onSend={onSend} takesFocus={relyingPartyId === null} />}
      {only === undefined && relyingPartyId === null && (
        <details>
          <summary>{t('organisation_account')}</summary>
          <Person relyingPartyId={null} onPerson={onPerson} />
        </details>
      )}
      {onBack && (
        <button type="button" onClick={onBack}>
          {t('back')}
        </button>
      )}
    </main>
  )
}

function Notices({ notice }: Pick<SignInProps, 'notice'>) {
  if (notice === null) return null
  if (notice === 'signed_out') return <SignedOut url={null} />
  if (typeof notice === 'string') {
    return (
      <p class="notice" role="alert">
        {t(notice)}
      </p>
    )
  }
  if ('end_session_url' in notice) return <SignedOut url={notice.end_session_url} />
  if ('provider_error' in notice) {
    return (
      <p class="notice bad" role="alert">
        {t('provider_error')} <code>{notice.provider_error}</code>
      </p>
    )
  }
  return <Failure problem={notice} />
}

function SignedOut({ url }: { readonly url: string | null }) {
  return (
    <p class="soft" role="status">
      {t('signed_out')}{' '}
      {url && (
        <a href={url} rel="noreferrer">
          {t('end_session')}
        </a>
      )}
    </p>
  )
}

function Token({ onSend, takesFocus }: Pick<SignInProps, 'onSend'> & { readonly takesFocus: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  useLayoutEffect(() => {
    if (takesFocus) input.current?.focus()
  }, [])
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    const token = input.current?.value.trim() ?? ''
    if (isBusy || token === '') return
    setBusy(true)
    await onSend(token)
    setBusy(false)
  }
  return (
    <form onSubmit={send} aria-busy={isBusy}>
      <label for="token">{t('token')}</label>
      <input
        ref={input}
        id="token"
        name="token"
        type="password"
        required
        maxLength={4096}
        autocomplete="off"
        spellcheck={false}
        aria-describedby="token-hint"
      />
      <small id="token-hint" class="soft">
        {t('token_hint')}
      </small>
      <button type="submit" class="primary">
        {t('sign_in')}
      </button>
    </form>
  )
}

/** The way to the provider. A person presses a button: no address leads there by itself. */
function Person({ relyingPartyId, onPerson }: Pick<SignInProps, 'relyingPartyId' | 'onPerson'>) {
  const [state, setState] = useState<Problem | 'busy' | null>(null)
  const go = async (event: SubmitEvent) => {
    event.preventDefault()
    if (state === 'busy') return
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    setState('busy')
    const answer = await onPerson(relyingPartyId ?? String(fields.get('relying_party_id')).trim())
    setState(answer.ok ? null : answer.problem)
  }
  return (
    <form onSubmit={go} aria-busy={state === 'busy'} aria-label={t('organisation_account')}>
      {relyingPartyId === null ? (
        <Field name="relying_party_id" label={t('relying_party_id')} required maxLength={100} />
      ) : (
        <p class="soft">
          {t('relying_party_id')}: <code>{relyingPartyId}</code>
        </p>
      )}
      <button type="submit" class={relyingPartyId === null ? '' : 'primary'}>
        {t('go_to_provider')}
      </button>
      {typeof state === 'object' && state !== null && <Failure problem={state} />}
    </form>
  )
}
