// The packages of Debian below the image, by version and checksum (packages/image/debian.json). They are what
// Node, workerd and the launcher link to or call, and the authorities of the web.

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from './source.mjs'

/** The lock: `architecture`, and of each package `name`, `version`, `file`, `sha256` and maybe `only`. */
export const DEBIAN = readJson('packages/image/debian.json')

/** Folders that no program of the image reads. */
const UNUSED = [
  ...['man', 'locale', 'lintian', 'menu', 'bash-completion', 'bug', 'gcc', 'gdb'].map(
    (name) => `usr/share/${name}`,
  ),
  ...['usr/lib/x86_64-linux-gnu/gconv', 'usr/sbin', 'etc/ca-certificates'],
]
const AUTHORITIES = 'usr/share/ca-certificates'

/**
 * Fills the folder `to` with the files of the packages. `debs`: a folder with the files of the lock; without
 * it `apt-get` downloads them to the folder `work`. Throws for a file with another checksum.
 */
export function stageDebian(to, { work, debs }) {
  const status = join(to, 'var', 'lib', 'dpkg', 'status.d')
  mkdirSync(status, { recursive: true })
  for (const one of DEBIAN.packages) {
    const path = checkedFile(one, debs ?? download(one, work))
    unpackDeb(path, to, one.only ?? [])
    // Scanners of images read which packages these are.
    writeFileSync(join(status, one.name), execFileSync('dpkg-deb', ['--field', path]))
  }
  joinAuthorities(to)
  for (const path of [...UNUSED, AUTHORITIES]) rmSync(join(to, path), { recursive: true, force: true })
  removeExceptCopyright(join(to, 'usr', 'share', 'doc'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(to, 'etc', name), text)
}

/** Files of /etc. A runtime of containers replaces `hosts`. */
const FILES = {
  passwd: `root:x:0:0:root:/root:/usr/sbin/nologin
verifier:x:65532:65532:wallet-verifier:/var/lib/wallet-verifier:/usr/sbin/nologin
`,
  group: 'root:x:0:\nverifier:x:65532:\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
}

function download({ name, version }, work) {
  mkdirSync(work, { recursive: true })
  const args = ['download', '--quiet', '--quiet', `${name}:${DEBIAN.architecture}=${version}`]
  const { status, error } = spawnSync('apt-get', args, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] })
  if (error || status !== 0)
    throw new Error(
      `apt-get cannot download ${name} ${version} of Debian ${DEBIAN.suite}. Name a folder with its file by --debs, or renew packages/image/debian.json.`,
    )
  return work
}

function checkedFile({ file, sha256 }, folder) {
  const path = join(folder, file)
  if (!existsSync(path)) throw new Error(`${path} does not exist.`)
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
  if (digest !== sha256) throw new Error(`${path} has another checksum than packages/image/debian.json.`)
  return path
}

function unpackDeb(path, to, members) {
  const files = execFileSync('dpkg-deb', ['--fsys-tarfile', path], { maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', to, '--no-same-owner', ...members], { input: files })
}

/** Writes all authorities of the web into the one file that programs read. */
function joinAuthorities(to) {
  const folder = join(to, AUTHORITIES, 'mozilla')
  const texts = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
  mkdirSync(join(to, 'etc', 'ssl', 'certs'), { recursive: true })
  writeFileSync(join(to, 'etc', 'ssl', 'certs', 'ca-certificates.crt'), `${texts.join('\n')}\n`)
}

function removeExceptCopyright(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name !== 'copyright')
      rmSync(join(entry.parentPath, entry.name), { force: true }) // two folders may be one, by a link
}
