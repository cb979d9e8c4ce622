// Filters of the audit log. They are part of the address.

import { Choice, setTexts, setTimes, TimeFields } from '../list/filter-fields.tsx'
import { Field, known } from '../parts.tsx'
import { t } from '../texts.ts'
import { ACTIONS } from './entries.ts'

export function AuditFilters({ query }: { readonly query: string }) {
  const current = new URLSearchParams(query)
  const apply = (event: SubmitEvent) => {
    event.preventDefault()
    const next = queryOf(new FormData(event.currentTarget as HTMLFormElement))
    location.hash = next === '' ? '#/audit' : `#/audit?${next}`
  }
  return (
    <search>
      <form class="search" onSubmit={apply}>
        <div class="fields">
          <Choice name="action" label={t('audit_action')}>
            {ACTIONS.map((action) => (
              <option key={action} value={action} selected={current.get('action') === action}>
                {known('audit', action)}
              </option>
            ))}
          </Choice>
          <Field
            name="actor"
            label={t('audit_actor')}
            hint={t('audit_actor_hint')}
            maxLength={300}
            defaultValue={current.get('actor') ?? ''}
          />
          <TimeFields current={current} />
        </div>
        <div class="actions">
          <button type="submit" class="primary">
            {t('apply')}
          </button>
          {query !== '' && <a href="#/audit">{t('clear_filters')}</a>}
        </div>
      </form>
    </search>
  )
}

/** Returns the query of the fields. */
function queryOf(fields: FormData): string {
  const query = new URLSearchParams()
  setTexts(query, fields, ['action', 'actor'])
  setTimes(query, fields)
  return query.toString()
}
