// Fields that the filters of several lists have, and their part of the query.

import type { ComponentChildren } from 'preact'
import { Field } from '../parts.tsx'
import { textOf } from '../settings/form.tsx'
import { t } from '../texts.ts'

const TIMES = ['created_after', 'created_before'] as const

/** A choice among options, of which none may be chosen. */
export function Choice({
  name,
  label,
  children,
}: {
  readonly name: string
  readonly label: string
  readonly children: ComponentChildren
}) {
  return (
    <div class="field">
      <label for={`field-${name}`}>{label}</label>
      <select id={`field-${name}`} name={name}>
        <option value="">{t('any')}</option>
        {children}
      </select>
    </div>
  )
}

/** The fields for the first and the last time, in the time zone of the reader. */
export function TimeFields({ current }: { readonly current: URLSearchParams }) {
  return (
    <>
      {TIMES.map((name) => (
        <Field
          key={name}
          name={name}
          type="datetime-local"
          step={1}
          label={t(name)}
          defaultValue={localTime(current.get(name))}
        />
      ))}
    </>
  )
}

/** Sets the members of a query from fields of the same names. An empty field has no member. */
export function setTexts(query: URLSearchParams, fields: FormData, names: readonly string[]): void {
  for (const name of names) {
    const value = textOf(fields, name)
    if (value !== '') query.set(name, value)
  }
}

/** Sets the times of a query from `TimeFields`. */
export function setTimes(query: URLSearchParams, fields: FormData): void {
  for (const name of TIMES) {
    const value = textOf(fields, name)
    if (value !== '') query.set(name, new Date(value).toISOString())
  }
}

/** Returns a time as a `datetime-local` input has it. */
function localTime(time: string | null): string {
  const at = new Date(time ?? '')
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
