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

const PARTS = ['2/s', 'verify', 'request', 'poll', 'picture']

it('the service verifies sessions at a steady rate without a pause or an error', async () => {
  const json = join(directory, 'load.json')
  const size = ['--seconds', '1', '--rates', '2', '--callers', '2', '--rounds', '1']
  const options = [...size, '--targets', 'disk,hello', '--parts', PARTS.slice(1).join(','), '--json', json]
  const load = spawn(process.execPath, ['bench/load/main.ts', ...options], { stdio: 'inherit' })
  const [code] = await once(load, 'exit')
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    results: readonly { service: string; part: string; sessions: number; errors: object }[]
  }
  expect(results.map(({ service, part }) => `${part} ${service}`)).toEqual(
    PARTS.flatMap((part) => [`${part} disk`, ...(part === 'request' ? ['request hello'] : [])]),
  )
  expect(results.map(({ errors }) => errors)).toEqual(results.map(() => ({})))
  expect(results.filter(({ sessions }) => sessions === 0)).toEqual([])
  expect(code).toBe(0)
})
