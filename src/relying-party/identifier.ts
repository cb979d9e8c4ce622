// `rp_<id>`: the relying party's object id in base64url. The platform's ids carry a keyed checksum: an id
// that this service did not issue is rejected before any object exists.

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts'
import { decodeHex, encodeHex } from '../codec/bytes.ts'
import type { Env } from '../env.ts'

const SHAPE = /^rp_[A-Za-z0-9_-]{43}$/

/** Returns the `relying_party_id` of an object id. */
export function relyingPartyIdOf(id: DurableObjectId): string {
  return `rp_${encodeBase64url(decodeHex(id.toString()) ?? new Uint8Array())}`
}

/** Returns the object of a `relying_party_id`; `undefined` for every text that this service did not issue. */
export function relyingPartyStub(
  { RELYING_PARTY }: Pick<Env, 'RELYING_PARTY'>,
  relyingPartyId: string,
): ReturnType<Env['RELYING_PARTY']['get']> | undefined {
  const bytes = SHAPE.test(relyingPartyId) ? decodeBase64url(relyingPartyId.slice(3)) : undefined
  if (bytes === undefined) return undefined
  try {
    return RELYING_PARTY.get(RELYING_PARTY.idFromString(encodeHex(bytes)))
  } catch {
    return undefined // `idFromString` throws for ids that the platform did not make
  }
}
