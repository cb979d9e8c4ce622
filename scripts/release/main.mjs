// The command `npm run release`, under the project's own Node.

import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { DIST } from '../service/paths.mjs'
import { packClient } from './client.mjs'
import { checksums, pack } from './pack.mjs'
import { sbom } from './sbom.mjs'
import { stageSelfHost } from './self-host.mjs'
import { readSource } from './source.mjs'

const LARGEST_ARCHIVE = 5_000_000

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

/** Writes archive, client, an SBOM of each, and their checksums to the folder `out`. Empties it first. */
function release({ allowDirty, out }) {
  const source = readSource({ allowDirty })
  const { version, commit, isTagged } = source
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    const name = `wallet-verifier-${version}`
    console.error('Building the bundles and the programs …')
    const { components } = stageSelfHost(join(work, name), source)
    pack({ folder: work, name, to: join(out, `${name}.tgz`), seconds: source.seconds })
    const client = packClient(join(work, 'client'), out, source)
    writeFileSync(join(out, `${name}.cdx.json`), sbom({ name: 'wallet-verifier', ...components }, source))
    writeFileSync(join(out, `${client.name}.cdx.json`), sbom(client.components, source))
    checkSize(join(out, `${name}.tgz`))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  for (const { file, bytes } of checksums(out))
    console.log(`${String(bytes).padStart(9)}  ${join(out, file)}`)
  console.log(`Version ${version} of commit ${commit}${isTagged ? '' : `, without the tag v${version}`}.`)
}

function checkSize(path) {
  const { size } = statSync(path)
  if (size > LARGEST_ARCHIVE) throw new Error(`${path} has ${size} bytes, more than ${LARGEST_ARCHIVE}`)
}
