// The client as others install it, and the samples of its guide in an application that uses it. Nothing is
// fetched.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/service/paths.mjs'
import { textsIn } from '../documents/pages.ts'

export const PACKAGE = join(ROOT, 'packages', 'client')

export type Workshop = ReturnType<typeof openWorkshop>

/** Makes a temporary folder for packed files and applications. */
export function openWorkshop() {
  const directory = mkdtempSync(join(tmpdir(), 'client-package-'))
  const npm = (cwd: string, ...args: readonly string[]) =>
    execFileSync('npm', [...args, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, npm_config_cache: join(directory, 'cache') },
    })
  /** Packs a folder, and returns the path of the file. */
  const pack = (folder: string) => {
    const printed = npm(folder, 'pack', '--pack-destination', directory)
    return join(directory, printed.trim().split('\n').at(-1) ?? '')
  }
  /** Creates an application without dependencies, and returns its folder. */
  const application = (name: string, type = 'module') => {
    const folder = join(directory, name)
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', type }))
    return folder
  }
  return {
    directory,
    npm,
    pack,
    application,
    /** Installs the packed client. The types of Node come from this project. */
    applicationWithClient: (name: string, type?: string) => {
      const folder = application(name, type)
      npm(folder, 'install', pack(PACKAGE), pack(join(ROOT, 'node_modules', 'jose')))
      symlinkSync(join(ROOT, 'node_modules', '@types'), join(folder, 'node_modules', '@types'))
      return folder
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** Writes the samples of a page. The first line of each names its file. Returns the names. */
export function writeSamples(page: string, folder: string): readonly string[] {
  return textsIn(page, 'ts').map((text) => {
    const [, name] = /^\/\/ (\w+)\.ts\n/.exec(text) ?? []
    if (name === undefined) throw new Error(`${page}: a sample without a name:\n${text}`)
    writeFileSync(join(folder, `${name}.ts`), `${text}\n`)
    return name
  })
}

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  target: 'ES2022',
  lib: ['ES2023'],
  types: ['node'],
}

/** Compiles every file of an application in strict mode. Returns the errors. */
export function compile(folder: string, options: Readonly<Record<string, unknown>>): string {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...STRICT, ...options }, include: ['*.ts'] }),
  )
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout
}
