// `rp_<id>`: the relying party's object id in base64url. The ids of the platform contain a keyed checksum. An
// id that this service did not issue is rejected, and no object is created.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { decodeHex, encodeHex } from '../../codec/bytes.ts'
import type { Env } from '../../env.ts'

const PREFIX = 'rp_'

/** Characters of an object id in base64url: 32 bytes. */
export const ID_LENGTH = 43

/** Returns the `relying_party_id` of an object id. */
export function toRelyingPartyId(id: DurableObjectId): string {
  return PREFIX + encodeObjectId(id)
}

/** Returns the object of a `relying_party_id`; `undefined` for every text that this service did not issue. */
export function relyingPartyStub({ RELYING_PARTY }: Pick<Env, 'RELYING_PARTY'>, relyingPartyId: string) {
  return findObject(RELYING_PARTY, PREFIX, relyingPartyId)
}

/** Returns an object id in base64url. */
export function encodeObjectId(id: DurableObjectId): string {
  return encodeBase64url(decodeHex(id.toString()) ?? new Uint8Array())
}

/**
 * Returns the object of a name, which is the prefix and an id. Returns `undefined` for an id that the
 * platform did not create.
 */
export function findObject<T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
  prefix: string,
  name: string,
): DurableObjectStub<T> | undefined {
  const id = findObjectId(namespace, prefix, name)
  return id && namespace.get(id)
}

/** Returns the object id of a name, as `findObject` does. */
export function findObjectId<T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
  prefix: string,
  name: string,
): DurableObjectId | undefined {
  const isNamed = name.startsWith(prefix) && name.length === prefix.length + ID_LENGTH
  const bytes = isNamed ? decodeBase64url(name.slice(prefix.length)) : undefined
  if (bytes === undefined) return undefined
  try {
    return namespace.idFromString(encodeHex(bytes))
  } catch {
    return undefined // `idFromString` throws for ids that the platform did not make
  }
}
