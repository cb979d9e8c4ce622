// Parts that every page of the console uses.

import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Answer, Problem } from './api.ts'
import { type CsvTable, csvName, toCsv } from './csv.ts'
import { hasText, language, localeTag, t } from './texts.ts'

export { useResource } from './resource.ts'

/** Id of the element whose text a screen reader says when it changes. */
export const LIVE_REGION = 'live'

/** Makes a screen reader say a text. */
export function announce(text: string): void {
  const region = document.getElementById(LIVE_REGION)
  if (region !== null) region.textContent = text
}

/** Moves the focus to the heading of the page. */
export function focusHeading(): void {
  const heading = document.querySelector('h1')
  if (heading === null) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

/**
 * Moves the focus to the heading if an update removes the focused element, such as a button. Rows of the list
 * are removed only far from the screen. For them the focus is not moved.
 */
export function useKeptFocus(place: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let last: Element | null = null
    const follow = () => {
      last = document.activeElement
    }
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected || document.activeElement !== document.body) return
      if (last.closest('[aria-posinset]') === null) focusHeading()
      last = null
    })
    element.addEventListener('focusin', follow)
    observer.observe(element, { childList: true, subtree: true })
    return () => {
      element.removeEventListener('focusin', follow)
      observer.disconnect()
    }
  }, [])
}

/** Shows a resource, or that it is loading, or why it cannot be read. */
export function Loaded<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T> | null
  readonly children: (value: T) => ComponentChildren
}) {
  if (answer === null) {
    return (
      <p class="soft" role="status">
        {t('loading')}
      </p>
    )
  }
  if (!answer.ok) return <Failure problem={answer.problem} />
  return <>{children(answer.value)}</>
}

/** Says why a call failed, and what to do. */
export function Failure({ problem }: { readonly problem: Problem }) {
  const { code, detail, errors, request_id } = problem
  const own = `problem.${code}`
  return (
    <div class="notice bad" role="alert">
      <p>{hasText(own) ? t(own) : detail || t('problem.failed')}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ pointer, message }) => (
            <li key={pointer}>
              <code>{pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {request_id && (
        <p>
          <code>{code}</code> · <code>{request_id}</code>
        </p>
      )}
    </div>
  )
}

type ActionProps = {
  readonly label: string
  readonly run: () => Promise<Answer<unknown>>
  /** Question before a change that cannot be undone. */
  readonly confirm?: string
  readonly kind?: '' | 'danger' | 'primary'
}

/** A button that calls the API. A failure is shown beside the button. */
export function Action({ label, run, confirm, kind = '' }: ActionProps) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const dialog = useRef<HTMLDialogElement>(null)
  const start = async () => {
    dialog.current?.close()
    if (isBusy) return
    setBusy(true)
    const answer = await run()
    setBusy(false)
    setProblem(answer.ok ? null : answer.problem)
    if (answer.ok) announce(t('done', { label }))
  }
  return (
    <span class="action">
      <button
        type="button"
        class={kind}
        aria-busy={isBusy}
        onClick={confirm === undefined ? start : () => dialog.current?.showModal()}
      >
        {label}
      </button>
      {confirm !== undefined && (
        <dialog ref={dialog} aria-label={label}>
          <p>{confirm}</p>
          <div class="actions">
            <button type="button" onClick={() => dialog.current?.close()}>
              {t('no')}
            </button>
            <button type="button" class={kind === 'danger' ? kind : 'primary'} onClick={start}>
              {label}
            </button>
          </div>
        </dialog>
      )}
      {problem && <Failure problem={problem} />}
    </span>
  )
}

/** Names the days that a list or a count leaves out. */
export function LeftOut({ days = [] }: { readonly days?: readonly string[] | undefined }) {
  if (days.length === 0) return null
  return (
    <p class="notice bad" role="status">
      {t('days_left_out', { days: days.join(', ') })}
    </p>
  )
}

/** Names the zone of the times below: that of the reader, or UTC. */
export function Zone({ isUtc = false }: { readonly isUtc?: boolean }) {
  const zone = isUtc ? 'UTC' : zoneOf(new Date())
  return <p class="soft">{t('times_in', { zone })}</p>
}

/** Returns the zone of the reader with its present offset, for example `Europe/Berlin (UTC+1)`. */
function zoneOf(now: Date): string {
  const format = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' })
  const offset = format.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const { timeZone } = format.resolvedOptions()
  return timeZone === 'UTC' ? timeZone : `${timeZone} (${offset.replace('GMT', 'UTC')})`
}

/** A time in the language and the zone of the reader. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>
  return (
    <time dateTime={at} title={at}>
      {timeFormat().format(new Date(at))}
    </time>
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

function timeFormat(): Intl.DateTimeFormat {
  const known = formats.get(language())
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat(localeTag(), { dateStyle: 'medium', timeStyle: 'medium' })
  formats.set(language(), format)
  return format
}

/** Status of a verification. The colour has the same meaning as the word. */
export function Status({ status }: { readonly status: string }) {
  return <span class={`status ${status}`}>{known('status', status)}</span>
}

/** Returns the text of a value of the API. The API may have values that the console has no text for. */
export function known(group: string, value: string): string {
  const name = `${group}.${value}`
  return hasText(name) ? t(name) : value
}

/**
 * A table that scrolls by itself on a narrow screen. With `stacks`, each row there is a block of names and
 * values instead, so that no column is out of sight.
 */
export function Table({
  caption,
  columns,
  stacks = false,
  children,
}: {
  readonly caption: string
  readonly columns: readonly string[]
  readonly stacks?: boolean
  readonly children: ComponentChildren
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  useLayoutEffect(() => {
    if (!stacks) return
    for (const { cells } of body.current?.rows ?? [])
      for (const [i, cell] of [...cells].entries()) cell.dataset.name = columns[i] ?? ''
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="table" aria-label={caption} tabIndex={0}>
      <table class={stacks ? 'stacks' : ''}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) =>
              // A column of buttons has no heading, because the buttons say what they do.
              column === '' ? (
                <td key={column} />
              ) : (
                <th key={column} scope="col">
                  {column}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </section>
  )
}

/**
 * Saves a table as a file of this computer. Nothing is sent. `mode`: `live` or `test`. Returns the name of
 * the file.
 */
export function saveCsv(name: string, mode: string, [header, rows]: CsvTable): string {
  const file = csvName(name, mode, Date.now())
  saveFile(file, toCsv(header, rows), 'text/csv;charset=utf-8')
  return file
}

/** Saves a text as a file of this computer. Nothing is sent. */
export function saveFile(file: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = file
  link.click()
  // The browser may read the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** A button that saves a table as CSV. `file`: name of the file; `label`: name of the table. */
export function CsvButton({
  file,
  label,
  mode,
  table,
}: {
  readonly file: string
  readonly label: string
  readonly mode: string
  readonly table: () => CsvTable
}) {
  const save = () => announce(t('csv_file', { file: saveCsv(file, mode, table()) }))
  return (
    <button type="button" class="csv" onClick={save}>
      {t('csv_save')} <span class="hidden">{label}</span>
    </button>
  )
}

/** Text in its own lines. It scrolls by itself. */
export function Lines({ text }: { readonly text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  return <pre tabIndex={0}>{text}</pre>
}

/** A labelled input. */
export function Field({
  label,
  hint,
  ...input
}: JSX.IntrinsicElements['input'] & { readonly label: string; readonly hint?: string }) {
  const id = `field-${String(input.name)}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} autocomplete="off" {...(hint && { 'aria-describedby': `${id}-hint` })} {...input} />
      {hint && (
        <small id={`${id}-hint`} class="soft">
          {hint}
        </small>
      )}
    </div>
  )
}

/** Names and values. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === null || value === undefined || value === '' ? '–' : value}</dd>
        </div>
      ))}
    </dl>
  )
}
