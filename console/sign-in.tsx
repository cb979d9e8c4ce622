// The sign-in of the console: an API key of a relying party, or the operator's token.

import type { Problem } from './api.ts'
import { Failure } from './parts.tsx'
import { t } from './texts.ts'

export function SignIn({
  problem,
  onSend,
}: {
  readonly problem: Problem | null
  readonly onSend: (token: string) => void
}) {
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    onSend(String(new FormData(form).get('token')).trim())
  }
  return (
    <main id="main" class="sign-in">
      <h1>{t('sign_in')}</h1>
      <form onSubmit={send}>
        <label for="token">{t('token')}</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          maxLength={4096}
          autocomplete="current-password"
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
      {problem && <Failure problem={problem} />}
    </main>
  )
}
