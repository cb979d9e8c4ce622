// Keys of a DID document (DID Core 1.0 §5) by purpose. The caller must check that the document's `id` is the
// resolved DID.

import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import { parseMultikey } from '../../crypto/multikey.ts'
import { DID } from '../../limits.ts'
import { type KeySetKey, parseSigningKey } from '../key-set.ts'

/** Purpose of a key (§5.3): `assertionMethod` for issuers, `authentication` for holders. */
export type DidRelationship = 'assertionMethod' | 'authentication'

/** A verification method: its full DID URL, and its key. */
export type DidKey = { readonly id: string; readonly key: KeySetKey }

/** The keys of a document for each relationship. */
export type DidDocumentKeys = Readonly<Record<DidRelationship, readonly DidKey[]>>

/** Returns the keys of a document; `undefined` if a list of verification methods is invalid or too long. */
export function readDidDocument(document: JsonObject, did: string): DidDocumentKeys | undefined {
  const methods = readList(document, 'verificationMethod')
  const assertion = readList(document, 'assertionMethod')
  const authentication = readList(document, 'authentication')
  if (methods === undefined || assertion === undefined || authentication === undefined) return undefined
  const keys = readMethods(methods, did)
  return {
    assertionMethod: readRelationship(assertion, keys, did),
    authentication: readRelationship(authentication, keys, did),
  }
}

/**
 * Returns a member as a list, empty if the member is absent. Returns `undefined` if the member is not a list,
 * or is too long.
 */
function readList(document: JsonObject, name: string): readonly Json[] | undefined {
  const list = member(document, name) ?? []
  return Array.isArray(list) && list.length <= DID.methods ? list : undefined
}

/**
 * Returns the keys of one relationship (DID Core §5.3). An entry names a verification method of the document,
 * or is itself a verification method for this relationship only.
 */
function readRelationship(
  entries: readonly Json[],
  known: readonly DidKey[],
  did: string,
): readonly DidKey[] {
  const names = entries.filter((entry) => typeof entry === 'string').map((name) => absolute(name, did))
  const embedded = entries.filter((entry) => typeof entry !== 'string')
  return [...known.filter(({ id }) => names.includes(id)), ...readMethods(embedded, did)]
}

/** Returns the keys of verification methods. Skips methods of an unknown kind or of another controller. */
function readMethods(methods: readonly Json[], did: string): readonly DidKey[] {
  return methods.map((method) => readMethod(method, did)).filter((method) => method !== undefined)
}

function readMethod(method: Json, did: string): DidKey | undefined {
  if (!isJsonObject(method)) return undefined
  const [name, controller] = [member(method, 'id'), member(method, 'controller')]
  if (typeof name !== 'string' || controller !== did) return undefined
  const id = absolute(name, did)
  const key = readKey(method)
  return key && id.startsWith(`${did}#`) ? { id, key } : undefined
}

/**
 * Returns the key of a verification method; `undefined` if the key is absent or not accepted. A method with
 * keys in two forms is rejected (§5.2.1).
 */
function readKey(method: JsonObject): KeySetKey | undefined {
  const [jwk, multibase] = [member(method, 'publicKeyJwk'), member(method, 'publicKeyMultibase')]
  if (jwk !== undefined) return multibase === undefined ? parseSigningKey(jwk) : undefined
  return typeof multibase === 'string' ? parseMultikey(multibase) : undefined
}

/** Returns the absolute form of a DID URL. A relative DID URL is relative to the document's DID (§3.2.2). */
function absolute(name: string, did: string): string {
  return name.startsWith('#') ? did + name : name
}
