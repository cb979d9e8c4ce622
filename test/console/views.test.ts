// Saved views of the console: what is stored for each relying party, and what is not read back.

import { describe, expect, it } from 'vitest'
import {
  loadViews,
  NAME_LENGTH,
  renamed,
  type SavedView,
  storeViews,
  type TextStore,
  VIEWS,
  withView,
} from '../../console/list/views.ts'

/** A store of texts, as `localStorage` is. */
function openTexts(): TextStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  return {
    texts,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => void texts.set(key, text),
    removeItem: (key) => void texts.delete(key),
  }
}

const view = (name: string, query = 'status=pending'): SavedView => ({ name, query })
const FULL = Array.from({ length: VIEWS }, (_, i) => view(`view ${i}`))

describe('saved views', () => {
  it('belong to one relying party, and nothing stays stored after the last view is deleted', () => {
    const store = openTexts()
    expect(storeViews(store, 'rp_1', [view('one')])).toBe(true)
    expect(storeViews(store, 'rp_2', [view('two')])).toBe(true)
    expect([loadViews(store, 'rp_1'), loadViews(store, 'rp_2')]).toEqual([[view('one')], [view('two')]])
    expect(storeViews(store, 'rp_1', [])).toBe(true)
    expect([...store.texts.keys()]).toEqual(['console-views/rp_2'])
  })

  it('are sorted by name, and a view of the same name is replaced', () => {
    const views = withView([view('b')], view('a')) ?? []
    expect(views.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(withView(views, view('b', 'reason=x'))).toEqual([view('a'), view('b', 'reason=x')])
  })

  it(`are never more than ${VIEWS}`, () => {
    expect(withView(FULL, view('one more'))).toBeUndefined()
    expect(withView(FULL, view('view 3', 'reason=x'))).toHaveLength(VIEWS)
  })

  it('can be renamed, and keep their filters', () => {
    expect(renamed([view('a', 'q'), view('b')], 'a', 'c')).toEqual([view('b'), view('c', 'q')])
    expect(renamed([view('a', 'q'), view('b')], 'a', 'b')).toEqual([view('b', 'q')])
    expect(renamed(FULL, 'view 3', 'x')).toHaveLength(VIEWS)
    expect(renamed([view('a')], 'z', 'b')).toBeUndefined()
  })

  it.each([view(''), view('  '), view('x'.repeat(NAME_LENGTH + 1)), view('x', 'q'.repeat(4_001))])(
    'cannot include a view with an empty name, or with a name or a filter that is too long: %j',
    (one) => {
      expect(withView([], one)).toBeUndefined()
    },
  )

  it.each([
    ['no JSON', '{'],
    ['no list', '{"name":"a","query":""}'],
    ['entries of another form', '[1,null,{"name":"a"},{"name":1,"query":""},{"name":"","query":""}]'],
  ])('are empty if the stored text in the browser is not valid: it has %s', (_, text) => {
    const store = openTexts()
    store.setItem('console-views/rp_1', text)
    expect(loadViews(store, 'rp_1')).toEqual([])
  })

  it('are empty if the storage of the browser fails, and a failed write is reported', () => {
    const fail = () => {
      throw new Error('storage is off')
    }
    const store = { getItem: fail, setItem: fail, removeItem: fail }
    expect(loadViews(store, 'rp_1')).toEqual([])
    expect(storeViews(store, 'rp_1', [view('a')])).toBe(false)
  })
})
