// Every npm script and every proof that a page, comment or message names exists, and every script is named.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROOFS } from '../../scripts/service/proofs.mjs'
import { pagesOfDocumentation } from './pages.ts'

/** The folders `examples` and `packages/self-host` have scripts of their own. */
const FOLDERS = [
  'bench',
  'console',
  'openapi',
  'packages/client/src',
  'packages/verify/src',
  'scripts',
  'src',
  'test',
]
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

/** Returns the commands of a text that do not exist. A comment may break a command over two lines. */
function unknownCommands(text: string): readonly string[] {
  const named = text
    .replace(/\n\s*(\/\/|\*)? */g, ' ')
    .matchAll(/npm run (?:-s )?([a-z:]+)(?: -- ([a-z][a-z-]*))?/g)
  return [...named].flatMap(([command, script = '', name]) => {
    const isProof = script !== 'proof' || name === undefined || name === 'all' || Object.hasOwn(PROOFS, name)
    return Object.hasOwn(scripts, script) && isProof ? [] : [command]
  })
}

/** Returns the paths of the sources and pages. The changelog keeps earlier names. */
function files(): readonly string[] {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(tsx?|mjs)$/.test(path))
      .map((path) => join(folder, path)),
  ).filter((path) => !/node_modules|commands\.test\.ts$/.test(path))
  const pages = pagesOfDocumentation().filter((path) => path !== 'CHANGELOG.md')
  return [...sources, ...pages, '.ci/run', 'wrangler.toml', 'assets/console/console.html']
}

describe('a command that a file names', () => {
  it.each([
    ['npm run check -- prose', []],
    ['npm run proof -- fuzz --requests 9', []],
    ['npm run fuzz -- --requests 9', ['npm run fuzz']],
    ['// See `npm\n// run chaos`.', ['npm run chaos']],
    ['npm run proof -- luck', ['npm run proof -- luck']],
  ])(
    'is reported if its npm script or its proof does not exist, and otherwise not: "%s"',
    (text, unknown) => {
      expect(unknownCommands(text)).toEqual(unknown)
    },
  )

  it('exists, in every file of the project', () => {
    const unknown = files().flatMap((path) =>
      unknownCommands(readFileSync(path, 'utf8')).map((command) => `${path}: ${command}`),
    )
    expect(files().length).toBeGreaterThan(1000)
    expect(unknown).toEqual([])
  })
})

describe('package.json', () => {
  it('has at most 14 scripts, each described in README.md, CONTRIBUTING.md or docs/operating.md', () => {
    const text = ['README.md', 'CONTRIBUTING.md', 'docs/operating.md']
      .map((page) => readFileSync(page, 'utf8'))
      .join()
    const commands = Object.keys(scripts).map(
      (name) => `npm ${/^(start|test)$/.test(name) ? '' : 'run '}${name}`,
    )
    expect(commands.length).toBeLessThanOrEqual(14)
    expect(commands.filter((command) => !new RegExp(`\`${command}\\b`).test(text))).toEqual([])
  })
})
