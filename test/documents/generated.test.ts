// Generated parts of the documentation are current: `npm run docs` would change nothing.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { GENERATED_PAGES, GENERATED_TABLES } from '../../scripts/documents/pages.ts'

it.each(Object.entries(GENERATED_PAGES))('%s is current', (path, describe) => {
  expect(readFileSync(path, 'utf8')).toBe(describe())
})

it.each(Object.entries(GENERATED_TABLES))('%s has the current tables', (path, describe) => {
  for (const table of describe().split('\n\n')) expect(readFileSync(path, 'utf8')).toContain(`${table}\n`)
})
