// The audit log of a relying party: who changed what, when and from where, and who signed in.

import { useEffect, useState } from 'preact/hooks'
import type { AuditPage } from '../../packages/client/src/wire.ts'
import { type Answer, call, modeOf, type Problem, type Session } from '../api.ts'
import { Action, Failure, known, saveCsv, Table, Time, Zone } from '../parts.tsx'
import { verificationLink } from '../route.ts'
import { t } from '../texts.ts'
import { type AuditEntry, HEADER, nameOf, toRow } from './entries.ts'
import { AuditFilters } from './filters.tsx'

/** Largest number of rows of a file. */
const ROWS = 10_000

export function Audit({ query, session }: { readonly query: string; readonly session: Session }) {
  const mayRead = session.scopes.includes('settings:manage')
  return (
    <>
      <h1>{t('audit')}</h1>
      {mayRead ? <Log query={query} session={session} /> : <p class="notice">{t('audit_unreadable')}</p>}
    </>
  )
}

type Read = {
  readonly entries: readonly AuditEntry[]
  readonly next: string | null
  readonly missing: AuditPage['missing']
}

function Log({ query, session }: { readonly query: string; readonly session: Session }) {
  const [log, setLog] = useState<Read | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const read = async (last: Read | null) => {
    const answer = await readPage(query, last?.next ?? null)
    if (!answer.ok) return setProblem(answer.problem)
    const { entries, next, missing } = answer.value
    setProblem(null)
    setLog({ entries: [...(last?.entries ?? []), ...entries], next, missing })
  }
  useEffect(() => void read(null), [query])
  return (
    <>
      <p class="soft">{t('audit_hint')}</p>
      <Zone />
      <AuditFilters query={query} />
      {problem && <Failure problem={problem} />}
      {log === null && !problem && (
        <p class="soft" role="status">
          {t('loading')}
        </p>
      )}
      {log !== null && (
        <>
          {log.missing && (
            <p class="notice bad">
              {t('audit_missing', { count: log.missing.entries })} <Time at={log.missing.until} />
            </p>
          )}
          <Table caption={t('audit')} columns={COLUMNS.map((column) => t(column))} stacks>
            {log.entries.map((entry) => (
              <Row key={entry.number} entry={entry} />
            ))}
          </Table>
          <p class="end">
            {log.next === null ? (
              <span class="soft">{t('audit_end', { count: log.entries.length })}</span>
            ) : (
              <button type="button" onClick={() => read(log)}>
                {t('older')}
              </button>
            )}
          </p>
          {log.entries.length > 0 && <SaveButton query={query} session={session} />}
        </>
      )}
    </>
  )
}

const COLUMNS = ['time', 'audit_actor', 'audit_action', 'audit_target', 'audit_origin']

function Row({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, action, channel, address } = entry
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>
        <Who actor={actor} />
      </td>
      <td>{known('audit', action)}</td>
      <td>
        <Target entry={entry} />
      </td>
      <td>
        {channel && known('audit_channel', channel)} {address && <code>{address}</code>}
      </td>
    </tr>
  )
}

function Who({ actor }: Pick<AuditEntry, 'actor'>) {
  if (actor === null) return <span class="soft">{t('audit_unproven')}</span>
  const kind = known('audit_kind', actor.kind)
  const name = nameOf(actor)
  return name === null ? (
    <span>{kind}</span>
  ) : (
    <>
      {name} <span class="soft">· {kind}</span>
    </>
  )
}

function Target({ entry: { action, target, target_name, members } }: { readonly entry: AuditEntry }) {
  const isVerification = action.startsWith('verification.')
  if (!target && members.length === 0) return <>–</>
  return (
    <>
      {target_name}{' '}
      {target && isVerification && <a href={verificationLink(target)}>{target.slice(0, SHOWN)}…</a>}
      {target && !isVerification && <code>{target}</code>} {members.join(', ')}
    </>
  )
}

/** Characters of a verification's id that the table shows. */
const SHOWN = 12

/** A button that saves all entries of these filters as CSV. The file is made in this browser. */
function SaveButton({ query, session }: { readonly query: string; readonly session: Session }) {
  const [said, setSaid] = useState('')
  const save = async (): Promise<Answer<unknown>> => {
    const entries: AuditEntry[] = []
    let next: string | null = null
    do {
      const answer = await readPage(query, next, 100)
      if (!answer.ok) return answer
      entries.push(...answer.value.entries)
      next = answer.value.next
    } while (next !== null && entries.length < ROWS)
    const file = saveCsv('audit', modeOf(session), [HEADER, entries.map(toRow)])
    setSaid(t(next === null ? 'csv_saved' : 'csv_cut', { count: entries.length, file }))
    return { ok: true, value: null }
  }
  return (
    <p>
      <Action label={t('csv_save')} run={save} /> <span class="soft">{said}</span>
    </p>
  )
}

/** Reads the page after a cursor; without a cursor, the newest page. */
function readPage(query: string, after: string | null, limit = 50): Promise<Answer<AuditPage>> {
  const parameters = new URLSearchParams(query)
  parameters.set('limit', String(limit))
  if (after !== null) parameters.set('after', after)
  return call<AuditPage>('GET', `/v1/audit?${parameters}`)
}
