// The list of verifications, with filters. New ones appear by themselves on the first page.

import { useState } from 'preact/hooks'
import type { Answer } from './api.ts'
import { Field, Loaded, Status, Table, Time, useResource } from './parts.tsx'
import { t } from './texts.ts'

type Listed = {
  readonly verification_id: string
  readonly status: string
  readonly stage: string
  readonly created_at: string
  readonly credential_types: readonly string[]
  readonly reason: { readonly code: string; readonly message: string } | null
  readonly attempt_count: number
  readonly metadata: Readonly<Record<string, string>>
}
type Page = { readonly verifications: readonly Listed[]; readonly next: string | null; readonly has_more: boolean }

const STATUSES = ['pending', 'verified', 'rejected', 'declined', 'expired', 'canceled']
/** Time between two reads of the first page. */
const LIVE_MS = 4_000

export function Verifications() {
  const [filters, setFilters] = useState('')
  const [cursors, setCursors] = useState<readonly string[]>([])
  const after = cursors.at(-1)
  const query = new URLSearchParams(filters)
  if (after !== undefined) query.set('after', after)
  const { answer } = useResource<Page>(`/v1/verify?${query}`, after === undefined ? LIVE_MS : undefined)
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const id = String(fields.get('id')).trim()
    if (id !== '') {
      location.hash = `#/verifications/${encodeURIComponent(id)}`
      return
    }
    setCursors([])
    setFilters(filterOf(fields))
  }
  return (
    <>
      <h1>{t('verifications')}</h1>
      <form class="filters" role="search" onSubmit={search}>
        <Field name="id" label={t('id')} maxLength={100} />
        <div class="field">
          <label for="field-status">{t('status')}</label>
          <select id="field-status" name="status">
            <option value="">{t('any')}</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {t(`status.${status}`)}
              </option>
            ))}
          </select>
        </div>
        <Field name="credential_type" label={t('credential_type')} maxLength={300} />
        <Field name="metadata" label={t('metadata')} hint={t('metadata_hint')} maxLength={540} />
        <Field name="created_after" label={t('created_after')} type="datetime-local" />
        <Field name="created_before" label={t('created_before')} type="datetime-local" />
        <button type="submit" class="primary">
          {t('search')}
        </button>
      </form>
      <Loaded answer={answer as Answer<Page> | null}>
        {({ verifications, next }) => (
          <>
            {verifications.length === 0 && <p role="status">{next ? t('none_yet') : t('none')}</p>}
            {verifications.length > 0 && (
              <Table caption={t('verifications')} columns={COLUMNS.map((column) => t(column))}>
                {verifications.map((entry) => (
                  <Row key={entry.verification_id} entry={entry} />
                ))}
              </Table>
            )}
            <nav class="pages" aria-label={t('list_pages')}>
              <button type="button" disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
                {t('newer')}
              </button>
              <button type="button" disabled={next === null} onClick={() => next && setCursors([...cursors, next])}>
                {t('older')}
              </button>
            </nav>
          </>
        )}
      </Loaded>
    </>
  )
}

const COLUMNS = ['created_at', 'status', 'credential_type', 'reason', 'attempts', 'metadata', 'id']

function Row({ entry }: { readonly entry: Listed }) {
  const { verification_id, status, created_at, credential_types, reason, attempt_count, metadata } = entry
  return (
    <tr>
      <td>
        <Time at={created_at} />
      </td>
      <td>
        <Status status={status} />
      </td>
      <td>{credential_types.join(', ')}</td>
      <td>{reason === null ? '' : <code>{reason.code}</code>}</td>
      <td>{attempt_count === 0 ? '' : attempt_count}</td>
      <td>{Object.entries(metadata).map(([name, value]) => `${name}=${value}`).join(', ')}</td>
      <td>
        <a href={`#/verifications/${verification_id}`}>
          <code>{verification_id.slice(0, 12)}…</code>
        </a>
      </td>
    </tr>
  )
}

/** Returns the query of the filters. Times are those of the reader's zone. */
function filterOf(fields: FormData): string {
  const query = new URLSearchParams()
  for (const name of ['status', 'credential_type']) {
    const value = String(fields.get(name)).trim()
    if (value !== '') query.set(name, value)
  }
  for (const name of ['created_after', 'created_before']) {
    const value = String(fields.get(name))
    if (value !== '') query.set(name, new Date(value).toISOString())
  }
  const [key = '', ...rest] = String(fields.get('metadata')).trim().split('=')
  if (key !== '') query.set(`metadata.${key}`, rest.join('='))
  return query.toString()
}
