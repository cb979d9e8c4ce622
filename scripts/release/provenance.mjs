// The provenance of a release: an in-toto statement with the SLSA predicate v1. It is not signed, because the
// key is that of the person who publishes. Who builds the same commit gets the same statement.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../service/paths.mjs'

/** Described in docs/releasing.md. */
const BUILD_TYPE = 'urn:wallet-verifier:release:v1'
const BUILDER = 'urn:wallet-verifier:builder:own-machine'
/** Files that pin what a build fetches. */
const LOCKS = [
  'package-lock.json',
  'packages/self-host/npm-shrinkwrap.json',
  'packages/create/worker/npm-shrinkwrap.json',
]
/** The same for the generator of the site. */
const SITE_LOCK = 'site/package-lock.json'

/**
 * Returns the statement about the files of the folder `out`. `image`: packages of Debian in the image, each
 * with `name`, `version` and `sha256`; null without an image. `site`: true if the site is one of the files.
 */
export function provenance(out, { version, commit }, { image, site }) {
  const locks = site ? [...LOCKS, SITE_LOCK] : LOCKS
  const subject = readdirSync(out)
    .sort()
    .map((name) => ({ name, digest: { sha256: sha256(join(out, name)) } }))
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { version, commit, image: image !== null, site },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit.replace('-dirty', '') } },
          ...locks.map((path) => ({ name: path, digest: { sha256: sha256(join(ROOT, path)) } })),
          ...(image ?? []).map(debianDependency),
        ],
      },
      runDetails: { builder: { id: BUILDER } },
    },
  }
  return `${JSON.stringify(statement, null, 2)}\n`
}

function debianDependency({ name, version, sha256: digest }) {
  return { uri: `pkg:deb/debian/${name}@${encodeURIComponent(version)}`, digest: { sha256: digest } }
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
