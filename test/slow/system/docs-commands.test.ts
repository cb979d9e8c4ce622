// Runs every command in README.md and docs/, block after block and page by page, with the service of `npm
// start`. The language of a block decides:
// - `sh`: run, and must exit 0. All blocks of a page run in one shell, so that variables stay set.
// - `json` and `text` after a `sh` block: its output.
// - `console`: not run. NOT_RUN gives the reason, also for commands in a sentence.
//
// Addresses with port 8787 and the folder .dev mean this service, whatever its port and directory are.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseCall } from '../../../scripts/admin/call.mjs'
import { type Block, blocksOf, pagesOfDocumentation } from '../../documents/pages.ts'
import { expectShown, runBlocks } from '../../documents/run-blocks.ts'
import { freePort, type Server, startServer } from '../../support/service/server.ts'
import { WAIT } from '../../support/wait.ts'

/** Commands that are not run, with the reason, and the test that covers them. */
const NOT_RUN: readonly (readonly [string, RegExp])[] = [
  ['the service that the others call; run by test/slow/system/launcher.test.ts', /^npm start$/],
  ['runs this test; test/scripts/test-run.test.ts', /^npm test\b/],
  ['run by .ci/run', /^npm (run (check( -- [a-z]+( --all)?)?|proof -- clients( [\w -]+)?)|ci)$/],
  ['sent by test/routes/lists', /^curl .*\/v1\/(verify\?status=|audit\?)/],
  ['writes; `npm run check` finds a difference', /^npm run generate$/],
  ['writes; `npm run check` finds a difference', /^npm run format$/],
  ['prints lines by chance for a reader', /^npm run proof -- sample$/],
  ['writes; test/slow/browser/states.test.ts sees the same', /^npm run proof -- screenshots$/],
  ['run before any test, and by test/slow/scripts/client-package.test.ts', /^npm run build$/],
  [
    'run by `npm run proof -- clients`, where the language is installed',
    /^(npm run build -- [a-z ]+|pip install |go get |export GOPROXY=)/,
  ],
  ['run by test/slow/scripts/client-package.test.ts', /^npm (run prepare$|pack\b|install )/],
  ['runs until it is stopped', /^(npm run|wrangler) dev$/],
  [
    'take minutes to hours; .ci/run runs small sizes',
    /^npm run proof( -- (all|bench|chaos|coverage|faults|fuzz|load|mutation|simulate|sizes|start-size|year)\b.*)?$/,
  ],
  ['asks the registry, before a release', /^npm audit$/],
  ['installs packages of other projects', /^npm ci --prefix bench\/peers$/],
  ['run by test/system/frames.test.ts', /^node scripts\/frames\.mjs/],
  [
    'needs an account; test/slow/deploy.test.ts runs the dry run',
    /^(npm run deploy\b|(npx )?wrangler (?!dev))/,
  ],
  ['changes the machine that hosts the service', /^(systemctl|journalctl|useradd|ln -sfn|cd \/opt\/)/],
  ['unpacks a release; run by test/slow/release', /^(tar -xzf|sha256sum|cd (dist\/)?release)/],
  ['run by test/slow/release, as another user', /^docker (compose|load|run) /],
  ['run by test/slow/release/installation.ts', /^npm create wallet-verifier/],
  ['its parts are run by test/slow/site', /^node scripts\/site\/main\.mjs$/],
  ['publishes', /^(git (tag|push|clone)|npm publish) /],
  ['writes a lock file', /^(cd packages\/self-host && )?npm install --package-lock-only$/],
  ['run by test/slow/scripts/client-package.test.ts and test/slow/release', /^npm (install|pack|sbom)\b/],
  ['run by npm ci, and by test/slow/scripts/client-package.test.ts', /^npm run prepare$/],
  ['run by test/slow/release, with options', /^(npm ci && )?npm run release( -- --image)?( --site)?$/],
  ['run by test/slow/system/admin-command.test.ts', /^npm run (-s )?admin -- verifications show/],
  ['fetches the packages of a release', /^node test\/previous\/build\.mjs /],
  ['not on every machine', /^(openssl|timedatectl|jq) /],
  ['the second line of a command', /^ +'\[\{signing_jwk/],
  ['run by test/slow/scripts/certification.test.ts', /^npm run admin -- certification\b/],
  ['run by test/scripts/admin-wallets.test.ts', /^npm run admin -- wallets/],
  [
    'run by test/slow/system/own-commands.test.ts',
    /^npm run admin -- (verifications list|events tail|webhooks forward)\b/,
  ],
  ['run by test/slow/inspect/command.test.ts, as it is built', /^npx @wallet-verifier\/inspect\b/],
  ['calls a server of the reader', /^date -u /],
  ['measured by test/slow/release/verify-package.test.ts', /^node scripts\/service\/verify-size\.mjs$/],
  [
    'read lists from the internet; run with lists of tests by test/slow/scripts/inspect-list.test.ts and test/conformance/response/xml-trust-lists.test.ts',
    /^npm run admin -- trust-lists (inspect|create --name eu_)|^ +--(assurance-level low --url|schemes|url|signers) /,
  ],
]

/** Its commands need a case file, and are run by test/evidence/audit-page.test.ts. */
const ELSEWHERE = 'docs/evidence-audit.md'

const PAGES = pagesOfDocumentation()

let server: Server
let directory: string
let otherPort: number
beforeAll(async () => {
  server = await startServer()
  otherPort = await freePort()
  // the demo relying party exists
  await vi.waitFor(() => expect(server.output()).toContain('curl'), WAIT)
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

describe('the documented commands', () => {
  const pages = PAGES.map((page) => [page, blocksOf(page)] as const)
  const withCommands = pages.filter(
    ([page, blocks]) => page !== ELSEWHERE && blocks.some(({ language }) => language === 'sh'),
  )

  it.each(withCommands)('in %s run unchanged, and print the documented output', (page, blocks) => {
    const place = {
      port: new URL(server.origin).port,
      otherPort,
      folder: freshFolder(page.replaceAll('/', '-')),
      env: { PORT: new URL(server.origin).port, STATE_DIR: server.stateDir },
    }
    expectShown(page, blocks, runBlocks(page, blocks, place))
  })

  it('are all run from an sh block, except valid admin commands and the commands with a reason in NOT_RUN', () => {
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
    expect(NOT_RUN.filter((_, i) => reasons[i]?.length === 0).map(([reason]) => reason)).toEqual([])
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

/**
 * Returns commands in sentences. Records of decisions only mention commands, and the changelog mentions
 * earlier commands.
 */
function namedIn(page: string): readonly string[] {
  if (page.startsWith('docs/decisions/') || page === 'CHANGELOG.md') return []
  return [...readFileSync(page, 'utf8').matchAll(/`((?:npm|npx|node|wrangler) [^`\n]+)`/g)].map(
    ([, command]) => String(command),
  )
}

function linesOf(blocks: readonly Block[], language: string): readonly string[] {
  return blocks.flatMap((block) => (block.language === language ? block.text.split('\n') : []))
}
