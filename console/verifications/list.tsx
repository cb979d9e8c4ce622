// The list of verifications, newest first. New verifications appear by themselves, but never move what a
// person reads.

import { useEffect, useRef } from 'preact/hooks'
import { modeOf, type Session } from '../api.ts'
import { ExportButton } from '../list/export-button.tsx'
import { SavedViews } from '../list/saved-views.tsx'
import { announce, Failure, LeftOut, Status, Time, Zone } from '../parts.tsx'
import { verificationLink } from '../route.ts'
import { t } from '../texts.ts'
import type { Entry, Listing } from './entries.ts'
import { Filters } from './filters.tsx'
import { useListing } from './use-listing.ts'
import { onScreen, Windowed } from './windowed.tsx'

export function Verifications({ query, session }: { readonly query: string; readonly session: Session }) {
  const list = useRef<HTMLOListElement>(null)
  const section = useRef<HTMLElement>(null)
  const owner = session.relying_party?.relying_party_id ?? ''
  const key = `${owner} ${query}`
  const mayMove = () => {
    const rows = list.current
    if (rows === null) return true
    // A pointer or the focus on the list counts as use, so that the button for new entries does not move.
    const isUsed = section.current?.matches(':hover, :focus-within')
    return rows.getBoundingClientRect().top >= 0 && !isUsed
  }
  const { listing, problem, isReading, readOlder, showNewest } = useListing(key, query, {
    mayMove,
    seen: () => onScreen(list.current),
  })
  const waiting = listing?.waiting ?? 0
  const hasNew = waiting > 0
  useEffect(() => {
    if (hasNew) announce(t('new_arrived'))
  }, [hasNew])
  return (
    <>
      <h1>{t('verifications')}</h1>
      <Filters query={query} />
      <SavedViews owner={owner} query={query} />
      {problem && <Failure problem={problem} />}
      {listing === null && !problem && (
        <p class="soft" role="status">
          {t('loading')}
        </p>
      )}
      {listing !== null && (
        <section ref={section} aria-label={t('verifications')}>
          <div class="above">
            <p class="news">
              {hasNew ? (
                <button type="button" class="primary" onClick={showNewest}>
                  {t('show_new', { count: waiting })}
                </button>
              ) : (
                <span class="soft">{t('live')}</span>
              )}
            </p>
            <Zone />
            <ExportButton query={query} mode={modeOf(session)} />
          </div>
          <LeftOut days={listing.leftOut} />
          {listing.entries.length > 0 && (
            <div class="table">
              <p class="heads" aria-hidden="true">
                {HEADS.map((name) => (
                  <span key={name}>{t(name)}</span>
                ))}
              </p>
              <Windowed
                items={listing.entries}
                keyOf={({ verification_id }) => verification_id}
                label={t('verifications')}
                list={list}
              >
                {(entry) => <Row entry={entry} />}
              </Windowed>
            </div>
          )}
          <Older listing={listing} isReading={isReading} onOlder={readOlder} />
        </section>
      )}
    </>
  )
}

const HEADS = ['created', 'status', 'credential_type', 'reason', 'metadata', 'id']

function Row({ entry }: { readonly entry: Entry }) {
  const { verification_id, status, created_at, credential_types, reason, attempt_count, metadata } = entry
  const isDead = entry.webhook_state === 'dead'
  const named = Object.entries(metadata).map(([name, value]) => `${name}=${value}`)
  return (
    <a href={verificationLink(verification_id)}>
      <span class="when">
        <Time at={created_at} />
      </span>
      <span>
        <Status status={status} />
      </span>
      <span class="type">{credential_types.join(', ')}</span>
      <span class="why">
        {isDead && <span class="state dead">{t('webhook_dead')}</span>} {reason && <code>{reason.code}</code>}
        {attempt_count > 0 && <Refused entry={entry} />}
      </span>
      <span class="data" title={named.join('\n')}>
        {named.join(', ')}
      </span>
      <code class="id">{verification_id}</code>
    </a>
  )
}

/** From this number on, the list counts the refused responses of a pending verification now and then only. */
const COUNTED = 3

function Refused({ entry }: { readonly entry: Entry }) {
  const { status, reason, attempt_count: count, last_attempt_reason: last } = entry
  const least = status === 'pending' && count >= COUNTED ? `${count}+` : count
  const isNamed = last !== null && last.code !== reason?.code
  return (
    <span class="soft">
      {' '}
      {t('refused_count', { count: least })}
      {isNamed && (
        <>
          : <code>{last.code}</code>
        </>
      )}
    </span>
  )
}

/** Reads older entries when a person comes near the end, or presses the button. */
function Older({
  listing: { entries, next, isSparse },
  isReading,
  onOlder,
}: {
  readonly listing: Listing
  readonly isReading: boolean
  readonly onOlder: () => Promise<void>
}) {
  const button = useRef<HTMLButtonElement>(null)
  const read = useRef(onOlder)
  read.current = onOlder
  useEffect(() => {
    // For a page without entries, the service has read thousands of rows. So the person must ask for the next
    // page.
    if (button.current === null || isSparse) return undefined
    const observer = new IntersectionObserver((seen) => seen.at(-1)?.isIntersecting && void read.current(), {
      rootMargin: '1000px',
    })
    observer.observe(button.current)
    return () => observer.disconnect()
  }, [next, isSparse])
  if (next === null) {
    return <p class="soft end">{t(entries.length === 0 ? 'none' : 'no_more', { count: entries.length })}</p>
  }
  return (
    <p class="end">
      {isSparse && <span class="soft">{t('none_yet')}</span>}
      <button ref={button} type="button" aria-busy={isReading} onClick={onOlder}>
        {t('older')}
      </button>
    </p>
  )
}
