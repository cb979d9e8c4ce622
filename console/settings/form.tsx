// Forms whose values the API validates. A message of a problem is shown at the field that its pointer names.

import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import type { Answer, Problem } from '../api.ts'
import { Failure } from '../parts.tsx'
import { t } from '../texts.ts'
import './settings.css'

type Errors = Problem['errors']

const FormErrors = createContext<Errors>([])

/**
 * A form that sends its values by `send`. If the API rejects them, the problem is shown below the form and at
 * its fields.
 */
export function Form({
  label,
  action,
  send,
  children,
}: {
  readonly label: string
  readonly action: string
  readonly send: (fields: FormData, form: HTMLFormElement) => Promise<Answer<unknown>>
  readonly children: ComponentChildren
}) {
  const [state, setState] = useState<Problem | 'busy' | 'done' | null>(null)
  const problem = typeof state === 'object' ? state : null
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (state === 'busy') return
    const form = event.currentTarget as HTMLFormElement
    setState('busy')
    const answer = await send(new FormData(form), form)
    setState(answer.ok ? 'done' : answer.problem)
  }
  return (
    <form
      class="card"
      aria-label={label}
      noValidate
      onSubmit={submit}
      onInput={() => state === 'done' && setState(null)}
    >
      <FormErrors.Provider value={problem?.errors ?? []}>{children}</FormErrors.Provider>
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={state === 'busy'}>
          {action}
        </button>
        <span role="status">{state === 'done' && t('saved')}</span>
      </div>
      {problem && <Failure problem={problem} />}
    </form>
  )
}

/** Attributes of the input of a field. */
type FieldAttributes = Pick<JSX.IntrinsicElements['input'], 'id' | 'aria-describedby' | 'aria-invalid'>

/** A label, a hint and the messages about `pointer` around an input. */
export function Labelled({
  label,
  pointer,
  hint,
  children,
}: {
  readonly label: string
  readonly pointer: string
  readonly hint?: string | undefined
  readonly children: (attributes: FieldAttributes) => ComponentChildren
}) {
  const id = useId()
  const errors = useContext(FormErrors).filter((error) => isAt(error.pointer, pointer))
  const describedBy = [hint && `${id}-hint`, errors.length > 0 && `${id}-errors`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(describedBy !== '' && { 'aria-describedby': describedBy }),
        ...(errors.length > 0 && { 'aria-invalid': true }),
      })}
      {hint && (
        <small id={`${id}-hint`} class="soft">
          {hint}
        </small>
      )}
      {errors.length > 0 && (
        <small id={`${id}-errors`} class="wrong">
          {errors.map(({ pointer: at, message }) => (
            <span key={at + message}>
              {at !== pointer && <code>{at}</code>} {message}
            </span>
          ))}
        </small>
      )}
    </div>
  )
}

type InputType = 'text' | 'url' | 'number' | 'datetime-local' | 'password'

type TextProps = {
  readonly name: string
  readonly label: string
  readonly pointer?: string
  readonly hint?: string
  readonly value?: string
}

/** A line of text. Without a `pointer`, the field belongs to the member of the same name. */
export function Line({
  name,
  label,
  pointer = `/${name}`,
  hint,
  value,
  type = 'text',
}: TextProps & { readonly type?: InputType }) {
  return (
    <Labelled label={label} pointer={pointer} hint={hint}>
      {(attributes) => (
        <input
          name={name}
          type={type as 'text'} // the type of preact has no variable kinds
          defaultValue={value}
          autocomplete="off"
          spellcheck={false}
          {...attributes}
        />
      )}
    </Labelled>
  )
}

/** Lines of text. */
export function Lines({
  name,
  label,
  pointer = `/${name}`,
  hint,
  value,
  rows = 3,
}: TextProps & { readonly rows?: number }) {
  return (
    <Labelled label={label} pointer={pointer} hint={hint}>
      {(attributes) => (
        <textarea
          name={name}
          rows={rows}
          defaultValue={value}
          autocomplete="off"
          spellcheck={false}
          {...(attributes as JSX.IntrinsicElements['textarea'])}
        />
      )}
    </Labelled>
  )
}

/** A choice of one value. The values are words of the API. */
export function Choice({
  options,
  name,
  label,
  pointer = `/${name}`,
  hint,
  value,
  onChoose,
}: TextProps & { readonly options: readonly string[]; readonly onChoose?: (value: string) => void }) {
  return (
    <Labelled label={label} pointer={pointer} hint={hint}>
      {(attributes) => (
        <select
          name={name}
          onChange={(event) => onChoose?.(event.currentTarget.value)}
          {...(attributes as JSX.IntrinsicElements['select'])}
        >
          {options.map((option) => (
            <option key={option} value={option} selected={option === value}>
              {option}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

/** A choice of several values. The values are words of the API. */
export function Choices({
  legend,
  name,
  options,
  chosen,
}: {
  readonly legend: string
  readonly name: string
  readonly options: readonly string[]
  readonly chosen: readonly string[]
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map((option) => (
        <Switch
          key={option}
          name={name}
          value={option}
          isOn={chosen.includes(option)}
          label={<code>{option}</code>}
        />
      ))}
    </fieldset>
  )
}

/** A checkbox with its label behind it. */
export function Switch({
  name,
  value,
  isOn,
  label,
}: {
  readonly name: string
  readonly value?: string
  readonly isOn: boolean
  readonly label: ComponentChildren
}) {
  return (
    <label class="switch">
      <input type="checkbox" name={name} value={value} defaultChecked={isOn} /> <span>{label}</span>
    </label>
  )
}

/** A JSON object. Errors are listed with their pointers. */
export function JsonLines({
  name,
  label,
  value,
  hint,
}: Pick<TextProps, 'name' | 'label' | 'value' | 'hint'>) {
  return (
    <Lines
      name={name}
      label={label}
      pointer=""
      rows={10}
      {...(value !== undefined && { value })}
      {...(hint && { hint })}
    />
  )
}

/** Returns the lines of a field that are not empty. */
export function linesOf(fields: FormData, name: string): string[] {
  return textOf(fields, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Returns the text of a field without outer spaces. */
export function textOf(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '').trim()
}

/** Returns the JSON object of a field, or a problem if the text is not a JSON object. */
export function objectOf(fields: FormData, name: string): Answer<object> {
  try {
    const value: unknown = JSON.parse(textOf(fields, name))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value }
  } catch {
    // The problem says so.
  }
  return { ok: false, problem: { ...NOT_JSON, detail: t('not_json') } }
}

const NOT_JSON: Problem = {
  status: 0,
  code: 'invalid_json',
  detail: '',
  request_id: null,
  errors: [],
}

/**
 * Returns true for the pointer of a member and of everything in the member. An empty pointer covers all
 * members.
 */
function isAt(pointer: string, member: string): boolean {
  return member === '' || pointer === member || pointer.startsWith(`${member}/`)
}

/** A text that is not JSON is sent to the API unchanged. The API then returns the error. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
