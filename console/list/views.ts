// Filters of the list with a name, of one relying party. They are stored in this browser only.

/** `query`: the query of the list's address. */
export type SavedView = { readonly name: string; readonly query: string }

/** Where views are stored: `localStorage`, or another store of texts. */
export type TextStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export const NAME_LENGTH = 60
export const VIEWS = 20
const QUERY_LENGTH = 4_000

/** Returns the saved views of a relying party. What is not a view is left out. */
export function loadViews(store: TextStore, owner: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(store.getItem(keyOf(owner)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isView).slice(0, VIEWS) : []
  } catch {
    return [] // not JSON, or the browser stores nothing
  }
}

/** Stores the views. Returns false if the browser stores nothing. */
export function storeViews(store: TextStore, owner: string, views: readonly SavedView[]): boolean {
  try {
    if (views.length === 0) store.removeItem(keyOf(owner))
    else store.setItem(keyOf(owner), JSON.stringify(views))
    return true
  } catch {
    return false
  }
}

/** Returns the views with one more. A view of the same name is replaced. `undefined`: there are too many. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] | undefined {
  const others = views.filter(({ name }) => name !== view.name)
  if (others.length >= VIEWS || !isView(view)) return undefined
  return [...others, view].sort((a, b) => a.name.localeCompare(b.name))
}

/** Returns the views with another name for one. A view that had this name is replaced. */
export function renamed(
  views: readonly SavedView[],
  from: string,
  to: string,
): readonly SavedView[] | undefined {
  const view = views.find(({ name }) => name === from)
  const others = views.filter(({ name }) => name !== from)
  return view && withView(others, { ...view, name: to })
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false
  const { name, query } = value as Readonly<Record<string, unknown>>
  return isText(name, NAME_LENGTH) && name.trim() !== '' && isText(query, QUERY_LENGTH)
}

function isText(value: unknown, length: number): value is string {
  return typeof value === 'string' && value.length <= length
}

function keyOf(owner: string): string {
  return `console-views/${owner}`
}
