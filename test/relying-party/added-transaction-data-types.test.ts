// api/types: types of transaction data that a relying party adds. Each case changes one thing in a good
// type.

import { describe, expect, it } from 'vitest'
import { addedTransactionDataTypes } from '../../src/relying-party/settings/added-transaction-data-types.ts'

const MEMBER = { path: ['payload', 'order', 'id'], label: 'Order number' }
const TYPE = { type: 'https://shop.example/order', title: 'Your order', members: [MEMBER] }

const member = (change: object) => [{ ...TYPE, members: [{ ...MEMBER, ...change }] }]
const below = { ...MEMBER, path: [...MEMBER.path, 'digits'] }

describe('an added type of transaction data', () => {
  it('gets defaults for its members: each member is a text and required', () => {
    expect(addedTransactionDataTypes.parse([TYPE])).toEqual([
      { ...TYPE, members: [{ ...MEMBER, kind: 'text', optional: false }] },
    ])
  })

  it.each<[string, unknown]>([
    ['a built-in type', [{ ...TYPE, type: 'urn:eudi:sca:payment:1' }]],
    ['a type given twice', [TYPE, TYPE]],
    ['an empty title', [{ ...TYPE, title: '' }]],
    ['no members', [{ ...TYPE, members: [] }]],
    [
      '31 members',
      [{ ...TYPE, members: Array.from({ length: 31 }, (_, i) => ({ ...MEMBER, path: [`m${i}`] })) }],
    ],
    ['21 types', Array.from({ length: 21 }, (_, i) => ({ ...TYPE, type: `t${i}` }))],
    ['an unknown member', [{ ...TYPE, schema: {} }]],
    ['a path given twice', [{ ...TYPE, members: [MEMBER, MEMBER] }]],
    ['a path below an earlier path', [{ ...TYPE, members: [MEMBER, below] }]],
    ['a path above an earlier path', [{ ...TYPE, members: [below, MEMBER] }]],
    ['an empty path', member({ path: [] })],
    ['a path of five members', member({ path: ['a', 'b', 'c', 'd', 'e'] })],
    ['a path to a member that every type has', member({ path: ['credential_ids'] })],
    ['a path through the prototype', member({ path: ['__proto__'] })],
    ['a label of 101 characters', member({ label: 'x'.repeat(101) })],
    ['an unknown kind', member({ kind: 'object' })],
  ])('is refused with %s', (_, types) => {
    expect(addedTransactionDataTypes.safeParse(types).success).toBe(false)
  })
})
