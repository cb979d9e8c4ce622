// The command `npm run release`, under the project's own Node.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { DIST } from '../service/paths.mjs'
import { packClient } from './client.mjs'
import { pack, writeChecksums } from './pack.mjs'
import { sbom } from './sbom.mjs'
import { stageSelfHost } from './self-host.mjs'
import { readSource } from './source.mjs'

const LARGEST_ARCHIVE = 5_000_000
const OUR_FILES = /^(SHA256SUMS|wallet-verifier-.+\.(tgz|cdx\.json))$/

try {
  release(readArguments())
} catch (error) {
  console.error(`No release was made: ${error.message}`)
  process.exitCode = 1
}

function readArguments() {
  const { values } = parseArgs({ options: { 'allow-dirty': { type: 'boolean' }, out: { type: 'string' } } })
  return { allowDirty: values['allow-dirty'] === true, out: resolve(values.out ?? join(DIST, 'release')) }
}

/**
 * Writes the archive, the client, an SBOM of each, and the checksums to the folder `out`. Writes all of these
 * files or none.
 */
function release({ allowDirty, out }) {
  const source = readSource({ allowDirty })
  const { version, commit, isTagged } = source
  checkFolder(out)
  const work = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    const made = join(work, 'made')
    mkdirSync(made)
    console.error('Building the bundles and the programs …')
    makeFiles(work, made, source)
    rmSync(out, { recursive: true, force: true })
    cpSync(made, out, { recursive: true })
    for (const file of readdirSync(out).sort())
      console.log(`${String(statSync(join(out, file)).size).padStart(9)}  ${join(out, file)}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  console.log(`Version ${version} of commit ${commit}${isTagged ? '' : `, without the tag v${version}`}.`)
}

/** Throws if the folder has anything but an earlier release, because it is emptied. */
function checkFolder(out) {
  const others = existsSync(out) ? readdirSync(out).filter((file) => !OUR_FILES.test(file)) : []
  if (others.length > 0)
    throw new Error(`${out} has other files, such as ${others[0]}. Name an empty folder.`)
}

function makeFiles(work, out, source) {
  const name = `wallet-verifier-${source.version}`
  const { components } = stageSelfHost(join(work, name), source)
  const archive = join(out, `${name}.tgz`)
  pack({ folder: work, name, to: archive, seconds: source.seconds })
  const { size } = statSync(archive)
  if (size > LARGEST_ARCHIVE) throw new Error(`the archive has ${size} bytes, more than ${LARGEST_ARCHIVE}`)
  const client = packClient(join(work, 'client'), out, source)
  writeFileSync(join(out, `${name}.cdx.json`), sbom({ name: 'wallet-verifier', ...components }, source))
  writeFileSync(join(out, `${client.name}.cdx.json`), sbom(client.components, source))
  writeChecksums(out)
}
