// Software bills of materials, written by `npm sbom`.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readJson } from './source.mjs'

/**
 * Returns a CycloneDX document for a package. `bundled`: packages that it contains, as paths of
 * package-lock.json. `lock`: the lock file of what npm installs with it. `vendored`: packages that are in
 * neither. `debian`: packages of Debian.
 */
export function sbom(
  { name, bundled = new Set(), lock = { packages: {} }, vendored = [], debian = [] },
  { version, seconds },
) {
  const { '': root, ...installed } = lock.packages
  const contained = containedIn(bundled)
  const own = {
    ...{ name, version, license: 'Apache-2.0' },
    dependencies: { ...contained.dependencies, ...root?.dependencies },
    optionalDependencies: root?.optionalDependencies ?? {},
  }
  const document = npmSbom(own, {
    name,
    version,
    lockfileVersion: 3,
    packages: { '': own, ...contained.packages, ...installed },
  })
  document.metadata.component.name = name // npm takes the name of the folder
  document.components.push(...vendored.map(vendoredComponent), ...debian.map(debianComponent))
  return `${JSON.stringify(reproducible(document, seconds), null, 2)}\n`
}

/**
 * Returns lock file entries of packages in a bundle, and the dependencies of the bundle itself. An entry
 * depends only on a package in its own node_modules, because a bundle contains only what it uses.
 */
function containedIn(paths) {
  const { packages } = readJson('package-lock.json')
  const entries = Object.fromEntries(
    [...paths].map((path) => {
      const { version, integrity, license } = packages[path]
      return [path, { version, integrity, license, dependencies: {} }]
    }),
  )
  const dependencies = {}
  for (const path of paths) {
    const [, parent, name] = /^(?:(.+)\/)?node_modules\/(.+)$/.exec(path)
    const dependent = parent === undefined ? dependencies : entries[parent].dependencies
    dependent[name] = entries[path].version
  }
  return { packages: entries, dependencies }
}

function npmSbom(own, lock) {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'))
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own))
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
    const command = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
    return JSON.parse(
      execFileSync('npm', command, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Replaces the time and the random serial number, and leaves out the version of npm. */
function reproducible(document, seconds) {
  const { metadata } = document
  metadata.timestamp = new Date(seconds * 1000).toISOString()
  metadata.tools = [{ vendor: 'npm', name: 'cli' }]
  document.serialNumber = ''
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex')
  // RFC 9562 §5.8: version 8, with content of our own.
  const uuid = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ]
  document.serialNumber = `urn:uuid:${uuid.join('-')}`
  return document
}

function vendoredComponent({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    ...{ 'bom-ref': `${name}@${version}`, type: 'library', name, version, scope: 'required', purl },
    licenses: [{ license: { id: license } }],
  }
}

/** Their licences are in the image: usr/share/doc/<name>/copyright. */
function debianComponent({ name, version }) {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?distro=debian-12`
  return { 'bom-ref': purl, type: 'library', name, version, scope: 'required', purl }
}
