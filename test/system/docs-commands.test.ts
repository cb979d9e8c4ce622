// Runs every command in README.md and docs/, block after block and page by page, with the service of `npm
// start`. The language of a block decides:
// - `sh`: run, and must exit 0. All blocks of a page run in one shell, so that variables stay set.
// - `json` after a `sh` block: members of its output. `…` matches any text.
// - `text` after a `sh` block: lines of its output.
// - `console`: not run. NOT_RUN gives the reason, also for commands in a sentence.
//
// Addresses with port 8787 and the folder .dev mean this service, whatever its port and directory are. 8788
// is a free port.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseCall } from '../../scripts/admin/call.mjs'
import { type Block, blocksOf } from '../documents/blocks.ts'
import { pagesOfDocumentation } from '../documents/pages.ts'
import { freePort, type Server, startServer } from '../support/service/server.ts'

/** Commands that are not run, with the reason, and the test that covers them. */
const NOT_RUN: readonly (readonly [string, RegExp])[] = [
  ['the service that the others call; run by test/system/launcher.test.ts', /^npm start$/],
  ['runs this test; test/scripts/test-summary.test.ts', /^npm test\b/],
  ['run by .ci/run', /^npm (run (check|prose( -- --all)?)|ci)$/],
  ['writes; `npm run check` finds a difference', /^npm run types$/],
  ['writes; `npm run check` finds a difference', /^npm run format$/],
  ['writes; test/documents/generated.test.ts makes the same', /^npm run docs$/],
  ['writes; test/openapi/description.test.ts makes the same', /^npm run openapi$/],
  ['writes; test/browser/states.test.ts sees the same', /^npm run screenshots$/],
  ['run before any test, and by test/scripts/client-package.test.ts', /^npm run build$/],
  ['run by test/scripts/client-package.test.ts', /^npm (run prepare$|pack\b|install )/],
  ['runs until it is stopped', /^((npm run|wrangler) dev|npm run test:watch)$/],
  ['runs tests that .ci/run runs, too', /^npx vitest /],
  ['takes two minutes on a quiet machine', /^npm run bench$/],
  ['takes half an hour; npm test runs it at a smaller size', /^npm run faults$/],
  ['run by test/system/frames.test.ts', /^node scripts\/frames\.mjs/],
  [
    'needs an account; test/scripts/deploy.test.ts runs the dry run',
    /^(npm run deploy\b|(npx )?wrangler (?!dev))/,
  ],
  ['changes the machine that hosts the service', /^(systemctl|journalctl|useradd|git clone|cd \/opt\/)/],
  ['not on every machine', /^(openssl|timedatectl) /],
  ['calls a server of the reader', /^date -u /],
]

const PAGES = pagesOfDocumentation()
const MARK = '--- end of block ---'

let server: Server
let directory: string
let otherPort: number
beforeAll(async () => {
  server = await startServer()
  otherPort = await freePort()
  // the demo relying party exists
  await vi.waitFor(() => expect(server.output()).toContain('curl'), { timeout: 10_000 })
  directory = mkdtempSync(join(tmpdir(), 'docs-'))
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await server.stop()
})

/**
 * Creates a folder like the project's, with this service's state as `.dev`. Files that commands write stay in
 * it.
 */
function freshFolder(name: string): string {
  const folder = join(directory, name)
  mkdirSync(folder)
  for (const entry of readdirSync('.').filter((one) => one !== '.dev' && one !== '.git')) {
    symlinkSync(resolve(entry), join(folder, entry))
  }
  symlinkSync(server.stateDir, join(folder, '.dev'))
  return folder
}

/** Returns the output of each sh block of a page. Throws at the first that fails. */
function run(page: string, blocks: readonly Block[]): readonly { block: Block; output: string }[] {
  const { PATH, HOME } = process.env // a test runner sets others, such as BASE_URL
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

/** The first failing command ends the script and its background jobs. */
const PROLOGUE = "set -eo pipefail\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT"

function onOurPorts(script: string): string {
  return script
    .replaceAll('localhost:8787', new URL(server.origin).host.replace('127.0.0.1', 'localhost'))
    .replaceAll('8788', String(otherPort))
}

describe('the commands of', () => {
  const pages = PAGES.map((page) => [page, blocksOf(page)] as const)
  const withCommands = pages.filter(([, blocks]) => blocks.some(({ language }) => language === 'sh'))

  it.each(withCommands)('%s run unchanged, and print the shown output', (page, blocks) => {
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

  it('all the pages are in sh blocks, or have a reason in NOT_RUN', () => {
    const named = pages.flatMap(([page, blocks]) => [...shownIn(blocks), ...namedIn(page)])
    const run = withCommands
      .flatMap(([, blocks]) => linesOf(blocks, 'sh'))
      .join('\n')
      .replaceAll(' -s ', ' ')
    const reasons = NOT_RUN.map(([, commands]) => named.filter((command) => commands.test(command)))
    // <…> is a value of the reader
    const isRun = (command: string) => run.includes(command.replace(/ '<.*/, ''))
    const notRun = named.filter((command) => !isRun(command) && !isOfOperator(command))
    expect(notRun.filter((command) => !reasons.flat().includes(command))).toEqual([])
    expect(reasons.filter((commands) => commands.length === 0)).toEqual([])
  })
})

/** Returns `true` if the operator's command line accepts the command, whatever its files contain. */
function isOfOperator(command: string): boolean {
  const [, args] = /^npm run admin -- (.+)$/.exec(command) ?? []
  return args !== undefined && 'method' in parseCall(args.split(' '), () => '{}')
}

/** Returns commands of console blocks without their comments. */
function shownIn(blocks: readonly Block[]): readonly string[] {
  return linesOf(blocks, 'console').map((line) => line.replace(/ +#.*/, ''))
}

/** Returns commands in sentences. Records of decisions only mention commands. */
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
