// Counters of a relying party as plots, and as a table with the same values.

import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { Facts, Loaded, Table, Time, useResource } from './parts.tsx'
import { language, t } from './texts.ts'

type Counts = Readonly<Record<string, number>>
type Quantiles = { readonly p50: number | null; readonly p95: number | null }
type Step = {
  readonly at: string
  readonly created: number
  readonly request_fetched: number
  readonly ended: Counts
  readonly reasons: Counts
  readonly channels: Counts
  readonly webhook_attempts: Counts
  readonly seconds_to_end: Quantiles
  readonly webhook_seconds: Quantiles
}
type Result = { readonly step: string; readonly steps: readonly Step[] }

const DAY_MS = 86_400_000
const RANGES = { day: [1, 'hour'], week: [7, 'hour'], month: [30, 'day'], quarter: [90, 'day'] } as const
type Range = keyof typeof RANGES
const ENDS = ['verified', 'rejected', 'declined', 'expired', 'canceled'] as const

export function Insights() {
  const [range, setRange] = useState<Range>('week')
  const [days, step] = RANGES[range]
  const stepMs = step === 'hour' ? DAY_MS / 24 : DAY_MS
  // The same address until the next step begins.
  const to = Math.ceil(Date.now() / stepMs) * stepMs
  const query = new URLSearchParams({
    from: new Date(to - days * DAY_MS).toISOString(),
    to: new Date(to).toISOString(),
    step,
  })
  const { answer } = useResource<Result>(`/v1/insights?${query}`, 30_000)
  return (
    <>
      <h1>{t('insights')}</h1>
      <fieldset class="ranges">
        <legend class="hidden">{t('range')}</legend>
        {(Object.keys(RANGES) as Range[]).map((name) => (
          <label key={name}>
            <input type="radio" name="range" checked={range === name} onChange={() => setRange(name)} />
            {t(`range.${name}`)}
          </label>
        ))}
      </fieldset>
      <Loaded answer={answer}>
        {({ steps }) => (
          <>
            <Facts rows={funnel(steps)} />
            <Plot
              label={t('plot_ends')}
              steps={steps}
              series={[
                ['created', '--ink', steps.map(({ created }) => created)],
                ...ENDS.map(
                  (end) =>
                    [`status.${end}`, `--plot-${end}`, steps.map(({ ended }) => ended[end] ?? 0)] as const,
                ),
              ]}
            />
            <Plot
              label={t('plot_times')}
              steps={steps}
              series={[
                ['p50', '--plot-verified', steps.map(({ seconds_to_end }) => seconds_to_end.p50)],
                ['p95', '--plot-rejected', steps.map(({ seconds_to_end }) => seconds_to_end.p95)],
              ]}
            />
            <Plot
              label={t('plot_webhooks')}
              steps={steps}
              series={[
                [
                  'succeeded',
                  '--plot-verified',
                  steps.map(({ webhook_attempts }) => webhook_attempts.succeeded ?? 0),
                ],
                [
                  'failed',
                  '--plot-rejected',
                  steps.map(({ webhook_attempts }) => webhook_attempts.failed ?? 0),
                ],
              ]}
            />
            <Counted title={t('reasons')} counts={totals(steps, 'reasons')} />
            <Counted title={t('channels')} counts={totals(steps, 'channels')} />
            <details>
              <summary>{t('as_table')}</summary>
              <Table
                caption={t('insights')}
                columns={[
                  t('from'),
                  t('created'),
                  t('fetched'),
                  ...ENDS.map((end) => t(`status.${end}`)),
                  'p50',
                  'p95',
                ]}
              >
                {steps.map(({ at, created, request_fetched, ended, seconds_to_end }) => (
                  <tr key={at}>
                    <td>
                      <Time at={at} />
                    </td>
                    <td>{created}</td>
                    <td>{request_fetched}</td>
                    {ENDS.map((end) => (
                      <td key={end}>{ended[end] ?? 0}</td>
                    ))}
                    <td>{seconds_to_end.p50 ?? '–'}</td>
                    <td>{seconds_to_end.p95 ?? '–'}</td>
                  </tr>
                ))}
              </Table>
            </details>
          </>
        )}
      </Loaded>
    </>
  )
}

/** How many verifications came to each step of their way. */
function funnel(steps: readonly Step[]) {
  const sum = (of: (step: Step) => number) => steps.reduce((total, step) => total + of(step), 0)
  const created = sum((step) => step.created)
  const number = new Intl.NumberFormat(language())
  const percent = new Intl.NumberFormat(language(), { style: 'percent' })
  const row = (name: string, count: number) =>
    [t(name), `${number.format(count)}${created > 0 ? ` (${percent.format(count / created)})` : ''}`] as const
  return [
    [t('created'), number.format(created)] as const,
    row(
      'fetched',
      sum((step) => step.request_fetched),
    ),
    ...ENDS.map((end) =>
      row(
        `status.${end}`,
        sum(({ ended }) => ended[end] ?? 0),
      ),
    ),
  ]
}

function totals(steps: readonly Step[], group: 'reasons' | 'channels'): Counts {
  const result: Record<string, number> = {}
  for (const step of steps)
    for (const [name, count] of Object.entries(step[group])) result[name] = (result[name] ?? 0) + count
  return result
}

function Counted({ title, counts }: { readonly title: string; readonly counts: Counts }) {
  const rows = Object.entries(counts).sort(([, a], [, b]) => b - a)
  if (rows.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <Table caption={title} columns={[title, t('count')]}>
        {rows.map(([name, count]) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>{count}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

type Series = readonly [name: string, colour: string, values: readonly (number | null)[]]

/** A plot of the steps. Readers without sight have the table below. */
function Plot({
  label,
  steps,
  series,
}: {
  readonly label: string
  readonly steps: readonly Step[]
  readonly series: readonly Series[]
}) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const style = getComputedStyle(document.documentElement)
    const colour = (name: string) => style.getPropertyValue(name).trim()
    const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 } }
    const options = {
      width: element.clientWidth,
      height: 220,
      axes: [axis, axis],
      series: [
        {},
        ...series.map(([name, stroke]) => ({
          label: t(name),
          stroke: colour(stroke),
          width: 2,
          spanGaps: true,
        })),
      ],
    }
    const data = [steps.map(({ at }) => Date.parse(at) / 1000), ...series.map(([, , values]) => [...values])]
    const plot = new uPlot(options, data as uPlot.AlignedData, element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 220 }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [steps, series.length])
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
    </figure>
  )
}
