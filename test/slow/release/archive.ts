// A release that is made from a clone of the project, and unpacked in an empty folder.

import {
  execFileSync,
  type SpawnOptionsWithoutStdio,
  type SpawnSyncReturns,
  spawn,
  spawnSync,
} from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { ROOT } from '../../../scripts/service/paths.mjs'

/** Creates a folder that other users may enter, too. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  chmodSync(folder, 0o755)
  return folder
}

/** Copies the sources of the project to a clone with one commit. Packages come from this checkout. */
export function cloneSources(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const path of listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(ROOT, path), join(to, path))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'))
  git(to, 'init', '--quiet')
  writeFileSync(join(to, '.git', 'info', 'exclude'), '/node_modules\n')
  commit(to)
}

/** Commits everything at a fixed time, so that the same files have the same commit. Returns its id. */
export function commit(clone: string): string {
  git(clone, 'add', '--all')
  git(clone, 'commit', '--quiet', '--allow-empty', '--message=Release')
  return git(clone, 'rev-parse', 'HEAD').trim()
}

export function git(clone: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, ...COMMITTER, GIT_CONFIG_GLOBAL: '/dev/null' },
  })
}

const COMMITTER = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Test'],
    [`GIT_${role}_EMAIL`, 'test@wallet-verifier.invalid'],
    [`GIT_${role}_DATE`, '2026-11-22T12:00:00Z'],
  ]),
)

/** Runs `npm run release` in a clone. `umask` is the umask of the person who runs it. */
export function release(clone: string, umask: string, ...args: readonly string[]) {
  const command = ['-c', `umask ${umask}; exec npm run --silent release -- "$@"`, 'sh', ...args]
  const child = spawn('sh', command, { cwd: clone, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise<{ readonly status: number | null; readonly output: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, output }))
  })
}

/** Unpacks an archive. Returns its only folder. */
export function unpack(archive: string, to: string): string {
  mkdirSync(to, { recursive: true })
  execFileSync('tar', ['-xzf', archive, '-C', to])
  const [name = '', ...others] = readdirSync(to)
  if (others.length > 0) throw new Error(`${archive} has several folders`)
  return join(to, name)
}

/**
 * Runs `npm install` in an unpacked archive. Without a registry it links the same packages of this checkout,
 * except with CI set.
 */
export function install(folder: string): SpawnSyncReturns<string> {
  const installed = spawnSync('npm', ['install', '--prefer-offline', '--fetch-retries=1'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: outsidePath() },
  })
  if (installed.status === 0 || process.env.CI !== undefined) return installed
  console.log(`npm install failed, so the packages of the checkout are linked:\n${installed.stderr}`)
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['.bin', 'workerd', '@cloudflare'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  return { ...installed, status: 0 }
}

/** Returns PATH without the tools of this checkout. */
export function outsidePath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.filter((folder) => !folder.startsWith(ROOT)).join(delimiter)
}

/** Returns every file below a folder, with its content. */
export function filesBelow(folder: string): readonly { readonly path: string; readonly content: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(folder.length + 1), content: readFileSync(path) }))
}

/** A program that runs until it is ended. */
export type Running = {
  /** Returns what it has printed, both streams. */
  output(): string
  /** Signals it and the processes that it started, as Ctrl-C does. Resolves to its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Runs a command, and resolves when its output has `until`. */
export async function run(
  [program = '', ...args]: readonly string[],
  options: SpawnOptionsWithoutStdio,
  until: string,
): Promise<Running> {
  const child = spawn(program, args, { ...options, detached: true })
  const group = -(child.pid ?? 0)
  const endWithUs = () => process.kill(group, 'SIGKILL')
  process.once('exit', endWithUs)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  void ended.then(() => process.off('exit', endWithUs))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes(until)) resolve()
      })
    }
    child.once('error', reject)
    void ended.then((code) => reject(new Error(`${program} ended with ${code}:\n${output}`)))
  })
  return {
    output: () => output,
    end(signal) {
      process.kill(group, signal)
      return ended
    },
  }
}
