// Entries of the audit log as rows of a file, and the names of their actors.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ACTIONS, type AuditEntry, HEADER, nameOf, toRow } from '../../console/audit/entries.ts'
import { AUDIT_ACTIONS } from '../../src/relying-party/audit/audit-log.ts'

const ENTRY: AuditEntry = {
  number: 3,
  at: '2027-01-31T12:00:00.000Z',
  action: 'settings.changed',
  actor: { kind: 'person', id: 'sub-1', name: null, email: 'ada@shop.example' },
  target: null,
  target_name: null,
  members: ['name', 'webhook'],
  channel: 'console',
  address: null,
}

it('a CSV row of the audit log has one cell for each member, and an empty cell for each null value', () => {
  const person = ['person', 'sub-1', '', 'ada@shop.example']
  const row = ['3', ENTRY.at, 'settings.changed', ...person, '', '', 'name webhook', 'console', '']
  expect(toRow(ENTRY)).toEqual(row)
  expect(toRow({ ...ENTRY, actor: null })).toEqual([...row.slice(0, 3), '', '', '', '', ...row.slice(7)])
  expect(row).toHaveLength(HEADER.length)
})

it('an actor is shown by name, by email if the name is missing, or by id if both are missing', () => {
  expect(nameOf(ENTRY.actor)).toBe('ada@shop.example')
  expect(nameOf({ kind: 'api_key', id: 'ff', name: null, email: null })).toBe('ff')
  expect(nameOf({ kind: 'api_key', id: 'ff', name: 'Till', email: null })).toBe('Till')
  expect(nameOf(null)).toBeNull()
})

it('the filter of the audit log has each action of the service, and each action has a text', () => {
  expect([...ACTIONS].sort()).toEqual([...AUDIT_ACTIONS].sort())
  const texts = JSON.parse(readFileSync('console/texts/en.json', 'utf8')) as object
  const named = Object.keys(texts).filter((name) => name.startsWith('audit.'))
  expect(named.sort()).toEqual(AUDIT_ACTIONS.map((action) => `audit.${action}`).sort())
})
