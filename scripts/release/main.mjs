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
import { buildEvidence } from '../service/evidence-package.mjs'
import { buildInspect } from '../service/inspect-package.mjs'
import { DIST } from '../service/paths.mjs'
import { packCreate } from './create.mjs'
import { DEBIAN } from './debian.mjs'
import { packImage } from './image.mjs'
import { pack, writeChecksums } from './pack.mjs'
import { packPackage } from './packages.mjs'
import { provenance } from './provenance.mjs'
import { sbom } from './sbom.mjs'
import { stageSelfHost } from './self-host.mjs'
import { packSite } from './site.mjs'
import { readSource } from './source.mjs'

const LARGEST_ARCHIVE = 5_000_000
const OUR_FILES = /^(SHA256SUMS|(create-)?wallet-verifier-.+\.(tgz|cdx\.json|intoto\.json|oci\.tar|zip))$/

try {
  await release(readArguments())
} catch (error) {
  console.error(`No release was made: ${error.message}`)
  process.exitCode = 1
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      'allow-dirty': { type: 'boolean', default: false },
      image: { type: 'boolean', default: false },
      debs: { type: 'string' },
      site: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  })
  return {
    allowDirty: values['allow-dirty'],
    hasSite: values.site,
    image: values.image ? { debs: values.debs && resolve(values.debs) } : null,
    out: resolve(values.out ?? join(DIST, 'release')),
  }
}

/**
 * Writes the archive, the packages and maybe the image, an SBOM of each, maybe the site, the provenance and
 * the checksums to the folder `out`. Writes all of these files or none.
 */
async function release({ allowDirty, image, hasSite, out }) {
  const source = readSource({ allowDirty })
  const { version, commit, isTagged } = source
  checkFolder(out)
  const work = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    const made = join(work, 'made')
    mkdirSync(made)
    console.error('Building the bundles and the programs …')
    await makeFiles(work, made, source, { image, hasSite })
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

async function makeFiles(work, out, source, { image, hasSite }) {
  const name = `wallet-verifier-${source.version}`
  const { components } = stageSelfHost(join(work, name), source)
  const archive = join(out, `${name}.tgz`)
  pack({ folder: work, name, to: archive, seconds: source.seconds })
  const { size } = statSync(archive)
  if (size > LARGEST_ARCHIVE) throw new Error(`the archive has ${size} bytes, more than ${LARGEST_ARCHIVE}`)
  writeFileSync(join(out, `${name}.cdx.json`), sbom({ name: 'wallet-verifier', ...components }, source))
  // These packages contain their packages. The others have dependencies.
  const bundled = {
    evidence: await buildEvidence(join(work, 'evidence-packages')),
    inspect: await buildInspect(join(work, 'inspect-packages')),
  }
  for (const one of ['client', 'verify', 'evidence', 'inspect']) {
    const packed = packPackage(one, join(work, one), out, source)
    const components = { ...packed.components, bundled: bundled[one] }
    writeFileSync(join(out, `${packed.name}.cdx.json`), sbom(components, source))
  }
  packAndListCreate({ work: join(work, 'create'), archive, out, service: components }, source)
  if (image !== null) packAndListImage({ work, name, out, service: components, ...image }, source)
  if (hasSite) {
    console.error('Building the site …')
    packSite(join(work, 'site'), join(out, `${name}-site.zip`), source)
  }
  const statement = provenance(out, source, { image: image && DEBIAN.packages, site: hasSite })
  writeFileSync(join(out, `${name}.intoto.json`), statement)
  writeChecksums(out)
}

/** Packs `create-wallet-verifier`. Its SBOM has what it contains, and what it installs for a Worker. */
function packAndListCreate({ work, archive, out, service }, source) {
  mkdirSync(work)
  const file = `create-wallet-verifier-${source.version}`
  const { name, bundled, lock } = packCreate({ work, archive, to: join(out, `${file}.tgz`) }, source)
  const components = { name, lock, bundled: bundled.union(service.bundled), vendored: service.vendored }
  writeFileSync(join(out, `${file}.cdx.json`), sbom(components, source))
}

/** Packs the image. Its SBOM is that of the archive, and the packages of Debian. */
function packAndListImage({ work, name, out, service, debs }, source) {
  console.error('Building the image …')
  const folder = join(work, 'image')
  mkdirSync(folder)
  const file = `${name}-${DEBIAN.architecture}`
  packImage({ work: folder, archive: join(work, name), to: join(out, `${file}.oci.tar`), debs }, source)
  const components = { name: 'wallet-verifier-image', ...service, debian: DEBIAN.packages }
  writeFileSync(join(out, `${file}.cdx.json`), sbom(components, source))
}
