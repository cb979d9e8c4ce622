// One verification: its state, its steps, its checks, its webhooks, and the possible actions.

import { useRef, useState } from 'preact/hooks'
import type { DeliveryLog, Verification as Polled, Timeline } from '../../packages/client/src/wire.ts'
import { type Answer, call, type Session } from '../api.ts'
import { Action, Facts, Failure, known, Lines, Loaded, Status, Time, Zone } from '../parts.tsx'
import { useResource } from '../resource.ts'
import { listLink } from '../route.ts'
import { t } from '../texts.ts'
import { Advice } from './advice.tsx'
import { Checks, Credentials, Derivation } from './checks.tsx'
import { Deliveries } from './deliveries.tsx'
import { Evidence, evidenceWords } from './evidence.tsx'
import { Outcomes } from './outcomes.tsx'
import { Receipt } from './receipt.tsx'
import { Steps } from './steps.tsx'
import { lastQuery } from './use-listing.ts'

/** Time between two reads while something is expected. */
const LIVE_MS = 2_000
/** Time after a change for which results are expected. */
const AFTER_CHANGE_MS = 20_000

export function Verification({ id, session }: { readonly id: string; readonly session: Session }) {
  const path = `/v1/verify/${encodeURIComponent(id)}`
  const may = (scope: string) => session.scopes.includes(scope)
  const changedAt = useRef(0)
  const [isLive, setLive] = useState(true)
  const every = isLive ? LIVE_MS : undefined
  const poll = useResource<Polled>(path, every)
  const timeline = useResource<Timeline>(`${path}/timeline`, every)
  const log = useResource<DeliveryLog>(may('webhooks:manage') ? `${path}/deliveries` : null, every)
  const expects =
    isPending(poll.answer) || isQueued(log.answer) || Date.now() - changedAt.current < AFTER_CHANGE_MS
  if (poll.answer !== null && expects !== isLive) setLive(expects)
  const change = async (method: string, to: string, body?: object) => {
    const answer = await call(method, to, body)
    changedAt.current = Date.now()
    setLive(true)
    for (const each of [poll, timeline, log]) each.reload()
    return answer
  }
  const problem = poll.problem ?? timeline.problem
  // All parts appear at once, so that none moves another.
  const isRead = timeline.answer !== null && (log.answer !== null || !may('webhooks:manage'))
  return (
    <>
      <p>
        <a href={listLink(lastQuery())}>← {t('verifications')}</a>
      </p>
      <h1>
        {t('verification')} <code class="id">{id}</code>
      </h1>
      <Zone />
      {problem && <Failure problem={problem} />}
      <Loaded answer={isRead ? poll.answer : null}>
        {(value) => (
          <>
            <Summary value={value} path={path} mayChange={may('verify:create')} change={change} />
            {!value.livemode && value.status === 'pending' && may('verify:create') && (
              <Outcomes
                produce={(reason) => change('POST', `/v1/test${path.slice(3)}/outcome`, { reason })}
              />
            )}
            <section>
              <h2>{t('timeline')}</h2>
              <Loaded answer={timeline.answer}>
                {({ entries, left_out }) => (
                  <>
                    <Steps
                      entries={entries}
                      attempts={value.attempts}
                      type={soleTypeOf(value)}
                      mayTrust={may('settings:manage')}
                    />
                    {left_out > 0 && <p class="soft">{t('left_out', { count: left_out })}</p>}
                  </>
                )}
              </Loaded>
            </section>
            <Checks trace={value.trace} />
            <Derivation steps={value.assurance_derivation} />
            <Credentials credentials={value.credentials} />
            <Deliveries
              answer={log.answer}
              may={may('webhooks:manage')}
              onAgain={(delivery) => change('POST', `${path}/deliveries/${delivery}/redeliver`)}
            />
            {value.evidence && (
              <Evidence
                kept={value.evidence}
                id={id}
                path={path}
                scopes={session.scopes}
                onErase={() => change('DELETE', `${path}/evidence`)}
              />
            )}
            {value.status !== 'pending' && <Receipt path={path} id={id} issuer={session.base_url} />}
            <details class="card">
              <summary>{t('as_json')}</summary>
              <Lines text={JSON.stringify(value, null, 2)} />
            </details>
          </>
        )}
      </Loaded>
    </>
  )
}

type SummaryProps = {
  readonly value: Polled
  readonly path: string
  readonly mayChange: boolean
  readonly change: (method: string, to: string, body?: object) => Promise<Answer<unknown>>
}

function Summary({ value, path, mayChange, change }: SummaryProps) {
  const isOver = value.status !== 'pending'
  const erase = async () => {
    const answer = await call('DELETE', path)
    if (answer.ok) location.hash = listLink(lastQuery())
    return answer
  }
  return (
    <section class="card">
      <p class="now">
        <Status status={value.status} /> {!isOver && <span>{known('stage', value.stage)}</span>}
      </p>
      {value.reason && <Advice reason={value.reason} />}
      <Facts rows={factsOf(value)} />
      {mayChange ? (
        <div class="actions">
          {!isOver && (
            <Action
              label={t('cancel')}
              confirm={t('cancel_sure')}
              run={() => change('POST', `${path}/cancel`)}
            />
          )}
          <Action label={t('erase')} kind="danger" confirm={t('erase_sure')} run={erase} />
        </div>
      ) : (
        <p class="soft">{t('needs_scope', { scope: 'verify:create' })}</p>
      )}
    </section>
  )
}

function factsOf(value: Polled) {
  const { metadata, checks, protocol, format, channel, wallet } = value
  const level = known('level', value.assurance_level ?? '–')
  const required = t('required_level', { level: known('level', value.required_assurance_level) })
  const held = Object.entries(checks ?? {}).map(([name, holds]) => `${name}: ${t(holds ? 'yes' : 'no')}`)
  return [
    [t('created'), <Time key="created" at={value.created_at} />],
    [t('expires'), <Time key="expires" at={value.expires_at} />],
    [t('credential_type'), value.credential_types?.join(', ')],
    [t('scope'), value.scope?.join(', ')],
    [t('claims'), held.join(', ')],
    [t('level'), `${level} (${required})`],
    [t('issuer'), value.issuer],
    [
      t('protocol'),
      [protocol, format, channel && known('channel', channel), wallet].filter(Boolean).join(' · '),
    ],
    [t('session_binding'), value.session_binding ?? value.required_session_binding],
    [t('attempts'), String(value.attempt_count)],
    [t('evidence'), evidenceWords(value)],
    ...Object.entries(metadata).map(([name, text]) => [`${t('metadata')}: ${name}`, text] as const),
  ] as const
}

function soleTypeOf({ credential_types }: Polled): string | undefined {
  return credential_types?.length === 1 ? credential_types[0] : undefined
}

function isPending(answer: Answer<Polled> | null): boolean {
  return answer?.ok === true && answer.value.status === 'pending'
}

function isQueued(answer: Answer<DeliveryLog> | null): boolean {
  if (answer?.ok !== true) return false
  const { deliveries, evidence_push } = answer.value
  return evidence_push === 'queued' || deliveries.some(({ state }) => state === 'queued')
}
