// A list of rows of equal height. Only rows near the screen are part of the page, however long the list is.

import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** Rows before and after the visible ones: for fast scrolling, and so that the Tab key finds a row. */
const MARGIN_ROWS = 12
/** Number of rows before the first measurement. */
const FIRST_ROWS = 30

type View = { readonly first: number; readonly end: number; readonly height: number }

export function Windowed<T>({
  items,
  keyOf,
  label,
  list,
  children,
}: {
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  readonly label: string
  readonly list: RefObject<HTMLOListElement | null>
  readonly children: (item: T) => ComponentChildren
}) {
  const [{ first, end, height }, setView] = useState<View>({ first: 0, end: FIRST_ROWS, height: 0 })
  useLayoutEffect(() => {
    const measure = () => setView((last) => viewOf(list.current, last))
    measure()
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [])
  return (
    <ol ref={list} class="rows" aria-label={label} style={{ height: `${items.length * height}px` }}>
      {items.slice(first, end).map((item, index) => (
        <li
          key={keyOf(item)}
          aria-setsize={items.length}
          aria-posinset={first + index + 1}
          style={{ top: `${(first + index) * height}px` }}
        >
          {children(item)}
        </li>
      ))}
    </ol>
  )
}

/** Returns the places of the first and the last row on the screen. */
export function onScreen(list: HTMLOListElement | null): readonly number[] {
  const row = list?.firstElementChild
  if (!(row instanceof HTMLElement)) return []
  const top = -(list?.getBoundingClientRect().top ?? 0)
  return [top, top + innerHeight].map((at) => Math.max(0, Math.floor(at / row.offsetHeight)))
}

/** Returns the rows near the screen. */
function viewOf(list: HTMLOListElement | null, last: View): View {
  const row = list?.firstElementChild
  if (!(row instanceof HTMLElement)) return last
  const height = row.offsetHeight
  const top = -(list?.getBoundingClientRect().top ?? 0)
  // The position is rounded to steps, so that not every pixel of scrolling renders the rows again.
  const visible = Math.floor(top / height / 4) * 4
  const first = Math.max(0, visible - MARGIN_ROWS)
  const end = visible + Math.ceil(innerHeight / height) + MARGIN_ROWS
  const isSame = first === last.first && end === last.end && height === last.height
  return isSame ? last : { first, end, height }
}
