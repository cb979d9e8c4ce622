// The steps of a verification, oldest first.

import type { Timeline, Verification } from '../../packages/client/src/wire.ts'
import { known, Status, Time } from '../parts.tsx'
import { language, t } from '../texts.ts'
import { Advice } from './advice.tsx'

type Entry = Timeline['entries'][number]
type Attempts = Verification['attempts']

export function Steps({
  entries,
  attempts,
}: {
  readonly entries: readonly Entry[]
  readonly attempts: Attempts
}) {
  const began = Date.parse(entries[0]?.at ?? '')
  return (
    <ol class="timeline">
      {entries.map((entry) => (
        <li key={`${entry.at} ${entry.type} ${entry.delivery_id}`} class={classOf(entry)}>
          <p>
            <strong>{known('step', entry.type)}</strong>
            {entry.count > 1 && <span> × {entry.count}</span>}{' '}
            {entry.status && <Status status={entry.status} />} <span class="soft">{detailsOf(entry)}</span>
          </p>
          <p class="soft">
            <Time at={entry.at} />{' '}
            {entry.at !== entries[0]?.at && `(+ ${spanOf(Date.parse(entry.at) - began)})`}
          </p>
          {entry.reason && <Advice reason={entry.reason} />}
          {entry.clause && <p>{t('clause_of', { clause: entry.clause })}</p>}
          <RuleOf entry={entry} attempts={attempts} />
        </li>
      ))}
    </ol>
  )
}

/** Shows what the attempt of a step says beyond its reason. */
function RuleOf({ entry, attempts }: { readonly entry: Entry; readonly attempts: Attempts }) {
  if (entry.type !== 'response_refused') return null
  const attempt = attempts.find(({ at }) => at === entry.last_at)
  const errors = Object.entries(attempt?.document_errors ?? {}).map(([name, code]) => `${name}: ${code}`)
  const details = [attempt?.detail ?? '', ...errors].filter((text) => text !== '')
  return details.length === 0 ? null : (
    <p>
      <code>{details.join(', ')}</code>
    </p>
  )
}

function classOf({ type, status, http_status }: Entry): string {
  if (type === 'webhook_attempt') return http_status !== null && http_status < 300 ? 'good' : 'bad'
  if (type === 'response_refused') return 'bad'
  if (type === 'ended') return status === 'verified' ? 'good' : status === 'rejected' ? 'bad' : 'main'
  return ''
}

function detailsOf({ channel, wallet, http_status, error, duration_ms }: Entry): string {
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
