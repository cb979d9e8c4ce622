// A short load of the service on its disk, as `npm run proof -- load` makes it. docs/benchmarks.md has the
// figures of long loads.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'verifier-load-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

it('the service verifies sessions at a steady rate without a pause or an error', async () => {
  const json = join(directory, 'load.json')
  const options = ['--seconds', '1', '--rates', '2', '--callers', '2', '--targets', 'disk', '--json', json]
  const load = spawn(process.execPath, ['bench/load/main.ts', ...options], { stdio: 'inherit' })
  const [code] = await once(load, 'exit')
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    results: readonly { load: string; sessions: number; errors: object }[]
  }
  expect(results.map(({ load }) => load.replace(/:.*/, ''))).toEqual([
    '2/s',
    '2 callers',
    'request alone',
    'poll alone',
    'create alone',
  ])
  expect(results.map(({ errors }) => errors)).toEqual(results.map(() => ({})))
  expect(results.filter(({ sessions }) => sessions === 0)).toEqual([])
  expect(code).toBe(0)
})
