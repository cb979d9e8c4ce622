// Runs the sh blocks of a page in one shell, and compares their output with the blocks that show it.
//
// Addresses with port 8787 mean the service that the caller names. 8788 is a free port.

import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { WAIT } from '../support/wait.ts'
import type { Block } from './pages.ts'

const MARK = '--- end of block ---'
/** The first failing command ends the script and its background jobs. */
const PROLOGUE = "set -eo pipefail\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT"

export type BlockRun = { readonly block: Block; readonly output: string }

/** Where blocks run: `port` is the port of the service, `folder` the current folder, `env` adds variables. */
export type Place = {
  readonly port: string
  readonly otherPort: number
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
}

/** Returns the output of each sh block of a page. Throws at the first that fails. */
export function runBlocks(page: string, blocks: readonly Block[], place: Place): readonly BlockRun[] {
  const { PATH, HOME } = process.env // a test runner sets others, such as BASE_URL
  const shells = blocks.filter(({ language }) => language === 'sh')
  const commands = shells.map(({ text }) => `${text}\necho; echo '${MARK}'`)
  const script = [PROLOGUE, ...commands]
    .join('\n')
    .replaceAll('localhost:8787', `localhost:${place.port}`)
    .replaceAll('8788', String(place.otherPort))
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], {
    cwd: place.folder,
    encoding: 'utf8',
    env: { PATH, HOME, ...place.env },
    timeout: WAIT.timeout,
  })
  const outputs = stdout.replaceAll(`localhost:${place.port}`, 'localhost:8787').split(`${MARK}\n`)
  if (status !== 0) {
    const failed = shells[outputs.length - 1]
    throw new Error(`${page}:${failed?.line} exits ${status}\n${failed?.text}\n${outputs.at(-1)}${stderr}`)
  }
  return shells.map((block, i) => ({ block, output: outputs[i] ?? '' }))
}

/**
 * Expects the shown output of each block: `json` after it has members of its output, `text` has lines of it.
 * `…` matches any text.
 */
export function expectShown(page: string, blocks: readonly Block[], runs: readonly BlockRun[]): void {
  for (const { block, output } of runs) {
    const shown = blocks[blocks.indexOf(block) + 1]
    if (shown?.language === 'json')
      expect(jsonIn(output), at(page, shown)).toEqual(pattern(JSON.parse(shown.text)))
    if (shown?.language !== 'text') continue
    for (const line of shown.text.split('\n')) expect(output, at(page, shown)).toMatch(textPattern(line))
  }
}

function at(page: string, { line }: Block): string {
  return `${page}:${line}`
}

/** Returns the JSON at the end of the output. */
function jsonIn(output: string): unknown {
  return JSON.parse(output.slice(output.search(/^\{/m)))
}

/** Returns a matcher for shown JSON. An object must have at least these members, and `…` matches any text. */
function pattern(shown: unknown): unknown {
  if (typeof shown === 'string')
    return shown.includes('…') ? expect.stringMatching(textPattern(shown)) : shown
  if (Array.isArray(shown)) return shown.length === 0 ? [] : expect.arrayContaining(shown.map(pattern))
  if (typeof shown !== 'object' || shown === null) return shown
  const members = Object.entries(shown).map(([name, value]) => [name, pattern(value)])
  return expect.objectContaining(Object.fromEntries(members))
}

function textPattern(text: string): RegExp {
  const literal = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(literal.join('.*'))
}
