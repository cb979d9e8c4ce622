// Ways to install a release as a stranger does: from a registry with one package, and from an image.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DEBIAN } from '../../../scripts/release/debian.mjs'
import { ROOT } from '../../../scripts/service/paths.mjs'
import { outsidePath } from './archive.ts'

const CRANE = 'github.com/google/go-containerregistry/cmd/crane@v0.22.1'

/** Serves a package at a registry of its own. Other packages come from the registry of npm's settings. */
export async function openRegistry(archive: string, name: string, version: string) {
  const file = readFileSync(archive)
  const settings = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })
  const other = settings.stdout.trim().replace(/\/$/, '')
  const integrity = `sha512-${createHash('sha512').update(file).digest('base64')}`
  const server = createServer(({ url = '' }, response) => {
    if (url === `/${name}.tgz`) return response.end(file)
    if (url !== `/${name}`) return response.writeHead(302, { location: other + url }).end()
    const { bin } = JSON.parse(readFileSync(join(ROOT, 'packages/create/package.json'), 'utf8'))
    const dist = { tarball: `${origin}/${name}.tgz`, integrity }
    const versions = { [version]: { name, version, bin, dist } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, close: () => server.close() }
}

/** Runs a command without blocking this process, which may be its registry. */
export function runCommand(
  [program = '', ...args]: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
) {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
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

/** Returns `true` if this machine can get the packages of Debian that an image has. */
export function hasDebian(): boolean {
  const names = DEBIAN.packages.map(
    ({ name, version }: { name: string; version: string }) => `${name}:${DEBIAN.architecture}=${version}`,
  )
  const found = spawnSync('apt-get', ['download', '--print-uris', ...names], { encoding: 'utf8' })
  return found.status === 0 && spawnSync('dpkg-deb', ['--version']).status === 0
}

/** Installs crane, a tool for images of other authors. Returns its path, or undefined without Go. */
export function installCrane(folder: string): string | undefined {
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' }
  const { status } = spawnSync('go', ['install', CRANE], { cwd: folder, env })
  return status === 0 ? join(folder, 'crane') : undefined
}

type ImageConfig = {
  readonly User: string
  readonly Env: readonly string[]
  readonly WorkingDir: string
  readonly Volumes: Readonly<Record<string, object>>
  readonly Entrypoint: readonly string[]
  readonly Healthcheck: { readonly Test: readonly string[] }
}

/**
 * Returns commands that run in the root file system of an image as its user: read-only but for `state` and
 * /tmp, with mounts and processes of their own. Needs root.
 */
export function containerOf(root: string, { User, Env, WorkingDir, Volumes }: ImageConfig, state: string) {
  const [uid = ''] = User.split(':')
  mkdirSync(state)
  chownSync(state, Number(uid), Number(uid))
  for (const name of ['proc', 'dev']) mkdirSync(join(root, name), { recursive: true })
  const script = join(state, '..', 'enter.sh')
  const [volume = ''] = Object.keys(Volumes)
  writeFileSync(
    script,
    [
      `mount --bind '${root}' '${root}' && mount -o remount,bind,ro '${root}'`,
      `mount -t proc proc '${root}/proc' && mount --rbind /dev '${root}/dev'`,
      `mount -t tmpfs tmpfs '${root}/tmp' && mount --bind '${state}' '${root}${volume}'`,
      `exec env -i "PORT=$PORT" ${Env.map((entry) => `'${entry}'`).join(' ')} "$(command -v chroot)" --userspec=${User} '${root}' \\`,
      `  /bin/sh -c 'cd ${WorkingDir}; exec "$@"' sh "$@"`,
    ].join('\n'),
  )
  const enter = ['unshare', '--mount', '--pid', '--fork', '--kill-child=SIGTERM', 'sh', '-e', script]
  return (command: readonly string[]) => [...enter, ...command]
}

/** Links the packages of this checkout into a folder. */
export function linkPackages(folder: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

/** Returns variables of a stranger: no tools of this checkout, and a cache of npm of their own. */
export function strangersEnvironment(folder: string, registry: string) {
  return {
    PATH: outsidePath(),
    HOME: folder,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_registry: registry,
  }
}
