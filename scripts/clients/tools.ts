// Tools of other languages: checks if they are installed, and installs their packages.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '../../test/support/service/server.ts'

export type ToolName = 'node' | 'go' | 'python3' | 'mvn'

/** A client or an example. `run` resolves to a line about what happened. */
export type Program = {
  readonly name: string
  readonly tool: ToolName
  /** True: it takes minutes, and runs only if it is named. */
  readonly isLong?: boolean
  readonly run: (server: Server) => Promise<string>
}

/** Arguments that print the version. Debian has Python's `venv` in a package of its own. */
const VERSION: Readonly<Record<ToolName, readonly string[]>> = {
  node: ['--version'],
  go: ['version'],
  python3: ['-c', 'import sys, venv, ensurepip; print(sys.version)'],
  mvn: ['--version'], // fails without Java
}

/** The oldest versions that the pinned packages accept. */
const OLDEST: Readonly<Record<ToolName, readonly [number, number]>> = {
  node: [20, 0],
  go: [1, 25],
  python3: [3, 10],
  mvn: [3, 6],
}

type Run = (
  command: string,
  args: readonly string[],
) => { readonly status: number | null; readonly stdout: string }

const runTool: Run = (command, args) => spawnSync(command, args, { encoding: 'utf8' })

/** Returns why a tool cannot be used, or undefined. */
export function missing(tool: ToolName, run: Run = runTool): string | undefined {
  const { status, stdout } = run(tool, VERSION[tool])
  if (status !== 0) return `${tool} is not installed`
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? []
  const [wantedMajor, wantedMinor] = OLDEST[tool]
  const isOld = major < wantedMajor || (major === wantedMajor && minor < wantedMinor)
  return isOld ? `${tool} is older than ${wantedMajor}.${wantedMinor}` : undefined
}

/** The result of a program whose tool or packages are missing. A full run has them all. */
export function resultWithoutTool({ CI_FULL }: Readonly<Record<string, string | undefined>>) {
  return CI_FULL === '1' ? 'failed' : 'skipped'
}

/** A limit for a hang: compilers take many minutes on a busy machine. */
const LIMIT_MS = 1_800_000

/** Runs a command to its end and resolves to its output. Rejects with the output unless it ends with 0. */
export function execute(
  [command = '', ...args]: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, timeout: LIMIT_MS })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(output.trim())
      else reject(new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${output}`))
    })
  })
}

/** Installs the packages of a folder's package-lock.json, unless that was done for the same file. */
export function installNodePackages(folder: string): Promise<void> {
  return once(folder, 'package-lock.json', async () => {
    await execute(['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
  })
}

/** Installs the packages of a folder's requirements.txt into `.venv`. Resolves to its `python`. */
export async function installPythonPackages(folder: string): Promise<string> {
  await once(folder, 'requirements.txt', async () => {
    await execute(['python3', '-m', 'venv', '--clear', '.venv'], { cwd: folder })
    const pip = [
      '.venv/bin/pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '-r',
      'requirements.txt',
    ]
    await execute(pip, { cwd: folder })
  })
  return join(folder, '.venv', 'bin', 'python')
}

/** Downloads the Go modules of a folder. */
export function installGoModules(folder: string): Promise<void> {
  return once(folder, 'go.sum', async () => {
    await execute(['go', 'mod', 'download'], { cwd: folder })
  })
}

/** Copies the packages of a folder's pom.xml to `packages`, without their versions. */
const COPY = ['dependency:copy-dependencies', '-Dmdep.stripVersion']
/** Unpacks the archives of a folder's pom.xml to `packages`. */
export const UNPACK = ['dependency:unpack-dependencies', '-DincludeTypes=zip']

/** Installs the packages of a folder's pom.xml into `packages`. */
export function installMavenPackages(folder: string, goal: readonly string[] = COPY): Promise<void> {
  return once(folder, 'pom.xml', async () => {
    await execute(['mvn', '--quiet', '--batch-mode', ...goal, '-DoutputDirectory=packages'], { cwd: folder })
  })
}

/** The packages of a program cannot be installed, for example without a network. */
export class NotInstalledError extends Error {}

async function once(folder: string, list: string, install: () => Promise<void>): Promise<void> {
  const stamp = join(folder, `.installed-${list}`)
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, list)))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  try {
    await install()
  } catch (error) {
    throw new NotInstalledError(`its packages cannot be installed: ${String(error)}`)
  }
  writeFileSync(stamp, digest)
}
