// Counters of a relying party: totals, plots over time, and the same values as tables.

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Insights as Result } from '../packages/client/src/wire.ts'
import type { Answer } from './api.ts'
import {
  allowsHours,
  ENDS,
  formatCount,
  formatSeconds,
  formatShare,
  PERIODS,
  type Period,
  queryOf,
  type Step,
  sum,
  totals,
} from './insights/counts.ts'
import { Plot } from './insights/plot.tsx'
import { CsvButton, known, LeftOut, Loaded, Status, Table, useResource, Zone } from './parts.tsx'
import { t } from './texts.ts'
import './insights/insights.css'

/** Time between two reads. */
const LIVE_MS = 30_000

export function Insights({ mode }: { readonly mode: string }) {
  const [period, setPeriod] = useState<Period>({ preset: 'week' })
  const [wanted, setWanted] = useState<'hour' | 'day'>('hour')
  const now = Date.now()
  const { query, step } = queryOf(period, wanted, now)
  const { answer } = useResource<Result>(`/v1/insights?${query}`, LIVE_MS)
  // The previous values stay until the new values arrive, so that nothing moves.
  const last = useRef<Answer<Result> | null>(null)
  if (answer !== null) last.current = answer
  return (
    <>
      <h1>{t('insights')}</h1>
      <Zone isUtc />
      <form class="periods" onSubmit={(event) => event.preventDefault()}>
        <PeriodChoice period={period} onChoose={setPeriod} now={now} />
        <fieldset class="choices">
          <legend>{t('step')}</legend>
          {(['hour', 'day'] as const).map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="step"
                checked={step === name}
                disabled={name === 'hour' && !allowsHours(period, now)}
                onChange={() => setWanted(name)}
              />
              {t(`step.${name}`)}
            </label>
          ))}
        </fieldset>
      </form>
      <div class="insights" aria-busy={answer === null}>
        <Loaded answer={answer ?? last.current}>
          {({ steps, step: shown, incomplete }) => (
            <>
              <LeftOut days={incomplete} />
              <Plots steps={steps} step={shown} mode={mode} />
            </>
          )}
        </Loaded>
      </div>
    </>
  )
}

/** First and last day that a custom period has at first, as YYYY-MM-DD. The last day is the day of `now`. */
function daysUntil(now: number) {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  return { from: day(now - 13 * 86_400_000), to: day(now) }
}

function PeriodChoice({
  period,
  onChoose,
  now,
}: {
  readonly period: Period
  readonly onChoose: (period: Period) => void
  readonly now: number
}) {
  const presets = Object.keys(PERIODS) as (keyof typeof PERIODS)[]
  const days = period.preset === null ? period : daysUntil(now)
  const { to: today } = daysUntil(now)
  const change = (name: 'from' | 'to') => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement
    if (value !== '') onChoose({ preset: null, from: days.from, to: days.to, [name]: value })
  }
  return (
    <fieldset class="choices">
      <legend>{t('range')}</legend>
      {presets.map((preset) => (
        <label key={preset}>
          <input
            type="radio"
            name="range"
            checked={period.preset === preset}
            onChange={() => onChoose({ preset })}
          />
          {t(`range.${preset}`)}
        </label>
      ))}
      <label>
        <input
          type="radio"
          name="range"
          checked={period.preset === null}
          onChange={() => onChoose({ preset: null, ...daysUntil(now) })}
        />
        {t('range.own')}
      </label>
      {period.preset === null && (
        <>
          <label>
            {t('from_utc')} <input type="date" value={days.from} max={days.to} onChange={change('from')} />
          </label>
          <label>
            {t('to_utc')}{' '}
            <input type="date" value={days.to} min={days.from} max={today} onChange={change('to')} />
          </label>
        </>
      )}
    </fieldset>
  )
}

type PlotsProps = { readonly steps: readonly Step[]; readonly step: string; readonly mode: string }

function Plots({ steps, step, mode }: PlotsProps) {
  const shown = { steps, step, mode }
  const ends = ENDS.map((end) => ({
    label: t(`status.${end}`),
    kind: end,
    values: steps.map(({ ended }) => ended[end] ?? 0),
  }))
  const attempts = ['succeeded', 'failed'].map((result) => ({
    label: t(`attempts.${result}`),
    kind: result === 'failed' ? 'rejected' : 'verified',
    values: steps.map(({ webhook_attempts }) => webhook_attempts[result] ?? 0),
  }))
  return (
    <>
      <Funnel steps={steps} mode={mode} />
      <Plot
        label={t('plot_created')}
        {...{ ...shown, file: 'created', format: formatCount }}
        series={[
          { label: t('created'), kind: 'created', values: steps.map(({ created }) => created) },
          {
            label: t('fetched'),
            kind: 'fetched',
            values: steps.map(({ request_fetched }) => request_fetched),
          },
        ]}
      />
      <Plot label={t('plot_ends')} {...{ ...shown, file: 'outcomes', format: formatCount }} series={ends} />
      <Plot
        label={t('plot_times')}
        {...{ ...shown, file: 'seconds-to-end', format: formatSeconds }}
        series={quantiles(steps, 'seconds_to_end')}
      />
      <div class="columns">
        {GROUPS.map((group) => (
          <Counted key={group} {...{ group, mode }} counts={totals(steps, group)} />
        ))}
      </div>
      <Plot
        label={t('plot_webhooks')}
        {...{ ...shown, file: 'webhook-attempts', format: formatCount }}
        series={attempts}
      />
      <Plot
        label={t('plot_webhook_times')}
        {...{ ...shown, file: 'webhook-seconds', format: formatSeconds }}
        series={quantiles(steps, 'webhook_seconds')}
      />
    </>
  )
}

/** Tables of counters by name. The texts of the groups are their titles. */
const GROUPS = ['reasons', 'attempt_reasons', 'channels', 'protocols'] as const

function quantiles(steps: readonly Step[], member: 'seconds_to_end' | 'webhook_seconds') {
  return [
    { label: t('median'), kind: 'created', values: steps.map((step) => step[member].p50) },
    { label: t('percentile_95'), kind: 'rejected', values: steps.map((step) => step[member].p95) },
  ]
}

/** Number of verifications of the period that reached each step. */
function Funnel({ steps, mode }: { readonly steps: readonly Step[]; readonly mode: string }) {
  const created = sum(steps, (step) => step.created)
  const ended = (status: string) => sum(steps, (step) => step.ended[status] ?? 0)
  const succeeded = sum(steps, ({ webhook_attempts }) => webhook_attempts.succeeded ?? 0)
  const attempts = succeeded + sum(steps, ({ webhook_attempts }) => webhook_attempts.failed ?? 0)
  const rows = [
    ['created', t('created'), created, created],
    ['fetched', t('fetched'), sum(steps, (step) => step.request_fetched), created],
    ...ENDS.map((end) => [end, known('status', end), ended(end), created] as const),
    ['webhook', t('webhook_success'), succeeded, attempts],
  ] as const
  const shown = (kind: string, name: string) =>
    ENDS.some((end) => end === kind) ? <Status status={kind} /> : name
  return (
    <section>
      <h2>{t('funnel')}</h2>
      <Bars caption={t('funnel')} column={t('step_of_way')} {...{ rows, shown, mode }} file="funnel" />
    </section>
  )
}

type CountedProps = {
  readonly group: (typeof GROUPS)[number]
  readonly counts: readonly (readonly [string, number])[]
  readonly mode: string
}

function Counted({ group, counts, mode }: CountedProps) {
  const title = t(group)
  const total = counts.reduce((all, [, count]) => all + count, 0)
  const words = group === 'channels' ? 'channel' : ''
  const rows = counts.map(([name, count]) => ['fetched', known(words, name), count, total] as const)
  const shown = (_: string, name: string) => <code>{name}</code>
  return (
    <section>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p class="soft">{t('no_counts')}</p>
      ) : (
        <Bars caption={title} column={title} {...{ rows, shown, mode }} file={group.replace('_', '-')} />
      )}
    </section>
  )
}

type BarRow = readonly [kind: string, name: string, count: number, total: number]

/** Counts with their shares, as a table with bars. */
function Bars({
  caption,
  column,
  rows,
  shown,
  file,
  mode,
}: {
  readonly caption: string
  readonly column: string
  readonly rows: readonly BarRow[]
  /** Shows the name of a row. */
  readonly shown: (kind: string, name: string) => ComponentChildren
  readonly file: string
  readonly mode: string
}) {
  const cells = rows.map(([, name, count, total]) => [name, count, total].map(String))
  const save = () => [[column, t('count'), t('total')], cells] as const
  return (
    <>
      <Table caption={caption} columns={[column, t('count'), t('share')]}>
        {rows.map(([kind, name, count, total], number) => (
          <tr key={String(number)}>
            <td>{shown(kind, name)}</td>
            <td>{formatCount(count)}</td>
            <td class="share">
              <span>{formatShare(count, total)}</span>
              <svg class={`bar line-${kind}`} width="100%" height="8" aria-hidden="true" focusable="false">
                <rect
                  width={`${total === 0 ? 0 : Math.min(100, (count / total) * 100)}%`}
                  height="8"
                  rx="2"
                />
              </svg>
            </td>
          </tr>
        ))}
      </Table>
      <CsvButton {...{ file, mode }} label={caption} table={save} />
    </>
  )
}
