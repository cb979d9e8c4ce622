// A plot of counters over time, and the same values as a table. Lines differ by colour and by dashes.

import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { CsvButton, Table } from '../parts.tsx'
import { t } from '../texts.ts'
import { formatStep, formatTick, type Step } from './counts.ts'

/** One line of a plot. `kind` is a CSS class, which sets the colour of the line. */
export type Series = {
  readonly label: string
  readonly kind: string
  readonly values: readonly (number | null)[]
}

const HEIGHT = 240
/** Dashes of each line, by the index of the line. */
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 5], [1, 5]]

export function Plot({
  label,
  steps,
  step,
  series,
  format,
  file,
  mode,
}: {
  readonly label: string
  readonly steps: readonly Step[]
  readonly step: string
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  /** Name of the file with the values. */
  readonly file: string
  readonly mode: string
}) {
  const [index, setIndex] = useState<number | null>(null)
  const legend = useRef<HTMLUListElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const look = useLook()
  useEffect(() => {
    const element = place.current
    const entries = legend.current
    if (element === null || entries === null) return undefined
    const colours = [...entries.querySelectorAll('li')].map((entry) => getComputedStyle(entry).color)
    const { color: ink } = getComputedStyle(element)
    const { borderTopColor: line } = getComputedStyle(element)
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        // Half of the last name is beyond the last step.
        padding: [null, 28, null, null],
        cursor: { y: false, drag: { x: false, y: false } },
        hooks: { setCursor: [({ cursor }) => setIndex(cursor.idx ?? null)] },
        axes: [
          { ...axis, space: 70, values: (_, at) => at.map((seconds) => nameOf(seconds, step)) },
          { ...axis, size: 64, values: (_, values) => values.map(format) },
        ],
        scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(1, (most ?? 0) * 1.1)] } },
        series: [
          {},
          ...series.map((one, number) => ({
            label: one.label,
            stroke: colours[number] ?? ink,
            width: 2,
            dash: DASHES[number % DASHES.length] ?? [],
            spanGaps: true,
            // A line needs two values. A single value is a point.
            points: { show: steps.length < 40 || hasOneValue(one), size: 5 },
          })),
        ],
      },
      [steps.map(({ at }) => Date.parse(at) / 1000), ...series.map(({ values }) => [...values])],
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [steps, look])
  const at = index === null ? undefined : steps[index]?.at
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <div aria-hidden="true">
        <ul ref={legend} class="legend">
          {series.map(({ label: name, kind, values }, number) => (
            <li key={name} class={`line-${kind}`}>
              <svg width="28" height="8" aria-hidden="true" focusable="false">
                <line
                  x1="0"
                  y1="4"
                  x2="28"
                  y2="4"
                  stroke-width="2"
                  stroke-dasharray={DASHES[number % DASHES.length]?.join(' ')}
                />
              </svg>
              <span>{name}</span> <b>{index === null ? '' : shown(values[index], format)}</b>
            </li>
          ))}
          <li class="line-at">{at === undefined ? '' : formatStep(at, step)}</li>
        </ul>
        <div ref={place} class="plot" />
      </div>
      <CsvButton
        {...{ file, label, mode }}
        table={() => [
          [t('from_utc'), ...series.map(({ label: name }) => name)],
          steps.map((one, row) => [one.at, ...series.map(({ values }) => String(values[row] ?? ''))]),
        ]}
      />
      <details>
        <summary>{t('as_table')}</summary>
        <Table caption={label} columns={[t('from_utc'), ...series.map(({ label: name }) => name)]}>
          {steps.map((one, row) => (
            <tr key={one.at}>
              <td>
                <time dateTime={one.at}>{formatStep(one.at, step)}</time>
              </td>
              {series.map(({ label: name, values }) => (
                <td key={name}>{shown(values[row], format)}</td>
              ))}
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  )
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}

function hasOneValue({ values }: Series): boolean {
  return values.filter((value) => value !== null).length === 1
}

function nameOf(seconds: number, step: string): string {
  return formatTick(new Date(seconds * 1000).toISOString(), step)
}

const LOOKS = ['(prefers-color-scheme: dark)', '(forced-colors: active)']

/** Counts the changes between light, dark and forced colours: a canvas must then be drawn again. */
function useLook(): number {
  const [look, setLook] = useState(0)
  useEffect(() => {
    const queries = LOOKS.map((query) => matchMedia(query))
    const change = () => setLook((count) => count + 1)
    for (const query of queries) query.addEventListener('change', change)
    return () => {
      for (const query of queries) query.removeEventListener('change', change)
    }
  }, [])
  return look
}
