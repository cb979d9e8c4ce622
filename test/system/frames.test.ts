import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BUNDLE, ensureBundle } from '../../scripts/service/bundle.mjs'
import { NODE, ROOT } from '../../scripts/service/paths.mjs'

const MARK = /['"`]fault['"`], ?\{/

it('frames.mjs shows the places in the sources for the stack frames of a logged error', () => {
  ensureBundle()
  const there = placeOf(readFileSync(BUNDLE, 'utf8'))
  const here = placeOf(readFileSync(join(ROOT, 'src/routes/edge/edge.ts'), 'utf8'))
  const log = `{"frames":["    at async x (worker.js:${there})","    at node:events:1:1"]}\n`
  const output = execFileSync(NODE, [join(ROOT, 'scripts/frames.mjs')], { input: log, encoding: 'utf8' })
  expect(output).toBe(log.replace(`worker.js:${there}`, `src/routes/edge/edge.ts:${here}`))
})

/** Returns line and column of the mark, counted from 1. */
function placeOf(text: string): string {
  const before = text.slice(0, text.search(MARK)).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}
