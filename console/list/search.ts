// The text of the search field: a whole id, one key of the metadata with its value, or a word.

export type Search =
  | { readonly kind: 'none' }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'metadata'; readonly key: string; readonly value: string }
  | { readonly kind: 'word'; readonly word: string }

const ID = /^v_[A-Za-z0-9_-]{43}$/
/** The API has no longer keys. */
const KEY_LENGTH = 40

/** Parses the text of the search field. */
export function parseSearch(text: string): Search {
  if (text === '') return { kind: 'none' }
  if (ID.test(text)) return { kind: 'id', id: text }
  const [key = '', ...value] = text.split('=')
  if (value.length > 0 && key !== '' && [...key].length <= KEY_LENGTH)
    return { kind: 'metadata', key, value: value.join('=') }
  return { kind: 'word', word: text }
}
