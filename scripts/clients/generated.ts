// Clients that generators make from the API description, with the options that they have by default. Each
// runs the session of test/clients: a success, a decline, a refused call, the event log and three webhooks.

import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Server } from '../../test/support/service/server.ts'
import { ASSETS, DIST, ROOT } from '../service/paths.mjs'
import {
  execute,
  installGoModules,
  installMavenPackages,
  installNodePackages,
  installPythonPackages,
  type Program,
} from './tools.ts'

const DESCRIPTION = join(ASSETS, 'openapi.json')

export const GENERATED: readonly Program[] = [
  { name: 'openapi-typescript', tool: 'node', run: runTypeScript },
  { name: 'oapi-codegen', tool: 'go', run: runGo },
  { name: 'openapi-python-client', tool: 'python3', run: runPython },
  { name: 'openapi-generator', tool: 'mvn', run: runJava },
]

async function runTypeScript(server: Server): Promise<string> {
  const cwd = copyProgram('typescript')
  await installNodePackages(cwd)
  await execute(['node_modules/.bin/openapi-typescript', DESCRIPTION, '--output', 'api.ts'], { cwd })
  await execute(['node_modules/.bin/tsc', '--project', '.'], { cwd })
  return execute([process.execPath, 'session.ts'], { cwd, env: await relyingParty(server) })
}

async function runGo(server: Server): Promise<string> {
  const cwd = copyProgram('go')
  await installGoModules(cwd)
  mkdirSync(join(cwd, 'verifier'), { recursive: true })
  const output = ['-o', 'verifier/verifier.gen.go']
  await execute(
    [
      'go',
      'tool',
      'oapi-codegen',
      '-package',
      'verifier',
      '-generate',
      'types,client',
      ...output,
      DESCRIPTION,
    ],
    { cwd },
  )
  await execute(['go', 'build', '-o', 'session', '.'], { cwd })
  return execute(['./session'], { cwd, env: await relyingParty(server) })
}

async function runPython(server: Server): Promise<string> {
  const cwd = copyProgram('python')
  const python = await installPythonPackages(cwd)
  const generator = [join(cwd, '.venv', 'bin', 'openapi-python-client'), 'generate', '--path', DESCRIPTION]
  const output = await execute([...generator, '--meta', 'none', '--output-path', 'verifier', '--overwrite'], {
    cwd,
  })
  // The generator leaves schemas out with a warning. Bodies of other media types are left out as well.
  const skipped = output.split('\n').filter((line) => /^(Cannot parse|Unable to|Attempted)/.test(line))
  const faults = skipped.filter((line) => !line.includes('Unsupported content_type'))
  if (faults.length > 0) throw new Error(`The generator left parts out:\n${faults.join('\n')}`)
  return execute([python, 'session.py'], { cwd, env: await relyingParty(server) })
}

/** By default, the client sends empty lists and null for members that were not set. */
const ABSENT = 'containerDefaultToNull=true,openApiNullable=false'

async function runJava(server: Server): Promise<string> {
  const cwd = copyProgram('java')
  await installMavenPackages(cwd)
  const verifier = join(cwd, 'verifier')
  const generator = ['java', '-jar', join(cwd, 'packages', 'openapi-generator-cli.jar'), 'generate']
  const options = ['--generator-name', 'java', '--library', 'native', '--additional-properties', ABSENT]
  await execute([...generator, ...options, '--input-spec', DESCRIPTION, '--output', verifier], { cwd })
  cpSync(join(cwd, 'Session.java'), join(verifier, 'src', 'main', 'java', 'Session.java'))
  const classPath = join(verifier, 'class-path.txt')
  await execute(
    [
      'mvn',
      '--quiet',
      '--batch-mode',
      '-Dmaven.test.skip',
      'compile',
      'dependency:build-classpath',
      `-Dmdep.outputFile=${classPath}`,
    ],
    { cwd: verifier },
  )
  const classes = `${join(verifier, 'target', 'classes')}:${readFileSync(classPath, 'utf8').trim()}`
  return execute(['java', '-cp', classes, 'Session'], { cwd, env: await relyingParty(server) })
}

/** Copies a program to dist/, where it stays with its packages. Removes what was generated before. */
export function copyProgram(language: string): string {
  const target = join(DIST, 'clients', language)
  for (const generated of ['api.ts', 'verifier'])
    rmSync(join(target, generated), { recursive: true, force: true })
  cpSync(join(ROOT, 'test', 'clients', language), target, { recursive: true })
  return target
}

/** Creates a relying party whose webhook is a port of the program. Returns the environment of the program. */
async function relyingParty(server: Server): Promise<Readonly<Record<string, string>>> {
  const port = String(await freePort())
  const webhook = { url: `http://127.0.0.1:${port}/webhook` }
  const { api_key, webhook_secret } = await server.createRelyingParty({ webhook })
  return {
    VERIFIER_URL: server.baseUrl,
    VERIFIER_API_KEY: api_key,
    WEBHOOK_SECRET: webhook_secret,
    PORT: port,
  }
}
