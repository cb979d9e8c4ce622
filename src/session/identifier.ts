// `v_<id>`: the id of the Durable Object in base64url, so a request is routed without a look-up. The platform
// makes ids of 16 random bytes and a keyed checksum. A forged or altered id is rejected before any object
// exists.

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts'
import { decodeHex, encodeHex } from '../codec/bytes.ts'
import type { Env } from '../env.ts'

const PREFIX = 'v_'

/** Characters of the id: 32 bytes in base64url. */
export const ID_LENGTH = 43

/** Returns the `verification_id` of an object id. */
export function verificationIdOf(id: DurableObjectId): string {
  return PREFIX + encodeBase64url(decodeHex(id.toString()) ?? new Uint8Array())
}

/** Returns the object of a `verification_id`; `undefined` for every text that this service did not issue. */
export function sessionStub(
  { VERIFICATION_SESSION }: Pick<Env, 'VERIFICATION_SESSION'>,
  verificationId: string,
): SessionStub | undefined {
  if (!verificationId.startsWith(PREFIX) || verificationId.length !== PREFIX.length + ID_LENGTH)
    return undefined
  const bytes = decodeBase64url(verificationId.slice(PREFIX.length))
  if (bytes === undefined) return undefined
  try {
    return VERIFICATION_SESSION.get(VERIFICATION_SESSION.idFromString(encodeHex(bytes)))
  } catch {
    return undefined // `idFromString` throws for ids that the platform did not make
  }
}

/** A session's object, as the edge calls it. */
export type SessionStub = ReturnType<Env['VERIFICATION_SESSION']['get']>
