// An image as an OCI layout (image-spec 1.1), without a daemon: layers, configuration, manifest, index.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TYPES = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
}

/**
 * Writes the layout into the empty folder `to`. `layers`: files in tar format, the lowest first, which are
 * compressed in place. `config`: the member of that name in the configuration. `name`: `repository:tag`.
 */
export function writeLayout(to, { layers, config, name, architecture, seconds, annotations }) {
  const blobs = join(to, 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  const created = new Date(seconds * 1000).toISOString().replace('.000', '')
  const written = layers.map(({ file, comment }) => ({ ...addLayer(blobs, file), comment }))
  const image = {
    ...{ created, architecture, os: 'linux', config },
    rootfs: { type: 'layers', diff_ids: written.map(({ diffId }) => diffId) },
    history: written.map(({ comment }) => ({ created, created_by: comment })),
  }
  const manifest = {
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config: addJson(blobs, TYPES.config, image),
    layers: written.map(({ descriptor }) => descriptor),
    annotations: { 'org.opencontainers.image.created': created, ...annotations },
  }
  const index = {
    schemaVersion: 2,
    mediaType: TYPES.index,
    manifests: [
      {
        ...addJson(blobs, TYPES.manifest, manifest),
        platform: { architecture, os: 'linux' },
        // The tag within the layout, and the name that `docker load` gives the image.
        annotations: {
          'org.opencontainers.image.ref.name': name.split(':')[1],
          'io.containerd.image.name': `docker.io/library/${name}`,
        },
      },
    ],
  }
  writeFileSync(join(to, 'index.json'), JSON.stringify(index))
  writeFileSync(join(to, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
}

function addLayer(blobs, file) {
  const diffId = `sha256:${sha256(file)}`
  execFileSync('gzip', ['-6', '--no-name', '--force', file])
  return { diffId, descriptor: addFile(blobs, TYPES.layer, `${file}.gz`) }
}

function addFile(blobs, mediaType, file) {
  const digest = sha256(file)
  const { size } = statSync(file)
  renameSync(file, join(blobs, digest))
  return { mediaType, digest: `sha256:${digest}`, size }
}

function addJson(blobs, mediaType, value) {
  const file = join(blobs, 'json')
  writeFileSync(file, JSON.stringify(value))
  return addFile(blobs, mediaType, file)
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
