// Parts that every page of the console uses.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Answer, call, type Problem } from './api.ts'
import { language, t } from './texts.ts'

/** Loads a resource of the API, and again when `path` changes. Every `everyMs` it is read again. */
export function useResource<T>(path: string | null, everyMs?: number) {
  const [state, setState] = useState<{ path: string | null; answer: Answer<T> | null }>({ path, answer: null })
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (path === null) return undefined
    let isCurrent = true
    const read = async () => {
      const answer = await call<T>('GET', path)
      if (isCurrent) setState({ path, answer })
    }
    void read()
    const timer = everyMs === undefined ? undefined : setInterval(() => document.hidden || read(), everyMs)
    return () => {
      isCurrent = false
      clearInterval(timer)
    }
  }, [path, everyMs, count])
  const answer = state.path === path ? state.answer : null
  return { answer, reload: () => setCount(count + 1) }
}

/** Shows a resource, what it waits for, or why it cannot be read. */
export function Loaded<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T> | null
  readonly children: (value: T) => ComponentChildren
}) {
  if (answer === null) return <p class="soft" role="status">{t('loading')}</p>
  if (!answer.ok) return <Failure problem={answer.problem} />
  return <>{children(answer.value)}</>
}

/** Says why a call failed, and what to do. */
export function Failure({ problem }: { readonly problem: Problem }) {
  const { code, detail, errors, request_id } = problem
  return (
    <div class="notice bad" role="alert">
      <p>{code === 'unreachable' ? t('unreachable') : detail || t('failed')}</p>
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
        <p class="soft">
          <code>{code}</code> · <code>{request_id}</code>
        </p>
      )}
    </div>
  )
}

/** A button that calls the API, and shows a failure beside itself. */
export function Action({
  label,
  run,
  confirm,
  kind = '',
}: {
  readonly label: string
  readonly run: () => Promise<Answer<unknown>>
  /** Question before a change that cannot be undone. */
  readonly confirm?: string
  readonly kind?: '' | 'danger' | 'primary'
}) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isAsked, setAsked] = useState(false)
  const start = async () => {
    setAsked(false)
    setBusy(true)
    const answer = await run()
    setBusy(false)
    setProblem(answer.ok ? null : answer.problem)
  }
  return (
    <span class="action">
      {isAsked ? (
        <span role="group" aria-label={confirm}>
          <span>{confirm}</span>
          <button type="button" class="danger" onClick={start}>
            {t('yes')}
          </button>
          <button type="button" onClick={() => setAsked(false)}>
            {t('no')}
          </button>
        </span>
      ) : (
        <button
          type="button"
          class={kind}
          disabled={isBusy}
          onClick={confirm === undefined ? start : () => setAsked(true)}
        >
          {label}
        </button>
      )}
      {problem && <Failure problem={problem} />}
    </span>
  )
}

/** A time in the language and the zone of the reader. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>
  const format = new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'medium' })
  return <time dateTime={at}>{format.format(new Date(at))}</time>
}

/** Status of a verification. Its colour repeats what its word says. */
export function Status({ status }: { readonly status: string }) {
  return <span class={`status ${status}`}>{t(`status.${status}`)}</span>
}

/** A table that scrolls by itself on a narrow screen. */
export function Table({
  caption,
  columns,
  children,
}: {
  readonly caption: string
  readonly columns: readonly string[]
  readonly children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

/** A labelled input. */
export function Field({ label, hint, ...input }: JSX.IntrinsicElements['input'] & { label: string; hint?: string }) {
  const id = `field-${String(input.name)}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} autocomplete="off" aria-describedby={hint && `${id}-hint`} {...input} />
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
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}
