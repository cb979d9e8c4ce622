// Reads the list of verifications: the newest page and those on the screen again and again, older pages when
// they are asked for.

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { VerificationPage } from '../../packages/client/src/wire.ts'
import { call, type Problem } from '../api.ts'
import { repeat } from '../resource.ts'
import { cursorOf, EMPTY, isShort, type Listing, withChanged, withNewest, withOlder } from './entries.ts'

/** Time between two reads of the newest page. */
const LIVE_MS = 3_000
/** Time between two reads while the service searches thousands of rows for a page. */
const SEARCH_MS = 30_000
const PAGE = 100

type State = { readonly listing: Listing | null; readonly problem: Problem | null }

/** The list that was shown last, for the way back from a verification. */
let kept: Kept | undefined

type Kept = {
  readonly key: string
  readonly query: string
  readonly listing: Listing
  /** Scroll position. */
  readonly place: number
}

/** Returns the query of the list that was shown last. */
export function lastQuery(): string {
  return kept?.query ?? ''
}

/** Use of the list by a person. */
type View = {
  /** See `withNewest`. */
  readonly mayMove: () => boolean
  /** Returns places of rows on the screen: their pages are read again, too. */
  readonly seen: () => readonly number[]
}

/** `key`: owner and filters. */
export function useListing(key: string, query: string, { mayMove, seen }: View) {
  const restored = kept?.key === key ? kept : undefined
  const [{ listing, problem }, setState] = useState<State>({
    listing: restored?.listing ?? null,
    problem: null,
  })
  const [isReading, setReading] = useState(false)
  const pause = useRef(LIVE_MS)
  const shown = useRef(listing)
  shown.current = listing

  const readNewest = useCallback(
    async (isAsked = false) => {
      const cursors = new Set(seen().map((place) => cursorOf(shown.current ?? EMPTY, place)))
      const read = (after?: string) => call<VerificationPage>('GET', pagePath(query, after))
      const older = [...cursors].filter((cursor) => cursor !== null)
      const answers = await Promise.all([read(), ...older.map(read)])
      const [answer, ...others] = answers
      const hasSearched = answers.some((one) => one.ok && isShort(one.value, PAGE))
      pause.current = hasSearched ? SEARCH_MS : LIVE_MS
      return () =>
        setState((last) => {
          if (!answer.ok) return { ...last, problem: answer.problem }
          const moves = isAsked || mayMove()
          const listing = withNewest(last.listing ?? EMPTY, answer.value, moves)
          const pages = others.flatMap((other) => (other.ok ? [other.value] : []))
          return { listing: pages.reduce(withChanged, listing), problem: null }
        })
    },
    [query],
  )
  useLayoutEffect(() => {
    if (restored !== undefined) requestAnimationFrame(() => scrollTo(0, restored.place))
    const stop = repeat(
      () => readNewest(),
      () => pause.current,
    )
    // The position is stored before the clean-up, when the page is already shorter and its scroll position is
    // lost.
    let place = 0
    const follow = () => {
      place = scrollY
    }
    addEventListener('scroll', follow, { passive: true })
    return () => {
      stop()
      removeEventListener('scroll', follow)
      if (shown.current !== null) kept = { key, query, listing: shown.current, place }
    }
  }, [key])
  const readOlder = async () => {
    const after = listing?.next
    if (isReading || typeof after !== 'string') return
    setReading(true)
    const answer = await call<VerificationPage>('GET', pagePath(query, after))
    setReading(false)
    setState((last) => {
      if (!answer.ok) return { ...last, problem: answer.problem }
      if (last.listing?.next !== after) return last
      return { listing: withOlder(last.listing, answer.value), problem: null }
    })
  }
  const showNewest = async () => {
    scrollTo(0, 0)
    const apply = await readNewest(true)
    apply()
  }
  return { listing, problem, isReading, readOlder, showNewest }
}

function pagePath(query: string, after?: string): string {
  const parameters = new URLSearchParams(query)
  parameters.set('limit', String(PAGE))
  if (after !== undefined) parameters.set('after', after)
  return `/v1/verify?${parameters}`
}
