// `npm run build -- python go java`: packs the clients of these languages to dist/packages. A generator
// writes the calls and types from the current description; packages/client-<language> has the rest.

import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zipSync } from 'fflate'
import { clientDescription, descriptionDigest } from '../../openapi/client-description.ts'
import { servedDescription } from '../../openapi/files.ts'
import { DIST, ROOT } from '../service/paths.mjs'
import { copyProgram } from './generated.ts'
import {
  execute,
  installGoModules,
  installMavenPackages,
  installPythonPackages,
  NotInstalledError,
} from './tools.ts'

/** Where the packages are written. */
export const PACKAGES = join(DIST, 'packages')

/** The module path of the Go client in go.mod and in its imports. */
export const GO_MODULE = 'git.example/wallet-verifier/client-go'

/** Where each package has the digest of its description. */
export const DIGEST_FILES = {
  python: 'src/wallet_verifier/generated/description.sha256',
  go: 'api/description.sha256',
  java: 'src/main/resources/walletverifier/description.sha256',
} as const

/** The folder of a package before its build, and the path of the description, which the generators read. */
type Stage = { readonly folder: string; readonly description: string }

/** Copies the part that is written by hand, and writes the description. */
function stage(language: keyof typeof DIGEST_FILES): Stage {
  const folder = join(DIST, 'clients', `package-${language}`)
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(ROOT, 'packages', `client-${language}`), folder, { recursive: true })
  mkdirSync(PACKAGES, { recursive: true })
  const description = join(DIST, 'clients', `description-${language}.json`)
  writeFileSync(description, JSON.stringify(clientDescription(servedDescription())))
  return { folder, description }
}

/** Writes the digest of the description into a package, after its generator. */
function writeDigest(language: keyof typeof DIGEST_FILES, { folder, description }: Stage): void {
  const path = join(folder, DIGEST_FILES[language])
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, descriptionDigest(JSON.parse(readFileSync(description, 'utf8'))))
}

/** Builds the wheel and the source archive. Resolves to the path of the wheel. */
export async function packPython(): Promise<string> {
  const { folder, description } = stage('python')
  const generator = copyProgram('python')
  await installPythonPackages(generator)
  const output = ['--meta', 'none', '--output-path', join(folder, 'src', 'wallet_verifier', 'generated')]
  const generate = [join(generator, '.venv', 'bin', 'openapi-python-client'), 'generate', '--overwrite']
  await execute([...generate, '--path', description, ...output], { cwd: generator })
  writeDigest('python', { folder, description })
  const python = await installPythonPackages(copyProgram('sdk-python'))
  removeEarlier(/^wallet_verifier-/)
  await execute([python, '-m', 'build', '--no-isolation', '--outdir', PACKAGES, folder], { cwd: folder })
  return join(PACKAGES, readdirSync(PACKAGES).find((name) => name.endsWith('.whl')) ?? '')
}

/**
 * Builds the module in the layout of a module proxy, for `GOPROXY=file://…`. Without `version` the version
 * names the content, because the go command keeps each version that it has seen.
 */
export async function packGo(
  version?: string,
): Promise<{ readonly proxy: string; readonly version: string }> {
  const { folder, description } = stage('go')
  const generator = copyProgram('go')
  await installGoModules(generator)
  mkdirSync(join(folder, 'api'))
  const output = ['-o', join(folder, 'api', 'api.gen.go')]
  const generate = ['go', 'tool', 'oapi-codegen', '-package', 'api', '-generate', 'types,client']
  await execute([...generate, ...output, description], { cwd: generator })
  writeDigest('go', { folder, description })
  await installGoModules(folder)
  await execute(['go', 'vet', './...'], { cwd: folder })
  const files = filesOf(folder)
  const digest = createHash('sha256').update(Buffer.concat(files.map(([, bytes]) => bytes)))
  const named = version ?? `v0.2.0-c${digest.digest('hex').slice(0, 12)}`
  const proxy = join(PACKAGES, 'go')
  const module = join(proxy, GO_MODULE, '@v')
  rmSync(proxy, { recursive: true, force: true })
  mkdirSync(module, { recursive: true })
  const entries = files.map(([path, bytes]) => [`${GO_MODULE}@${named}/${path}`, bytes] as const)
  writeFileSync(join(module, `${named}.zip`), zipSync(Object.fromEntries(entries), { mtime: '2026-01-01' }))
  writeFileSync(join(module, `${named}.mod`), readFileSync(join(folder, 'go.mod')))
  writeFileSync(join(module, `${named}.info`), JSON.stringify({ Version: named }))
  writeFileSync(join(module, 'list'), `${named}\n`)
  return { proxy, version: named }
}

/** Every file of a folder by its path, in a fixed order, without hidden files. */
function filesOf(folder: string): readonly (readonly [string, Buffer])[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const visible = entries.filter((one) => one.isFile() && !one.name.startsWith('.'))
  const paths = visible.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return paths.map((path) => [path.slice(folder.length + 1), readFileSync(path)] as const)
}

const JAVA_OPTIONS = [
  'containerDefaultToNull=true,openApiNullable=false', // leaves out members that were not set
  'hideGenerationTimestamp=true',
  'invokerPackage=walletverifier.api,apiPackage=walletverifier.api,modelPackage=walletverifier.model',
].join(',')
const NO_DOCUMENTS =
  'apis,models,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false'

/** Builds the jar, and installs it in the local Maven repository, where projects of this machine find it. */
export async function packJava(): Promise<void> {
  const { folder, description } = stage('java')
  const generator = copyProgram('java')
  await installMavenPackages(generator)
  const generated = join(DIST, 'clients', 'package-java-generated')
  rmSync(generated, { recursive: true, force: true })
  const jar = ['java', '-jar', join(generator, 'packages', 'openapi-generator-cli.jar'), 'generate']
  const form = ['--generator-name', 'java', '--library', 'native', '--additional-properties', JAVA_OPTIONS]
  const files = ['--global-property', NO_DOCUMENTS, '--input-spec', description, '--output', generated]
  await execute([...jar, ...form, ...files], { cwd: generator })
  const sources = join('src', 'main', 'java', 'walletverifier')
  cpSync(join(generated, sources), join(folder, sources), { recursive: true })
  writeDigest('java', { folder, description })
  await execute(['mvn', '--quiet', '--batch-mode', 'install'], { cwd: folder }).catch((error: unknown) => {
    const text = String(error)
    throw /Could not (resolve|transfer)/.test(text) ? new NotInstalledError(text) : error
  })
  removeEarlier(/^wallet-verifier-client-.*\.(jar|pom)$/)
  for (const name of readdirSync(join(folder, 'target')).filter((one) => one.endsWith('.jar')))
    cpSync(join(folder, 'target', name), join(PACKAGES, name))
  cpSync(join(folder, 'pom.xml'), join(PACKAGES, 'wallet-verifier-client-0.2.0.pom'))
}

function removeEarlier(names: RegExp): void {
  for (const name of readdirSync(PACKAGES))
    if (names.test(name)) rmSync(join(PACKAGES, name), { recursive: true, force: true })
}
