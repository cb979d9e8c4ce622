// `v_<id>`: the Durable Object's own id in base64url, so a request is routed without a look-up. The platform makes ids of
// 16 random bytes and a keyed checksum: a forged, foreign or altered one is refused before any object exists.

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts'
import { decodeHex, encodeHex } from '../codec/bytes.ts'

const PREFIX = 'v_'

/** Characters of the id itself: 32 bytes in base64url. */
export const ID_LENGTH = 43

/** The `verification_id` of an object id. */
export function verificationIdOf(id: DurableObjectId): string {
  return PREFIX + encodeBase64url(decodeHex(id.toString()) ?? new Uint8Array())
}

/** The object id behind a `verification_id`; `undefined` for every text that this namespace did not issue. */
export function sessionIdOf(
  namespace: DurableObjectNamespace,
  verificationId: string,
): DurableObjectId | undefined {
  if (!verificationId.startsWith(PREFIX) || verificationId.length !== PREFIX.length + ID_LENGTH)
    return undefined
  const bytes = decodeBase64url(verificationId.slice(PREFIX.length))
  if (bytes === undefined) return undefined
  try {
    return namespace.idFromString(encodeHex(bytes))
  } catch {
    return undefined // the platform refuses ids it did not make
  }
}
