// The sign-in of the console: an API key of a relying party, or the operator's token.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Problem, SessionEnd } from './api.ts'
import { Failure } from './parts.tsx'
import { t } from './texts.ts'

/** Why a person is here. */
export type Notice = Problem | SessionEnd | 'signed_out' | null

export function SignIn({
  notice,
  onSend,
}: {
  readonly notice: Notice
  readonly onSend: (token: string) => Promise<void>
}) {
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  useLayoutEffect(() => {
    document.title = `${t('sign_in')} · ${t('console')}`
    input.current?.focus()
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
    <main id="main" class="sign-in">
      <h1>{t('sign_in')}</h1>
      {(notice === 'session_ended' || notice === 'signed_in_elsewhere') && (
        <p class="notice" role="alert">
          {t(notice)}
        </p>
      )}
      {notice === 'signed_out' && (
        <p class="soft" role="status">
          {t('signed_out')}
        </p>
      )}
      {typeof notice === 'object' && notice !== null && <Failure problem={notice} />}
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
    </main>
  )
}
