// `rp_<id>`: the relying party's own object id in base64url. The platform's ids carry a keyed checksum, so an id that
// this service did not issue is refused before any object exists.

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts'
import { decodeHex, encodeHex } from '../codec/bytes.ts'
import type { RelyingParty } from './relying-party.ts'

const SHAPE = /^rp_[A-Za-z0-9_-]{43}$/

/** The `relying_party_id` of an object id. */
export function relyingPartyIdOf(id: DurableObjectId): string {
  return `rp_${encodeBase64url(decodeHex(id.toString()) ?? new Uint8Array())}`
}

/** The object behind a `relying_party_id`; `undefined` for every text that this service did not issue. */
export function relyingPartyStub(
  namespace: DurableObjectNamespace<RelyingParty>,
  relyingPartyId: string,
): DurableObjectStub<RelyingParty> | undefined {
  const bytes = SHAPE.test(relyingPartyId) ? decodeBase64url(relyingPartyId.slice(3)) : undefined
  if (bytes === undefined) return undefined
  try {
    return namespace.get(namespace.idFromString(encodeHex(bytes)))
  } catch {
    return undefined // what `idFromString` throws for ids of another making
  }
}
