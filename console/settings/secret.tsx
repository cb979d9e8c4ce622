// A secret that the API shows once.

import { useState } from 'preact/hooks'
import { t } from '../texts.ts'

export function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => undefined, // the text can be selected
    )
  }
  return (
    <div class="notice secret" role="status">
      <p>
        <strong>{label}</strong> {t('shown_once')}
      </p>
      <div class="actions">
        <input readOnly value={value} aria-label={label} onFocus={(event) => event.currentTarget.select()} />
        <button type="button" onClick={copy}>
          {t(isCopied ? 'copied' : 'copy')}
        </button>
      </div>
    </div>
  )
}
