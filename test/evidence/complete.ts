// Complete containers: with materials and the time stamp of a test authority.

import { unzipSync } from 'fflate'
import type { EvidenceInput } from '../../src/evidence/container/input.ts'
import type { Container } from '../../src/evidence/container/write.ts'
import { writeZip } from '../../src/evidence/container/zip.ts'
import { buildTimeStampQuery } from '../../src/evidence/time-stamp/query.ts'
import type { Authority } from './authority.ts'
import { containerOf, MATERIALS } from './cases.ts'

/** The files of a container by name. */
export function filesOf(zip: Uint8Array): Map<string, Uint8Array> {
  return new Map(Object.entries(unzipSync(zip)))
}

/** Returns the time stamp of a container. */
export function stamp({ manifestDigest }: Pick<Container, 'manifestDigest'>, authority: Authority) {
  return authority.token(buildTimeStampQuery(manifestDigest, new Uint8Array(8)).bytes)
}

/** Adds the materials and, with an authority, a time stamp to a container. */
export function complete(container: Container, authority?: Authority): Uint8Array<ArrayBuffer> {
  const files = filesOf(container.zip)
  files.delete('mimetype')
  const index = Buffer.from(files.get('evidence.json')!)
  for (const [digest, bytes] of MATERIALS) if (index.includes(digest)) files.set(`materials/${digest}`, bytes)
  if (authority !== undefined) files.set('META-INF/timestamp.tst', stamp(container, authority))
  return writeZip(files)
}

/** Returns the complete container of a case with a time stamp. */
export async function completeCase(
  input: EvidenceInput,
  authority: Authority,
): Promise<Uint8Array<ArrayBuffer>> {
  return complete(await containerOf({ ...input, time_stamp: true }), authority)
}
