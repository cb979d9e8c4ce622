// Search and filters of the list. They are part of the address, so that a search can be kept and passed on.

import { Field, known } from '../parts.tsx'
import { listLink, verificationLink } from '../route.ts'
import { t } from '../texts.ts'

const STATUSES = ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled']
const WEBHOOK_STATES = ['delivered', 'dead']
const METADATA = 'metadata.'
/** Metadata filters besides the filter of the search field. */
const FURTHER = ['metadata_2', 'metadata_3']
const TIMES = ['created_after', 'created_before'] as const

export function Filters({ query }: { readonly query: string }) {
  const current = new URLSearchParams(query)
  const metadata = [...current].filter(([name]) => name.startsWith(METADATA))
  const pairs = metadata.map(([name, value]) => `${name.slice(METADATA.length)}=${value}`)
  const count = [...current].length
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const text = textOf(fields, 'search')
    const isId = text !== '' && !text.includes('=')
    location.hash = isId ? verificationLink(text) : listLink(queryOf(fields))
  }
  return (
    <search>
      <form class="search" onSubmit={search}>
        <div class="bar">
          <Field
            name="search"
            type="search"
            label={t('search_label')}
            hint={t('search_hint')}
            defaultValue={pairs[0] ?? ''}
            maxLength={540}
          />
          <button type="submit" class="primary">
            {t('search')}
          </button>
        </div>
        <details open={count > pairs.slice(0, 1).length}>
          <summary>{count === 0 ? t('filters') : t('filters_count', { count })}</summary>
          <FilterFields current={current} further={pairs.slice(1)} />
          <div class="actions">
            <button type="submit" class="primary">
              {t('apply')}
            </button>
            {count > 0 && <a href={listLink('')}>{t('clear_filters')}</a>}
          </div>
        </details>
      </form>
    </search>
  )
}

function FilterFields({
  current,
  further,
}: {
  readonly current: URLSearchParams
  readonly further: readonly string[]
}) {
  return (
    <>
      <fieldset class="choices">
        <legend>{t('status')}</legend>
        {STATUSES.map((status) => (
          <label key={status}>
            <input
              type="checkbox"
              name="status"
              value={status}
              defaultChecked={current.getAll('status').includes(status)}
            />
            {known('status', status)}
          </label>
        ))}
      </fieldset>
      <div class="fields">
        <Field
          name="credential_type"
          label={t('credential_type')}
          maxLength={300}
          defaultValue={current.get('credential_type') ?? ''}
        />
        <div class="field">
          <label for="webhook-state">{t('webhook')}</label>
          <select id="webhook-state" name="webhook_state">
            <option value="">{t('any')}</option>
            {WEBHOOK_STATES.map((state) => (
              <option key={state} value={state} selected={current.get('webhook_state') === state}>
                {known('state', state)}
              </option>
            ))}
          </select>
        </div>
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
        {FURTHER.map((name, i) => (
          <Field
            key={name}
            name={name}
            label={t('and_metadata')}
            hint={t('metadata_hint')}
            maxLength={540}
            defaultValue={further[i] ?? ''}
          />
        ))}
      </div>
    </>
  )
}

/** Returns the query of the fields. Times are in the time zone of the reader. */
function queryOf(fields: FormData): string {
  const query = new URLSearchParams()
  for (const status of fields.getAll('status')) query.append('status', String(status))
  for (const name of ['credential_type', 'webhook_state']) {
    const value = textOf(fields, name)
    if (value !== '') query.set(name, value)
  }
  for (const name of TIMES) {
    const value = textOf(fields, name)
    if (value !== '') query.set(name, new Date(value).toISOString())
  }
  for (const name of ['search', ...FURTHER]) {
    const [key = '', ...value] = textOf(fields, name).split('=')
    if (key !== '') query.set(`${METADATA}${key}`, value.join('='))
  }
  return query.toString()
}

function textOf(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '').trim()
}

/** Returns a time as a `datetime-local` input has it. */
function localTime(time: string | null): string {
  const at = new Date(time ?? '')
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
