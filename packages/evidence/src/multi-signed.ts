// Reads the request of `openid4vp-v1-multisigned` (OpenID4VP 1.0 A.3.2.2): one payload, and the signature of
// each identity. Members about one identity are in the protected header of its signature.

import { isJsonObject, type JsonObject, member, parseJsonObject } from '../../../src/codec/json.ts'
import { type DecodedJws, decodeJws } from '../../../src/crypto/jws.ts'
import { NAMES } from '../../../src/evidence/container/names.ts'
import { EVIDENCE } from '../../../src/evidence/limits.ts'
import type { CaseFile } from './case-file.ts'
import { textFile } from './text-file.ts'

/** The signature of one identity, as a JWS of its own. `clientId`: Client Identifier of its header. */
export type IdentitySignature = { readonly clientId: string; readonly jws: DecodedJws }

/**
 * Returns the signatures of the multi-signed request, in the order of the request; `undefined` if the file
 * has another form, if its payload has parameters about one identity, or if two signatures have one Client
 * Identifier. Nothing is verified yet.
 */
export function readMultiSigned(files: CaseFile['files']): readonly IdentitySignature[] | undefined {
  const text = textFile(files, NAMES.multiSigned)
  const parsed = text === undefined ? undefined : parseJsonObject(text, EVIDENCE.json)
  if (!parsed?.ok) return undefined
  const request = parsed.value
  const payload = member(request, 'payload')
  const signatures = member(request, 'signatures')
  if (!isExactly(request, ['payload', 'signatures']) || typeof payload !== 'string') return undefined
  if (!Array.isArray(signatures) || signatures.length === 0) return undefined
  const read = signatures.map((one) => readSignature(payload, one))
  if (!read.every((one) => one !== undefined)) return undefined
  return new Set(read.map(({ clientId }) => clientId)).size === read.length ? read : undefined
}

/**
 * Returns the Client Identifiers that the request offered. Empty if the request is not multi-signed, or if
 * its file has another form.
 */
export function offeredIdentities({ files }: CaseFile): readonly string[] {
  const read = files.has(NAMES.multiSigned) ? readMultiSigned(files) : undefined
  return (read ?? []).map(({ clientId }) => clientId)
}

/** Returns the claims of a request as the first identity signed them. */
export function claimsOfFirst([first]: readonly IdentitySignature[]): JsonObject {
  const { header = {}, payload = {} } = first?.jws ?? {}
  const verifierInfo = member(header, 'verifier_info')
  return {
    ...payload,
    client_id: member(header, 'client_id') ?? null,
    ...(verifierInfo !== undefined && { verifier_info: verifierInfo }),
  }
}

/** Parameters about one identity, which the shared payload must not have. */
const OF_IDENTITY = ['client_id', 'verifier_info']

function readSignature(payload: string, entry: unknown): IdentitySignature | undefined {
  if (!isJsonObject(entry) || !isExactly(entry, ['protected', 'signature'])) return undefined
  const jws = decodeJws(
    `${member(entry, 'protected')}.${payload}.${member(entry, 'signature')}`,
    EVIDENCE.json,
  )
  if (!jws.ok || OF_IDENTITY.some((name) => Object.hasOwn(jws.value.payload, name))) return undefined
  const clientId = member(jws.value.header, 'client_id')
  return typeof clientId === 'string' ? { clientId, jws: jws.value } : undefined
}

function isExactly(value: JsonObject, names: readonly string[]): boolean {
  return Object.keys(value).sort().join() === names.join()
}
