// The steps of a verification, oldest first.

import type { Timeline } from '../../packages/client/src/wire.ts'
import { known, Status, Time } from '../parts.tsx'
import { language, t } from '../texts.ts'
import { Advice } from './advice.tsx'
import { type Attempt, attemptsOf, claimedIssuersOf, detailsOf } from './attempts.ts'
import { ClaimedIssuer } from './claimed-issuer.tsx'

type Entry = Timeline['entries'][number]

export function Steps({
  entries,
  attempts,
  type,
  mayTrust,
}: {
  readonly entries: readonly Entry[]
  readonly attempts: readonly Attempt[]
  /** Credential type of the request, if it names one only. */
  readonly type: string | undefined
  /** True if the reader may add trust anchors. */
  readonly mayTrust: boolean
}) {
  const began = Date.parse(entries[0]?.at ?? '')
  return (
    <ol class="timeline">
      {entries.map((entry) => (
        <li key={`${entry.at} ${entry.type} ${entry.delivery_id}`} class={classOf(entry)}>
          <p>
            <strong>{known('step', entry.type)}</strong>
            {entry.count > 1 && <span> × {entry.count}</span>}{' '}
            {entry.status && <Status status={entry.status} />} <span class="soft">{factsOf(entry)}</span>
          </p>
          <p class="soft">
            <Time at={entry.at} />{' '}
            {entry.at !== entries[0]?.at && `(+ ${spanOf(Date.parse(entry.at) - began)})`}
          </p>
          {entry.reason && <Advice reason={entry.reason} />}
          {entry.clause && <p>{t('clause_of', { clause: entry.clause })}</p>}
          <Attempts entry={entry} attempts={attempts} />
          {claimedIssuersOf(attemptsOf(entry, attempts)).map((claimed) => (
            <ClaimedIssuer key={JSON.stringify(claimed)} {...{ claimed, type, mayTrust }} />
          ))}
        </li>
      ))}
    </ol>
  )
}

/** Shows the details of the attempts of a step. If there are several attempts, shows the time of each. */
function Attempts({ entry, attempts }: { readonly entry: Entry; readonly attempts: readonly Attempt[] }) {
  const counted = attemptsOf(entry, attempts)
  const [only] = counted
  if (only === undefined) return null
  if (entry.count === 1) return <Details text={detailsOf(only)} />
  return (
    <ol class="attempts">
      {counted.map((attempt, number) => (
        <li key={String(number)}>
          <Time at={attempt.at} /> <Details text={detailsOf(attempt)} />
        </li>
      ))}
    </ol>
  )
}

function Details({ text }: { readonly text: string }) {
  return text === '' ? null : <code>{text}</code>
}

function classOf({ type, status, http_status }: Entry): string {
  if (type === 'webhook_attempt') return http_status !== null && http_status < 300 ? 'good' : 'bad'
  if (type === 'response_refused') return 'bad'
  if (type === 'ended') return status === 'verified' ? 'good' : status === 'rejected' ? 'bad' : 'main'
  return ''
}

function factsOf({ channel, wallet, http_status, error, duration_ms }: Entry): string {
  const parts = [
    channel && known('channel', channel),
    wallet,
    http_status && `HTTP ${http_status}`,
    error && known('delivery', error),
    duration_ms !== null && `${duration_ms} ms`,
  ]
  return parts.filter(Boolean).join(' · ')
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Returns a time span in its largest unit. */
function spanOf(milliseconds: number): string {
  const seconds = milliseconds / 1000
  const [unit, size] = UNITS.find(([, each]) => seconds >= 2 * each) ?? (['second', 1] as const)
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(language(), options).format(seconds / size)
}
