// The text of the console's search field: when it is an id, a key with its value, or a word.

import { expect, it } from 'vitest'
import { parseSearch } from '../../console/list/search.ts'

const ID = `v_${'aB3-_'.repeat(9).slice(0, 43)}`

it.each([
  ['', { kind: 'none' }],
  [ID, { kind: 'id', id: ID }],
  [ID.slice(0, -1), { kind: 'word', word: ID.slice(0, -1) }],
  [`${ID}x`, { kind: 'word', word: `${ID}x` }],
  ['v_4Qd', { kind: 'word', word: 'v_4Qd' }],
  ['10777', { kind: 'word', word: '10777' }],
  ['Erika Müller', { kind: 'word', word: 'Erika Müller' }],
  ['order=10777', { kind: 'metadata', key: 'order', value: '10777' }],
  ['note=a=b', { kind: 'metadata', key: 'note', value: 'a=b' }],
  ['order=', { kind: 'metadata', key: 'order', value: '' }],
  ['=10777', { kind: 'word', word: '=10777' }],
  [`${'k'.repeat(40)}=x`, { kind: 'metadata', key: 'k'.repeat(40), value: 'x' }],
  [`${'k'.repeat(41)}=x`, { kind: 'word', word: `${'k'.repeat(41)}=x` }],
])('the search text %j is parsed to %j', (text, search) => {
  expect(parseSearch(text)).toEqual(search)
})
