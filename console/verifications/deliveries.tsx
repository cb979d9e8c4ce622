// Deliveries of a verification: each attempt with its result. Events have what was sent, and a button to send
// it again. Evidence on its way to an object store has its state.

import type { DeliveryLog } from '../../packages/client/src/wire.ts'
import type { Answer } from '../api.ts'
import { Action, known, Lines, Loaded, Table, Time } from '../parts.tsx'
import { t } from '../texts.ts'

type Delivery = DeliveryLog['deliveries'][number]
type OnAgain = (deliveryId: string) => Promise<Answer<unknown>>

export function Deliveries({
  answer,
  may,
  onAgain,
}: {
  readonly answer: Answer<DeliveryLog> | null
  /** False if the key lacks the scope. */
  readonly may: boolean
  readonly onAgain: OnAgain
}) {
  return (
    <section>
      <h2>{t('deliveries')}</h2>
      {!may && <p class="soft">{t('needs_scope', { scope: 'webhooks:manage' })}</p>}
      {may && (
        <Loaded answer={answer}>
          {({ deliveries, evidence_push, evidence_push_attempts }) => (
            <>
              {deliveries.length === 0 && <p class="soft">{t('no_deliveries')}</p>}
              {deliveries.map((delivery) => (
                <OneDelivery key={delivery.delivery_id} delivery={delivery} onAgain={onAgain} />
              ))}
              {evidence_push && <EvidencePush state={evidence_push} attempts={evidence_push_attempts} />}
            </>
          )}
        </Loaded>
      )}
    </section>
  )
}

/** Evidence on its way to the object store of the relying party. Its content is never shown. */
function EvidencePush({
  state,
  attempts,
}: {
  readonly state: string
  readonly attempts: Delivery['attempts']
}) {
  return (
    <article class="card">
      <h3>
        {t('evidence_push')} <span class={`state ${state}`}>{known('state', state)}</span>
      </h3>
      <Attempts caption={t('evidence_push')} attempts={attempts} />
    </article>
  )
}

const COLUMNS = ['attempt', 'time', 'response', 'duration']

function OneDelivery({ delivery, onAgain }: { readonly delivery: Delivery; readonly onAgain: OnAgain }) {
  const { delivery_id, event_type, state, body, attempts, next_attempt_at } = delivery
  return (
    <article class="card">
      <h3>
        <code>{event_type}</code> <span class={`state ${state}`}>{known('state', state)}</span>
      </h3>
      {next_attempt_at && (
        <p class="soft">
          {t('next_attempt')} <Time at={next_attempt_at} />
        </p>
      )}
      <Attempts caption={event_type} attempts={attempts} />
      <details>
        <summary>{t('body')}</summary>
        <Lines text={pretty(body)} />
      </details>
      <div class="actions">
        <Action label={t('send_again')} run={() => onAgain(delivery_id)} />
      </div>
    </article>
  )
}

function Attempts({
  caption,
  attempts,
}: {
  readonly caption: string
  readonly attempts: Delivery['attempts']
}) {
  if (attempts.length === 0) return null
  return (
    <Table caption={caption} columns={COLUMNS.map((name) => t(name))} stacks>
      {attempts.map(({ attempt, at, status, error, duration_ms, response_excerpt, manual }) => (
        <tr key={attempt}>
          <td>
            {attempt} {manual && <span class="soft">({t('manual')})</span>}
          </td>
          <td>
            <Time at={at} />
          </td>
          <td>
            {status === null ? known('delivery', error ?? 'unknown') : `HTTP ${status}`}
            {response_excerpt && <Lines text={response_excerpt} />}
          </td>
          <td>{duration_ms === null ? '–' : `${duration_ms} ms`}</td>
        </tr>
      ))}
    </Table>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
