// Writes the evidence of one verification: an ASiC-E container with a time assertion (ETSI EN 319 162-1
// §4.4). The same input always gives the same bytes, apart from the signature of `statement.jws`.

import { encodeBase64url } from '../../codec/base64url.ts'
import { decodeHex, encodeHex, utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import { err, ok, type Result } from '../../result.ts'
import { EVIDENCE } from '../limits.ts'
import { type EvidenceFile, type WrittenFile, writeJson } from './evidence-file.ts'
import { collectFiles, describe } from './files.ts'
import type { EvidenceInput, FetchedMaterial, SignStatement } from './input.ts'
import { writeManifest } from './manifest.ts'
import { materialName, NAMES, STATEMENT_TYPE } from './names.ts'
import { writeZip } from './zip.ts'

/**
 * A container that is not sealed yet. The container has the presentations and the response key in plain text.
 */
export type Container = {
  /** The ZIP, without the fetched materials and without the time stamp. */
  readonly zip: Uint8Array<ArrayBuffer>
  /** Exact bytes of `META-INF/ASiCManifest.xml`. The bytes contain digests and names of files only. */
  readonly manifest: Uint8Array<ArrayBuffer>
  /** SHA-256 of the manifest, which a time stamp covers. */
  readonly manifestDigest: Uint8Array<ArrayBuffer>
  /** SHA-256 of the manifest in hexadecimal: `manifest_sha256`. */
  readonly manifestSha256: string
  /** SHA-256 of the manifest in base64url: `evidence_hash` of the receipt. */
  readonly evidenceHash: string
  /** The materials that the manifest names, without their bytes. */
  readonly materials: readonly Pick<FetchedMaterial, 'sha256' | 'bytes' | 'media_type'>[]
}

/**
 * Writes the container. `too_large`: the container exceeds 3 MiB. Throws for an input that only a programming
 * error can cause, for example a salt of a wrong length.
 *
 * @example
 * const container = await writeContainer(input, (payload, typ) => signJwt(payload, typ, key))
 * if (container.ok) await sealContainer(container.value.zip, keys)
 */
export async function writeContainer(
  input: EvidenceInput,
  signStatement: SignStatement,
): Promise<Result<Container, 'too_large'>> {
  const collected = await writeAll(await collectFiles(input))
  const index = await writeFile(writeIndex(input, collected))
  const named = [...computeDigests([index, ...collected]), ...materialDigests(input)]
  const statement = await writeFile({
    name: NAMES.statement,
    role: 'statement',
    media_type: 'application/jose',
    bytes: utf8(await signStatement(buildStatement(input, named), STATEMENT_TYPE)),
  })
  const files = [index, statement, ...collected]
  const digests = new Map([...computeDigests(files), ...materialDigests(input)])
  const manifest = writeManifest({ digests: toBytes(digests), timeStamp: input.time_stamp })
  const content = new Map(files.map(({ name, bytes }) => [name, bytes]))
  const zip = writeZip(content.set(NAMES.manifest, manifest))
  if (zip.length > EVIDENCE.containerBytes) return err('too_large')
  const manifestDigest = await sha256(manifest)
  return ok({
    zip,
    manifest,
    manifestDigest,
    manifestSha256: encodeHex(manifestDigest),
    evidenceHash: encodeBase64url(manifestDigest),
    materials: namedMaterials(input),
  })
}

/** Returns the payload of `statement.jws`: the members of the receipt, and the digest of every file. */
function buildStatement({ receipt }: EvidenceInput, named: readonly (readonly [string, string])[]) {
  return { ...receipt, files: Object.fromEntries(named) }
}

function writeIndex(input: EvidenceInput, files: readonly WrittenFile[]): EvidenceFile {
  const { software, verification_id, relying_party_id, livemode, requests_fetched, missing, salts } = input
  const iso = (milliseconds: number) => new Date(milliseconds).toISOString()
  const index = {
    version: 1,
    software,
    verification_id,
    relying_party_id,
    livemode,
    requested_at: iso(input.requested_at),
    received_at: iso(input.received_at),
    decided_at: iso(input.decided_at),
    requests_fetched,
    files: files.map(describe),
    materials: listMaterials(input).map(({ fetched_at, ...material }) => ({
      name: materialName(material.sha256),
      ...material,
      fetched_at: iso(fetched_at * 1000),
    })),
    missing,
  }
  return writeJson(NAMES.index, 'index', index, salts.evidence)
}

/** Returns one entry for each address and digest. Equal bytes from two addresses have two entries. */
function listMaterials({ materials }: EvidenceInput): readonly FetchedMaterial[] {
  return [
    ...new Map(materials.map((material) => [`${material.source} ${material.sha256}`, material])).values(),
  ]
}

/** Returns one entry for each digest, even if the bytes were fetched from several addresses. */
function namedMaterials({ materials }: EvidenceInput): Container['materials'] {
  const named = materials.map(({ sha256, bytes, media_type }) => ({ sha256, bytes, media_type }))
  return [...new Map(named.map((material) => [material.sha256, material])).values()]
}

function materialDigests({ materials }: EvidenceInput) {
  return materials.map(({ sha256 }) => [materialName(sha256), sha256] as const)
}

function computeDigests(files: readonly WrittenFile[]) {
  return files.map(({ name, sha256 }) => [name, sha256] as const)
}

async function writeFile(file: EvidenceFile): Promise<WrittenFile> {
  return { ...file, sha256: encodeHex(await sha256(file.bytes)) }
}

async function writeAll(files: readonly EvidenceFile[]): Promise<readonly WrittenFile[]> {
  const names = new Set(files.map(({ name }) => name))
  if (names.size !== files.length) throw new Error('two files of evidence have one name')
  return Promise.all(files.map(writeFile))
}

function toBytes(digests: ReadonlyMap<string, string>) {
  return new Map(
    [...digests].map(([name, hex]) => {
      const digest = decodeHex(hex)
      if (digest === undefined) throw new Error(`the digest of ${name} is not hexadecimal`)
      return [name, digest] as const
    }),
  )
}
