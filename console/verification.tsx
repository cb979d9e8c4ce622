// One verification: what was asked, what happened, each delivery, and what can be done.

import { useState } from 'preact/hooks'
import { call, callText, type Session } from './api.ts'
import { Action, Facts, Loaded, Status, Table, Time, useResource } from './parts.tsx'
import { t } from './texts.ts'

type Reason = { readonly code: string; readonly message: string; readonly type: string }
type Poll = {
  readonly verification_id: string
  readonly status: string
  readonly stage: string
  readonly created_at: string
  readonly expires_at: string
  readonly verified_at: string | null
  readonly credential_types: readonly string[] | null
  readonly scope: readonly string[] | null
  readonly checks: Readonly<Record<string, boolean>> | null
  readonly assurance_level: string | null
  readonly required_assurance_level: string
  readonly issuer: string | null
  readonly format: string | null
  readonly protocol: string
  readonly channel: string | null
  readonly session_binding: string | null
  readonly reason: Reason | null
  readonly attempts: readonly { readonly at: string; readonly reason: Reason; readonly detail: string | null }[]
  readonly trace: readonly { readonly id: string; readonly clause: string; readonly result: string }[]
  readonly assurance_derivation: readonly Readonly<Record<string, unknown>>[]
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: boolean
}
type Timeline = {
  readonly entries: readonly {
    readonly at: string
    readonly type: string
    readonly count: number
    readonly channel: string | null
    readonly wallet: string | null
    readonly status: string | null
    readonly reason: Reason | null
    readonly clause: string | null
    readonly http_status: number | null
    readonly error: string | null
    readonly duration_ms: number | null
  }[]
}
type Deliveries = {
  readonly deliveries: readonly {
    readonly delivery_id: string
    readonly event_type: string
    readonly state: string
    readonly body: string
    readonly attempts: readonly {
      readonly attempt: number
      readonly at: string
      readonly status: number | null
      readonly error: string | null
      readonly duration_ms: number | null
      readonly response_excerpt: string | null
    }[]
  }[]
}

/** Time between two reads while the verification is pending. */
const LIVE_MS = 2_000
/** Outcomes that a button of test mode produces. */
const OUTCOMES = ['verified', 'predicate_false', 'untrusted_issuer', 'access_denied', 'credential_revoked', 'session_expired']

export function Verification({ id, session }: { readonly id: string; readonly session: Session }) {
  const path = `/v1/verify/${encodeURIComponent(id)}`
  const [isOver, setOver] = useState(false)
  const every = isOver ? undefined : LIVE_MS
  const poll = useResource<Poll>(path, every)
  const timeline = useResource<Timeline>(`${path}/timeline`, every)
  if (poll.answer?.ok && poll.answer.value.status !== 'pending' && !isOver) setOver(true)
  const reload = () => {
    poll.reload()
    timeline.reload()
  }
  const change = async (method: string, end: string, body?: object) => {
    const answer = await call(method, `${path}${end}`, body)
    reload()
    return answer
  }
  const may = (scope: string) => session.scopes.includes(scope)
  return (
    <>
      <p>
        <a href="#/verifications">← {t('verifications')}</a>
      </p>
      <Loaded answer={poll.answer}>
        {(value) => (
          <>
            <h1>
              <Status status={value.status} /> <code class="id">{value.verification_id}</code>
            </h1>
            {value.reason && <Advice reason={value.reason} />}
            <Facts rows={factsOf(value)} />
            <div class="actions">
              {value.status === 'pending' && may('verify:create') && (
                <Action label={t('cancel')} confirm={t('cancel_sure')} run={() => change('POST', '/cancel')} />
              )}
              {value.status !== 'pending' && <Receipt path={path} />}
              {may('verify:create') && (
                <Action
                  label={t('erase')}
                  kind="danger"
                  confirm={t('erase_sure')}
                  run={async () => {
                    const answer = await call('DELETE', path)
                    if (answer.ok) location.hash = '#/verifications'
                    return answer
                  }}
                />
              )}
            </div>
            {!value.livemode && value.status === 'pending' && may('verify:create') && (
              <section>
                <h2>{t('outcomes')}</h2>
                <div class="actions">
                  {OUTCOMES.map((reason) => (
                    <Action
                      key={reason}
                      label={reason}
                      run={async () => {
                        const answer = await call('POST', `/v1/test/verify/${encodeURIComponent(id)}/outcome`, { reason })
                        reload()
                        return answer
                      }}
                    />
                  ))}
                </div>
              </section>
            )}
            <section>
              <h2>{t('timeline')}</h2>
              <Loaded answer={timeline.answer}>{({ entries }) => <Steps entries={entries} />}</Loaded>
            </section>
            {value.trace.length > 0 && (
              <section>
                <h2>{t('checks')}</h2>
                <Table caption={t('checks')} columns={[t('check'), t('clause'), t('result')]}>
                  {value.trace.map(({ id: check, clause, result }) => (
                    <tr key={check}>
                      <td>
                        <code>{check}</code>
                      </td>
                      <td>{clause}</td>
                      <td>
                        <span class={`result ${result}`}>{t(`result.${result}`)}</span>
                      </td>
                    </tr>
                  ))}
                </Table>
              </section>
            )}
            {value.assurance_derivation.length > 0 && (
              <section>
                <h2>{t('level')}</h2>
                <Table caption={t('level')} columns={[t('step'), t('source'), t('level')]}>
                  {value.assurance_derivation.map(({ step, level, ...rest }, index) => (
                    <tr key={String(index)}>
                      <td>
                        <code>{String(step)}</code>
                      </td>
                      <td>
                        {Object.entries(rest)
                          .filter(([, each]) => each !== null)
                          .map(([name, each]) => `${name}: ${typeof each === 'object' ? JSON.stringify(each) : each}`)
                          .join(', ')}
                      </td>
                      <td>{String(level)}</td>
                    </tr>
                  ))}
                </Table>
              </section>
            )}
            {may('webhooks:manage') && <DeliveriesOf path={path} every={every} />}
          </>
        )}
      </Loaded>
    </>
  )
}

function Advice({ reason }: { readonly reason: Reason }) {
  return (
    <div class="notice">
      <p>
        <strong>{reason.message}</strong> <code>{reason.code}</code>
      </p>
      <p>
        <a href={reason.type} target="_blank" rel="noreferrer">
          {t('advice')}
        </a>
      </p>
    </div>
  )
}

function factsOf(value: Poll) {
  const { metadata, checks } = value
  return [
    [t('created_at'), <Time key="c" at={value.created_at} />],
    [t('stage'), t(`stage.${value.stage}`)],
    [t('credential_type'), value.credential_types?.join(', ') ?? '–'],
    [t('scope'), value.scope?.join(', ') ?? '–'],
    [t('checks'), checks && Object.entries(checks).map(([name, held]) => `${name}: ${t(held ? 'yes' : 'no')}`).join(', ')],
    [t('level'), `${value.assurance_level ?? '–'} (${t('required')}: ${value.required_assurance_level})`],
    [t('issuer'), value.issuer],
    [t('protocol'), [value.protocol, value.format, value.channel].filter((part) => part !== null).join(' · ')],
    [t('metadata'), Object.entries(metadata).map(([name, held]) => `${name}=${held}`).join(', ')],
  ] as const
}

function Steps({ entries }: Timeline) {
  return (
    <ol class="timeline">
      {entries.map((entry, index) => (
        <li key={String(index)} class={entry.type}>
          <Time at={entry.at} /> <strong>{t(`step.${entry.type}`)}</strong>
          {entry.count > 1 && <span> × {entry.count}</span>}
          {entry.status && (
            <>
              {' '}
              <Status status={entry.status} />
            </>
          )}{' '}
          <span class="soft">
            {[entry.channel, entry.wallet, entry.http_status && `HTTP ${entry.http_status}`, entry.error, entry.duration_ms && `${entry.duration_ms} ms`]
              .filter(Boolean)
              .join(' · ')}
          </span>
          {entry.reason && <Advice reason={entry.reason} />}
          {entry.clause && <p class="soft">{entry.clause}</p>}
        </li>
      ))}
    </ol>
  )
}

function Receipt({ path }: { readonly path: string }) {
  const [receipt, setReceipt] = useState<string | null>(null)
  const read = async () => {
    const answer = await callText('GET', `${path}/receipt`)
    if (answer.ok) setReceipt(answer.value)
    return answer
  }
  return (
    <>
      <Action label={t('receipt')} run={read} />
      {receipt !== null && (
        <div class="receipt">
          <p class="soft">{t('receipt_hint')}</p>
          <textarea readOnly rows={4} value={receipt} aria-label={t('receipt')} />
        </div>
      )}
    </>
  )
}

function DeliveriesOf({ path, every }: { readonly path: string; readonly every: number | undefined }) {
  const { answer, reload } = useResource<Deliveries>(`${path}/deliveries`, every)
  return (
    <section>
      <h2>{t('deliveries')}</h2>
      <Loaded answer={answer}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p>{t('no_deliveries')}</p>
          ) : (
            <>
              {deliveries.map(({ delivery_id, event_type, state, body, attempts }) => (
                <article key={delivery_id} class="card">
                  <h3>
                    <code>{event_type}</code> <span class={`state ${state}`}>{t(`state.${state}`)}</span>
                  </h3>
                  <Table caption={event_type} columns={['attempt', 'created_at', 'response', 'duration'].map((name) => t(name))}>
                    {attempts.map((attempt) => (
                      <tr key={attempt.attempt}>
                        <td>{attempt.attempt}</td>
                        <td>
                          <Time at={attempt.at} />
                        </td>
                        <td>
                          {attempt.status === null ? attempt.error : `HTTP ${attempt.status}`}
                          {attempt.response_excerpt && <pre>{attempt.response_excerpt}</pre>}
                        </td>
                        <td>{attempt.duration_ms === null ? '–' : `${attempt.duration_ms} ms`}</td>
                      </tr>
                    ))}
                  </Table>
                  <details>
                    <summary>{t('body')}</summary>
                    <pre>{pretty(body)}</pre>
                  </details>
                  <Action
                    label={t('send_again')}
                    run={async () => {
                      const sent = await call('POST', `${path}/deliveries/${delivery_id}/redeliver`)
                      setTimeout(reload, 1_000)
                      return sent
                    }}
                  />
                </article>
              ))}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
