// Search and filters of the list. They are part of the address, so that a search can be kept and passed on.

import { Choice, setTexts, setTimes, TimeFields } from '../list/filter-fields.tsx'
import { parseSearch } from '../list/search.ts'
import { Field, known } from '../parts.tsx'
import reasons from '../reasons.json'
import { listLink, verificationLink } from '../route.ts'
import { textOf } from '../settings/form.tsx'
import { t } from '../texts.ts'

const STATUSES = ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled']
const WEBHOOK_STATES = ['delivered', 'dead']
const FAMILIES = Map.groupBy(Object.entries(reasons), ([, { family }]) => family)
const METADATA = 'metadata.'
/** Metadata filters besides the search field, which may have the first of them, or a word. */
const FURTHER = ['metadata_1', 'metadata_2', 'metadata_3']

export function Filters({ query }: { readonly query: string }) {
  const current = new URLSearchParams(query)
  const metadata = [...current].filter(([name]) => name.startsWith(METADATA))
  const pairs = metadata.map(([name, value]) => `${name.slice(METADATA.length)}=${value}`)
  const word = current.get('search')
  const [first, ...others] = word === null ? pairs : [word, ...pairs]
  const count = [...current].length
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const text = parseSearch(textOf(fields, 'search'))
    location.hash = text.kind === 'id' ? verificationLink(text.id) : listLink(queryOf(fields))
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
            defaultValue={first ?? ''}
            maxLength={540}
          />
          <button type="submit" class="primary">
            {t('search')}
          </button>
        </div>
        <details open={count > (first === undefined ? 0 : 1)}>
          <summary>{count === 0 ? t('filters') : t('filters_count', { count })}</summary>
          <FilterFields current={current} further={others} />
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
        <Choice name="reason" label={t('reason')}>
          {[...FAMILIES].map(([family, rows]) => (
            <optgroup key={family} label={known('family', family)}>
              {rows.map(([code]) => (
                <option key={code} selected={current.get('reason') === code}>
                  {code}
                </option>
              ))}
            </optgroup>
          ))}
        </Choice>
        <Choice name="has_attempts" label={t('attempts')}>
          {(['true', 'false'] as const).map((value) => (
            <option key={value} value={value} selected={current.get('has_attempts') === value}>
              {t(value === 'true' ? 'yes' : 'no')}
            </option>
          ))}
        </Choice>
        <Choice name="webhook_state" label={t('webhook')}>
          {WEBHOOK_STATES.map((state) => (
            <option key={state} value={state} selected={current.get('webhook_state') === state}>
              {known('state', state)}
            </option>
          ))}
        </Choice>
        <TimeFields current={current} />
        {FURTHER.slice(0, Math.max(2, further.length)).map((name, i) => (
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

/** Returns the query of the fields. */
function queryOf(fields: FormData): string {
  const query = new URLSearchParams()
  for (const status of fields.getAll('status')) query.append('status', String(status))
  setTexts(query, fields, ['credential_type', 'reason', 'has_attempts', 'webhook_state'])
  setTimes(query, fields)
  const text = parseSearch(textOf(fields, 'search'))
  if (text.kind === 'word') query.set('search', text.word)
  if (text.kind === 'metadata') query.set(`${METADATA}${text.key}`, text.value)
  for (const name of FURTHER) {
    const [key = '', ...value] = textOf(fields, name).split('=')
    if (key !== '') query.set(`${METADATA}${key}`, value.join('='))
  }
  return query.toString()
}
