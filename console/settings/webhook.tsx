// The webhook endpoint: its address and events, its secret, a test event, and its state.

import { useState } from 'preact/hooks'
import type { Settings, WebhookTest } from '../../packages/client/src/wire.ts'
import { call } from '../api.ts'
import { Action, Facts, known } from '../parts.tsx'
import { t } from '../texts.ts'
import { Choices, Form, Line, textOf } from './form.tsx'
import type { Places } from './places.ts'
import { Secret } from './secret.tsx'

/** Event types of outcomes, which a webhook gets by default, of steps, and of time stamps. */
const OUTCOMES = ['verified', 'rejected', 'declined', 'expired', 'canceled'].map(
  (name) => `verification.${name}`,
)
const STEPS = ['created', 'request_fetched', 'response_refused'].map((name) => `verification.${name}`)

const TIME_STAMPS = ['evidence.time_stamped', 'evidence.time_stamp_failed']

export function Webhook({
  webhook,
  places,
  onChange,
}: {
  readonly webhook: Settings['webhook']
  readonly places: Places
  readonly onChange: () => void
}) {
  const save = async (fields: FormData) => {
    const url = textOf(fields, 'url')
    const sent = url === '' ? null : { url, events: fields.getAll('events') }
    const saved = await call('PATCH', places.settings, { webhook: sent })
    if (saved.ok) onChange()
    return saved
  }
  return (
    <section>
      <h2>{t('webhook')}</h2>
      {webhook === null ? <p>{t('no_webhook')}</p> : <Endpoint {...{ webhook, places, onChange }} />}
      <details>
        <summary>{t('change_webhook')}</summary>
        <Form label={t('change_webhook')} action={t('save')} send={save}>
          <Line
            name="url"
            label={t('address')}
            pointer="/webhook/url"
            hint={t('webhook_hint')}
            value={webhook?.url ?? ''}
            type="url"
          />
          <Choices
            legend={t('events')}
            name="events"
            options={[...OUTCOMES, ...STEPS, ...TIME_STAMPS]}
            chosen={webhook?.events ?? OUTCOMES}
          />
        </Form>
      </details>
    </section>
  )
}

function Endpoint({
  webhook,
  places,
  onChange,
}: {
  readonly webhook: NonNullable<Settings['webhook']>
  readonly places: Places
  readonly onChange: () => void
}) {
  const [secret, setSecret] = useState<string | null>(null)
  const [result, setResult] = useState<WebhookTest | null>(null)
  const test = async () => {
    const sent = await call<WebhookTest>('POST', `${places.webhook}/test`)
    setResult(sent.ok ? sent.value : null)
    if (sent.ok && sent.value.status === GONE) onChange()
    return sent
  }
  const rotate = async () => {
    const rotated = await call<{ readonly webhook_secret: string }>('POST', `${places.webhook}/rotate_secret`)
    if (rotated.ok) setSecret(rotated.value.webhook_secret)
    return rotated
  }
  const enable = async () => {
    const enabled = await call('POST', `${places.webhook}/enable`)
    if (enabled.ok) onChange()
    return enabled
  }
  return (
    <>
      {webhook.disabled && <p class="notice bad">{t('webhook_disabled')}</p>}
      <div class="card">
        <Facts
          rows={[
            [t('address'), <code key="address">{webhook.url}</code>],
            [t('events'), webhook.events.map((name) => name.replace('verification.', '')).join(', ')],
            [t('state'), t(webhook.disabled ? 'disabled' : 'enabled')],
          ]}
        />
        <div class="actions">
          <Action label={t('test_event')} run={test} />
          <Action label={t('rotate')} confirm={t('rotate_sure')} run={rotate} />
          {webhook.disabled && <Action label={t('enable')} kind="primary" run={enable} />}
        </div>
      </div>
      {result && <TestResult result={result} />}
      {secret && <Secret label={t('webhook_secret')} value={secret} />}
    </>
  )
}

/** The status that disables an endpoint. */
const GONE = 410

function TestResult({ result }: { readonly result: WebhookTest }) {
  const { succeeded, status, error, duration_ms } = result
  return (
    <p role="status" class={succeeded ? 'notice good' : 'notice bad'}>
      {t(succeeded ? 'test_succeeded' : 'test_failed')}{' '}
      {status === null ? known('delivery', error ?? 'unknown') : `HTTP ${status}`} ·{' '}
      {t('milliseconds', { count: duration_ms })}
    </p>
  )
}
