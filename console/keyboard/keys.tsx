// The button and the dialog that show the keys, and the switch that turns single keys off.

import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../texts.ts'
import { areKeysOn, listenToKeys, setKeysOn } from './shortcuts.ts'

/** Keys and the names of their texts. A key with a name in each language has a text, too. */
const KEYS = [
  ['/', 'key.search'],
  ['j', 'key.next'],
  ['k', 'key.previous'],
  ['arrow_keys', 'key.arrows'],
  ['Enter', 'key.open'],
  ['?', 'key.help'],
] as const

export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOn, setOn] = useState(areKeysOn)
  const show = () => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }
  useEffect(() => listenToKeys(show), [])
  const change = (event: Event) => {
    const { checked } = event.currentTarget as HTMLInputElement
    setKeysOn(checked)
    setOn(checked)
  }
  return (
    <>
      <button type="button" class="keys" aria-label={t('keys')} title={t('keys')} onClick={show}>
        ?
      </button>
      <dialog ref={dialog} aria-labelledby="keys">
        <h2 id="keys">{t('keys')}</h2>
        <dl class="keys">
          {KEYS.map(([key, text]) => (
            <div key={key}>
              <dt>
                <kbd>{t(key)}</kbd>
              </dt>
              <dd>{t(text)}</dd>
            </div>
          ))}
        </dl>
        <label class="choice">
          <input type="checkbox" checked={isOn} onChange={change} /> {t('keys_on')}
        </label>
        <div class="actions">
          <button type="button" class="primary" onClick={() => dialog.current?.close()}>
            {t('close')}
          </button>
        </div>
      </dialog>
    </>
  )
}
