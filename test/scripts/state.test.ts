import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keepUniqueKeys, openStateDirectory } from '../../scripts/service/state.mjs'

it('creates a unique key for a new class, and keeps those of the others', async () => {
  const path = mkdtempSync(join(tmpdir(), 'state-'))
  const directory = openStateDirectory(path)
  const before: Record<string, string> = await keepUniqueKeys(directory, ['Directory'])
  const after: Record<string, string> = await keepUniqueKeys(directory, ['Directory', 'EventLog'])
  rmSync(path, { recursive: true })
  expect(after.Directory).toBe(before.Directory)
  expect(after.EventLog).toMatch(/^[0-9a-f]{64}$/)
  expect(after.EventLog).not.toBe(after.Directory)
})
