// The reason of an end or of a refused response, and advice to the relying party. Both are in English, as the
// API is.

import type { Reason } from '../../packages/client/src/wire.ts'
import reasons from '../reasons.json'
import { t } from '../texts.ts'

const ADVICE: Readonly<Record<string, { readonly advice: string }>> = reasons

export function Advice({ reason }: { readonly reason: Reason }) {
  const { code, message, type } = reason
  return (
    <div class="notice">
      <p lang="en">
        <strong>{message}</strong>
      </p>
      <p lang="en">{withCode(ADVICE[code]?.advice ?? '')}</p>
      <p>
        <code>{code}</code> ·{' '}
        <a href={type} target="_blank" rel="noreferrer">
          {t('about_reason')}
        </a>
      </p>
    </div>
  )
}

/** Shows the parts of a text between backticks as code. */
function withCode(text: string) {
  return text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))
}
