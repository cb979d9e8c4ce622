// Opens an envelope: unseals the container, and adds materials and the time stamp (EN 319 162-1 §4.4).

import { type GeneralJWE, generalDecrypt, importJWK, type JWK } from 'jose'
import { decodeBase64 } from '../../../src/codec/base64url.ts'
import { encodeHex, equalBytes } from '../../../src/codec/bytes.ts'
import { isJsonObject, type JsonObject, member, parseJsonObject } from '../../../src/codec/json.ts'
import { sha256 } from '../../../src/crypto/digest.ts'
import { readManifest } from '../../../src/evidence/container/manifest.ts'
import { MATERIALS, materialName, NAMES } from '../../../src/evidence/container/names.ts'
import { writeZip } from '../../../src/evidence/container/zip.ts'
import { readZip, UnreadableError, ZIP_LIMITS } from './zip-reader.ts'

/** An opened container. `missing`: hexadecimal digests of the materials that were not given. */
export type OpenedCase = {
  readonly zip: Uint8Array<ArrayBuffer>
  readonly missing: readonly string[]
  /** `owed`: the manifest names a time stamp that the envelope does not have yet. */
  readonly timeStamp: 'none' | 'added' | 'owed'
}

/** Returns the bytes of a material by its hexadecimal SHA-256; `undefined` if there is none. */
export type FindMaterial = (sha256: string) => Uint8Array | undefined

const ENVELOPE = { length: 2 * ZIP_LIMITS.bytes, depth: 16 } as const

/**
 * Opens the text of an envelope with one of these private keys. Throws `UnreadableError` if no key opens it,
 * or if the envelope and the container have different manifests.
 */
export async function openEnvelope(
  text: string,
  keys: readonly JWK[],
  findMaterial: FindMaterial = () => undefined,
): Promise<OpenedCase> {
  const envelope = parseJsonObject(text, ENVELOPE)
  if (
    !envelope.ok ||
    member(envelope.value, 'object') !== 'evidence' ||
    member(envelope.value, 'version') !== 1
  )
    throw new UnreadableError('the file is no envelope of evidence, version 1')
  const sealed = member(envelope.value, 'sealed')
  if (!isJsonObject(sealed)) throw new UnreadableError('the envelope has no sealed container')
  const files = new Map(readZip(await unseal(sealed, keys)))
  files.delete(NAMES.mimetype)
  const manifestBytes = await checkManifest(envelope.value, files.get(NAMES.manifest))
  const manifest = readManifest(manifestBytes)
  if (manifest === undefined) throw new UnreadableError('the manifest has another form')
  const missing = await addMaterials(files, [...manifest.digests.keys()], findMaterial)
  const token = readToken(envelope.value)
  if (manifest.timeStamp && token !== undefined) files.set(NAMES.timeStamp, token)
  const timeStamp = !manifest.timeStamp ? 'none' : token === undefined ? 'owed' : 'added'
  return { zip: writeZip(files), missing, timeStamp }
}

/** Tries each key with each recipient. A recipient with the `kid` of the key is tried by that key only. */
async function unseal(sealed: JsonObject, keys: readonly JWK[]): Promise<Uint8Array<ArrayBuffer>> {
  const options = {
    keyManagementAlgorithms: ['ECDH-ES+A256KW', 'RSA-OAEP-256'],
    contentEncryptionAlgorithms: ['A256GCM'],
  }
  for (const jwk of keys) {
    try {
      const key = await importJWK(jwk, jwk.kty === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW')
      const { plaintext } = await generalDecrypt(sealed as unknown as GeneralJWE, key, options)
      return new Uint8Array(plaintext)
    } catch {
      // Another key may open the envelope.
    }
  }
  throw new UnreadableError('no key opens the envelope')
}

async function checkManifest(
  envelope: JsonObject,
  inside: Uint8Array<ArrayBuffer> | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const text = member(envelope, 'manifest')
  const outside = typeof text === 'string' ? decodeBase64(text) : undefined
  if (outside === undefined || inside === undefined) throw new UnreadableError('a manifest is missing')
  const isSame = equalBytes(outside, inside)
  if (!isSame || encodeHex(await sha256(outside)) !== member(envelope, 'manifest_sha256'))
    throw new UnreadableError('the envelope has another manifest than the sealed container')
  return outside
}

async function addMaterials(
  files: Map<string, Uint8Array<ArrayBuffer>>,
  names: readonly string[],
  findMaterial: FindMaterial,
): Promise<readonly string[]> {
  const missing: string[] = []
  for (const name of names) {
    if (!name.startsWith(MATERIALS) || files.has(name)) continue
    const digest = name.slice(MATERIALS.length)
    const found = findMaterial(digest)
    const bytes = found && new Uint8Array(found)
    if (bytes === undefined || encodeHex(await sha256(bytes)) !== digest) missing.push(digest)
    else files.set(materialName(digest), bytes)
  }
  return missing
}

function readToken(envelope: JsonObject): Uint8Array<ArrayBuffer> | undefined {
  const stamps = member(envelope, 'time_stamps')
  const [first] = Array.isArray(stamps) ? stamps : []
  const token = isJsonObject(first) ? member(first, 'token') : undefined
  return typeof token === 'string' ? decodeBase64(token) : undefined
}
