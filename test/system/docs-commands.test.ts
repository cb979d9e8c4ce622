// Every command in README.md and docs/ is run, as a reader would: block after block, page by page, against the service of
// `npm start`. How a block is fenced says what becomes of it:
//   sh       run, and must exit 0; of one page in one shell, so that variables go on
//   json     behind a sh block: members that its output has; … stands for any text
//   text     behind a sh block: lines that its output has
//   console  shown, not run: NOT_RUN says why, as of commands in a sentence
// localhost:8787 and .dev are this service's own, whatever its port and directory are; 8788 is a free port.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseCall } from '../../scripts/admin/call.mjs'
import { type Block, blocksOf } from '../documents/blocks.ts'
import { pagesOfDocumentation } from '../documents/pages.ts'
import { freePort, type Server, startServer } from '../support/service/server.ts'

/** Commands that are shown only: why, and what stands in for running them here. */
const NOT_RUN: readonly (readonly [string, RegExp])[] = [
  ['the service that the others are run against; test/system/launcher.test.ts runs it', /^npm start$/],
  ['what runs this; test/scripts/test-summary.test.ts', /^npm test\b/],
  ['run by .ci/run', /^npm (run (check|prose( -- --all)?)|ci)$/],
  ['writes; `npm run check` finds a difference', /^npm run types$/],
  ['writes; `npm run check` tells whether it would', /^npm run format$/],
  ['writes; test/documents/generated.test.ts makes the same', /^npm run docs$/],
  ['writes; test/openapi/description.test.ts makes the same', /^npm run openapi$/],
  ['writes; test/browser/states.test.ts sees the same', /^npm run screenshots$/],
  ['run before any test, and by test/scripts/client-package.test.ts', /^npm run build$/],
  ['ends only when it is told to', /^((npm run|wrangler) dev|npm run test:watch)$/],
  ['runs tests that .ci/run runs, too', /^npx vitest /],
  ['takes two minutes of a quiet machine', /^npm run bench$/],
  ['run by test/system/frames.test.ts', /^node scripts\/frames\.mjs/],
  ['needs an account; test/scripts/deploy.test.ts runs the dry run', /^(npm run deploy\b|wrangler (?!dev))/],
  ['changes the machine that hosts the service', /^(systemctl|journalctl|useradd|git clone|cd \/opt\/)/],
  ['not on every machine', /^openssl /],
]

const PAGES = pagesOfDocumentation()
const MARK = '--- end of block ---'

let server: Server
let directory: string
let otherPort: number
beforeAll(async () => {
  server = await startServer()
  otherPort = await freePort()
  await vi.waitFor(() => expect(server.output()).toContain('curl'), { timeout: 10_000 }) // the demo relying party is there
  directory = mkdtempSync(join(tmpdir(), 'docs-'))
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await server.stop()
})

/** A folder like the project's, with this service's state for `.dev`: what commands write stays in it. */
function freshFolder(name: string): string {
  const folder = join(directory, name)
  mkdirSync(folder)
  for (const entry of readdirSync('.').filter((one) => one !== '.dev' && one !== '.git')) {
    symlinkSync(resolve(entry), join(folder, entry))
  }
  symlinkSync(server.stateDir, join(folder, '.dev'))
  return folder
}

/** What each sh block of a page printed, up to the first that failed. */
function run(page: string, blocks: readonly Block[]): readonly { block: Block; output: string }[] {
  const { PATH, HOME } = process.env // a test runner sets others, BASE_URL among them
  const port = new URL(server.origin).port
  const commands = blocks.map(({ text }) => `${text}\necho; echo '${MARK}'`)
  const { stdout, stderr, status } = spawnSync(
    'bash',
    ['-c', onOurPorts([PROLOGUE, ...commands].join('\n'))],
    {
      cwd: freshFolder(page.replaceAll('/', '-')),
      encoding: 'utf8',
      env: { PATH, HOME, PORT: port, STATE_DIR: server.stateDir },
      timeout: 50_000,
    },
  )
  const outputs = stdout.replaceAll(`localhost:${port}`, 'localhost:8787').split(`${MARK}\n`)
  if (status !== 0) {
    const failed = blocks[outputs.length - 1]
    throw new Error(`${page}:${failed?.line} exits ${status}\n${failed?.text}\n${outputs.at(-1)}${stderr}`)
  }
  return blocks.map((block, i) => ({ block, output: outputs[i] ?? '' }))
}

/** The first command that fails ends it, and what runs beside it. */
const PROLOGUE = "set -eo pipefail\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT"

function onOurPorts(script: string): string {
  return script
    .replaceAll('localhost:8787', new URL(server.origin).host.replace('127.0.0.1', 'localhost'))
    .replaceAll('8788', String(otherPort))
}

describe('the commands of', () => {
  const pages = PAGES.map((page) => [page, blocksOf(page)] as const)
  const withCommands = pages.filter(([, blocks]) => blocks.some(({ language }) => language === 'sh'))

  it.each(withCommands)('%s run as they stand, and print what is shown', (page, blocks) => {
    const ran = run(
      page,
      blocks.filter(({ language }) => language === 'sh'),
    )
    for (const { block, output } of ran) {
      const shown = blocks[blocks.indexOf(block) + 1]
      if (shown?.language === 'json')
        expect(jsonIn(output), at(page, shown)).toEqual(pattern(JSON.parse(shown.text)))
      if (shown?.language !== 'text') continue
      for (const line of shown.text.split('\n')) expect(output, at(page, shown)).toMatch(textPattern(line))
    }
  })

  it('sh blocks are all that is written down, but for those that are shown for a reason', () => {
    const told = pages.flatMap(([page, blocks]) => [...shownIn(blocks), ...namedIn(page)])
    const run = withCommands
      .flatMap(([, blocks]) => linesOf(blocks, 'sh'))
      .join('\n')
      .replaceAll(' -s ', ' ')
    const reasons = NOT_RUN.map(([, commands]) => told.filter((command) => commands.test(command)))
    const isRun = (command: string) => run.includes(command.replace(/ '<.*/, '')) // <…> stands for what a reader has
    const unkept = told.filter((command) => !isRun(command) && !isOfOperator(command))
    expect(unkept.filter((command) => !reasons.flat().includes(command))).toEqual([])
    expect(reasons.filter((commands) => commands.length === 0)).toEqual([])
  })
})

/** Whether the operator's command line would make a call of it, whatever the files hold that it names. */
function isOfOperator(command: string): boolean {
  const [, args] = /^npm run admin -- (.+)$/.exec(command) ?? []
  return args !== undefined && 'method' in parseCall(args.split(' '), () => '{}')
}

/** Commands of console blocks, without what is said about them. */
function shownIn(blocks: readonly Block[]): readonly string[] {
  return linesOf(blocks, 'console').map((line) => line.replace(/ +#.*/, ''))
}

/** Commands that stand in a sentence. Records of decisions speak of commands, and tell nobody to type them. */
function namedIn(page: string): readonly string[] {
  if (page.startsWith('docs/decisions/')) return []
  return [...readFileSync(page, 'utf8').matchAll(/`((?:npm|npx|node|wrangler) [^`\n]+)`/g)].map(
    ([, command]) => String(command),
  )
}

function linesOf(blocks: readonly Block[], language: string): readonly string[] {
  return blocks.flatMap((block) => (block.language === language ? block.text.split('\n') : []))
}

function at(page: string, { line }: Block): string {
  return `${page}:${line}`
}

/** The JSON that the output ends on. */
function jsonIn(output: string): unknown {
  return JSON.parse(output.slice(output.search(/^\{/m)))
}

/** What is shown, as a matcher: an object has these members at least, … in a text is any. */
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
