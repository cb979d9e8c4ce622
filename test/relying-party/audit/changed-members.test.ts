import { expect, it } from 'vitest'
import { changedMembers } from '../../../src/relying-party/audit/changed-members.ts'

it('changedMembers names the members whose value has changed, in alphabetical order, and no others', () => {
  const before = { name: 'Shop', webhook: { url: 'a', events: ['x'] }, origins: [], by_value: true }
  const after = { ...before, name: 'Other', webhook: { url: 'a', events: ['y'] } }
  expect(changedMembers(before, after, ['webhook', 'origins', 'name'])).toEqual(['name', 'webhook'])
  expect(changedMembers(before, before, Object.keys(before))).toEqual([])
  expect(changedMembers(before, after, ['origins'])).toEqual([])
})

it('changedMembers treats an absent member and a member that is null as the same', () => {
  expect(changedMembers({}, { alternative_url: null }, ['alternative_url'])).toEqual([])
  expect(changedMembers({}, { alternative_url: 'https://a' }, ['alternative_url'])).toEqual([
    'alternative_url',
  ])
})

it('changedMembers reports `verifier` once if verifier and reader_certificates have changed', () => {
  const before = { verifier: null, reader_certificates: [] }
  const after = { verifier: {}, reader_certificates: [{}] }
  expect(changedMembers(before, after, ['verifier', 'reader_certificates'])).toEqual(['verifier'])
})
