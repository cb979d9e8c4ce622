// The button that saves what a filter finds as a file. Pages are read one after the other, with progress.

import { useRef, useState } from 'preact/hooks'
import type { VerificationPage } from '../../packages/client/src/wire.ts'
import { call, type Problem } from '../api.ts'
import { formatCount } from '../insights/counts.ts'
import { announce, Failure, LeftOut, saveCsv } from '../parts.tsx'
import { t } from '../texts.ts'
import { type Exported, ROWS, readAll, tableOf } from './export.ts'

const PAGE = 100

type State = {
  /** Rows that were read so far; null while nothing is read. */
  readonly read: number | null
  /** Message at the end. */
  readonly said: string
  readonly leftOut: readonly string[]
  readonly problem: Problem | null
}

const IDLE: State = { read: null, said: '', leftOut: [], problem: null }

export function ExportButton({ query, mode }: { readonly query: string; readonly mode: string }) {
  const [{ read, said, leftOut, problem }, setState] = useState(IDLE)
  const isStopped = useRef(false)
  const start = async () => {
    isStopped.current = false
    setState({ ...IDLE, read: 0 })
    const exported = await readAll({
      read: (after) => call<VerificationPage>('GET', pagePath(query, after)),
      progress: (count) => {
        setState({ ...IDLE, read: count })
        return !isStopped.current
      },
    })
    if (exported.problem !== null) return setState({ ...IDLE, problem: exported.problem })
    const end = saved(exported, mode)
    setState({ ...IDLE, said: end, leftOut: exported.leftOut })
    announce(end)
  }
  if (read !== null) {
    return (
      <div class="export" aria-busy="true">
        <span class="soft">{t('csv_reading', { count: formatCount(read) })}</span>
        <button
          type="button"
          onClick={() => {
            isStopped.current = true
          }}
        >
          {t('csv_stop')}
        </button>
      </div>
    )
  }
  return (
    <div class="export">
      <button type="button" onClick={start}>
        {t('csv_save')}
      </button>
      <span class="soft">{said === '' ? t('csv_limit', { count: formatCount(ROWS) }) : said}</span>
      <LeftOut days={leftOut} />
      {problem && <Failure problem={problem} />}
    </div>
  )
}

/** Saves the file. Returns what was saved. */
function saved({ entries, isCut }: Exported<Problem>, mode: string): string {
  const file = saveCsv('verifications', mode, tableOf(entries))
  return t(isCut ? 'csv_cut' : 'csv_saved', { count: formatCount(entries.length), file })
}

function pagePath(query: string, after: string | undefined): string {
  const parameters = new URLSearchParams(query)
  parameters.set('limit', String(PAGE))
  if (after !== undefined) parameters.set('after', after)
  return `/v1/verify?${parameters}`
}
