// What `npm start` and the other commands install, with a stand-in for npm.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FOR_START, FOR_START_ON_OLD_NODE, packagesForStart } from '../../scripts/service/install.mjs'
import { ROOT } from '../../scripts/service/paths.mjs'

type Entry = {
  readonly version?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly peer?: boolean
  readonly optional?: boolean
}
type Lock = Readonly<Record<string, Entry>>
type Wanted = 'FOR_START' | 'FOR_START_ON_OLD_NODE' | 'EVERYTHING'

const LOCK: Lock = {
  '': {},
  'node_modules/server': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/server-for-others': { version: '1.0.0', integrity: 'sha512-b', optional: true },
  'node_modules/node': { version: '24.0.0', integrity: 'sha512-c', peer: true },
  'node_modules/tests': { version: '2.0.0', integrity: 'sha512-d', dev: true },
}

/** Writes node_modules as `npm ci` does, without omitted kinds and without the packages of another system. */
const NPM = `#!${process.execPath}
const { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')
console.log('added some packages')
console.error('npm warn of something')
if (process.env.NPM_FAILS) process.exit(7)
const omit = process.argv.filter((arg) => arg.startsWith('--omit=')).map((arg) => arg.slice(7))
const all = Object.entries(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages)
const packages = all.filter(([path, entry]) => path && !entry.optional && !omit.some((kind) => entry[kind]))
rmSync('node_modules', { recursive: true, force: true })
for (const [path] of packages) mkdirSync(path, { recursive: true })
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(packages) }))
`

let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'install-'))
  for (const name of ['install.mjs', 'paths.mjs']) {
    const path = join('scripts', 'service', name)
    mkdirSync(dirname(join(project, path)), { recursive: true })
    cpSync(join(ROOT, path), join(project, path))
  }
  mkdirSync(join(project, 'bin'))
  writeFileSync(join(project, 'bin', 'npm'), NPM)
  chmodSync(join(project, 'bin', 'npm'), 0o755)
  writeFileSync(join(project, 'package.json'), '{}')
  writeLock(LOCK)
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

const writeLock = (packages: Lock) =>
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages }))

/** Returns the options of npm, or `null` if nothing was installed, and what was printed. */
function install(wanted: Wanted, env: Readonly<Record<string, string>> = {}) {
  rmSync(join(project, 'calls'), { force: true })
  const program = `const { ensureInstalled, ${wanted} } = await import('./scripts/service/install.mjs'); ensureInstalled(${wanted})`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: project,
    encoding: 'utf8',
    env: { ...env, PATH: join(project, 'bin') },
  })
  const calls = existsSync(join(project, 'calls')) ? readFileSync(join(project, 'calls'), 'utf8') : null
  const kinds = calls?.match(/(?<=--omit=)\w+/g)?.join(' ') ?? (calls === null ? null : '')
  return { omitted: kinds, calls, status, output: stdout + stderr }
}

describe('an installation', () => {
  it.each([
    ['FOR_START', 'dev peer', ['server']],
    ['FOR_START_ON_OLD_NODE', 'dev', ['server', 'node']],
    ['EVERYTHING', '', ['server', 'node', 'tests']],
  ] as const)(
    'an installation for %s omits the package kinds "%s", and the next run installs nothing',
    (wanted, omitted, names) => {
      expect(install(wanted)).toMatchObject({ omitted, status: 0 })
      for (const name of ['server', 'node', 'tests'])
        expect(existsSync(join(project, 'node_modules', name)), name).toBe(
          (names as readonly string[]).includes(name),
        )
      expect(install(wanted)).toEqual({ omitted: null, calls: null, status: 0, output: '' })
    },
  )

  it('runs install scripts of packages only if it installs Node as a package', () => {
    expect(install('FOR_START').calls).toContain('--ignore-scripts')
    expect(install('FOR_START_ON_OLD_NODE').calls).not.toContain('--ignore-scripts')
  })

  it('adds the missing packages to a smaller installation', () => {
    for (const [wanted, omitted] of [
      ['FOR_START', 'dev peer'],
      ['FOR_START_ON_OLD_NODE', 'dev'],
      ['EVERYTHING', ''],
    ] as const)
      expect(install(wanted)).toMatchObject({ omitted, status: 0 })
  })

  it('does not remove packages of a larger installation', () => {
    install('EVERYTHING')
    for (const wanted of ['FOR_START', 'FOR_START_ON_OLD_NODE'] as const)
      expect(install(wanted).omitted).toBeNull()
  })

  it.each([
    ['a missing folder', () => rmSync(join(project, 'node_modules', 'server'), { recursive: true })],
    [
      'a change of a version',
      () => writeLock({ ...LOCK, 'node_modules/server': { version: '1.0.1', integrity: 'sha512-e' } }),
    ],
    [
      'a change of a checksum',
      () => writeLock({ ...LOCK, 'node_modules/server': { version: '1.0.0', integrity: 'sha512-e' } }),
    ],
    [
      'a new package',
      () => writeLock({ ...LOCK, 'node_modules/more': { version: '1.0.0', integrity: 'sha512-f' } }),
    ],
  ])('is made again with the same packages after %s', (_, change) => {
    install('EVERYTHING')
    change()
    expect(install('FOR_START').omitted).toBe('')
    expect(install('FOR_START').omitted).toBeNull()
  })

  it('is made again if an interrupted installation left no list of packages', () => {
    install('FOR_START')
    rmSync(join(project, 'node_modules', '.package-lock.json'))
    expect(install('FOR_START').omitted).toBe('dev peer')
  })

  it('prints its purpose and the size of the packages, but no output of npm', () => {
    expect(install('FOR_START').output).toMatch(
      /^Installing the packages .*: \d+ packages, \d+ MB to download, \d+ MB on disk\.\nThis takes about .* …\nInstalled in \d+ s\.\n$/,
    )
  })

  it('prints the output of npm if npm fails', () => {
    const { status, output } = install('FOR_START', { NPM_FAILS: '1' })
    expect(status).toBe(1)
    expect(output).toContain('npm warn of something')
    expect(output).toContain('npm ci failed (exit code 7)')
  })
})

describe('npm start', () => {
  it.each([
    ['24.21.0', true, true, FOR_START],
    ['22.12.0', false, false, FOR_START],
    ['22.12.0', false, true, FOR_START_ON_OLD_NODE],
    ['20.19.0', false, false, FOR_START],
    ['20.19.0', false, true, FOR_START_ON_OLD_NODE],
    ['22.11.0', false, false, FOR_START_ON_OLD_NODE],
    ['20.18.0', false, false, FOR_START_ON_OLD_NODE],
  ])(
    'chooses the packages for Node %s (Node has SQLite: %s, objects are stored: %s)',
    (version, hasSqlite, hasObjects, packages) => {
      expect(packagesForStart({ hasObjects, version, hasSqlite })).toBe(packages)
    },
  )

  it('needs the packages of the Worker, and the packages that build and run the Worker', () => {
    const names = packagesOf(FOR_START).map((path) => path.replace('node_modules/', ''))
    const worker = Object.keys(json('package.json').dependencies)
    const start = Object.keys(json('packages/start/package.json').dependencies)
    expect(worker).toHaveLength(8)
    expect(names).toEqual(expect.arrayContaining([...worker, ...start]))
    for (const name of ['wrangler', 'vitest', 'typescript', 'node']) expect(names).not.toContain(name)
    expect(packagesOf(FOR_START_ON_OLD_NODE)).toContain('node_modules/node')
  })
})

/** Returns the packages that npm installs on every system. */
function packagesOf({ omit }: { readonly omit: readonly string[] }): readonly string[] {
  const lock: Lock = json('package-lock.json').packages
  return Object.keys(lock).filter((path) => {
    const kinds = Object.keys(lock[path] ?? {})
    return path.startsWith('node_modules/') && !['optional', ...omit].some((kind) => kinds.includes(kind))
  })
}

function json(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
}
