// Webhook events that the receiver did not accept: events without a further attempt, and events of the newest
// verifications that are tried again.

import { useEffect, useState } from 'preact/hooks'
import type { DeliveryLog, VerificationPage } from '../../packages/client/src/wire.ts'
import { type Answer, call } from '../api.ts'
import { Action, known, Loaded, Table, Time } from '../parts.tsx'
import { verificationLink } from '../route.ts'
import { t } from '../texts.ts'

type Delivery = DeliveryLog['deliveries'][number]
type Failed = Delivery & { readonly verification_id: string }

/** Number of verifications in each list whose deliveries are read, and number of reads at a time. */
const READ = 20
const AT_A_TIME = 4

export function WebhookFailures() {
  const [answer, setAnswer] = useState<Answer<readonly Failed[]> | null>(null)
  const read = () => readFailed().then(setAnswer)
  useEffect(() => void read(), [])
  return (
    <section>
      <h2>{t('webhook_failures')}</h2>
      <p class="soft">{t('webhook_failures_hint')}</p>
      <Loaded answer={answer}>
        {(failed) =>
          failed.length === 0 ? (
            <p>{t('no_failures')}</p>
          ) : (
            <Table caption={t('webhook_failures')} columns={COLUMNS.map((column) => t(column))}>
              {failed.map((delivery) => (
                <Row key={delivery.delivery_id} delivery={delivery} onSent={read} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </section>
  )
}

const COLUMNS = ['last_attempt', 'event', 'response', 'state', 'next_attempt_at', 'verification', 'actions']

function Row({ delivery, onSent }: { readonly delivery: Failed; readonly onSent: () => void }) {
  const { verification_id, delivery_id, event_type, state, attempts, next_attempt_at } = delivery
  const last = attempts.at(-1)
  return (
    <tr>
      <td>
        <Time at={last?.at ?? null} />
      </td>
      <td>
        <code>{event_type}</code>
      </td>
      <td>{last?.status == null ? known('delivery', last?.error ?? 'unknown') : `HTTP ${last.status}`}</td>
      <td>
        <span class={`state ${state}`}>{known('state', state)}</span>
      </td>
      <td>
        <Time at={next_attempt_at} />
      </td>
      <td>
        <a href={verificationLink(verification_id)}>
          <code>{verification_id.slice(0, SHOWN)}…</code>
        </a>
      </td>
      <td>
        <Action
          label={t('send_again')}
          run={async () => {
            const path = `/v1/verify/${verification_id}/deliveries/${delivery_id}/redeliver`
            const sent = await call('POST', path)
            if (sent.ok) onSent()
            return sent
          }}
        />
      </td>
    </tr>
  )
}

/** Characters of an id that a table shows. */
const SHOWN = 12

async function readFailed(): Promise<Answer<readonly Failed[]>> {
  const lists = await Promise.all(
    [`?webhook_state=dead&limit=${READ}`, `?limit=${READ}`].map((query) =>
      call<VerificationPage>('GET', `/v1/verify${query}`),
    ),
  )
  const ids = new Set<string>()
  for (const list of lists) {
    if (!list.ok) return list
    for (const { verification_id } of list.value.verifications) ids.add(verification_id)
  }
  const left = [...ids]
  const failed: Failed[] = []
  while (left.length > 0) {
    const logs = await Promise.all(
      left.splice(0, AT_A_TIME).map((id) => call<DeliveryLog>('GET', `/v1/verify/${id}/deliveries`)),
    )
    for (const log of logs) if (log.ok) failed.push(...failedOf(log.value))
  }
  return { ok: true, value: failed.sort((a, b) => (lastAt(a) < lastAt(b) ? 1 : -1)) }
}

function failedOf({ verification_id, deliveries }: DeliveryLog): readonly Failed[] {
  return deliveries
    .filter(({ state, attempts }) => state !== 'delivered' && attempts.length > 0)
    .map((delivery) => ({ ...delivery, verification_id }))
}

function lastAt({ attempts }: Delivery): string {
  return attempts.at(-1)?.at ?? ''
}
