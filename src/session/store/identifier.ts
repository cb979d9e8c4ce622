// `v_<id>`: the id of the Durable Object in base64url, so a request is routed without a look-up. The platform
// makes ids of 16 random bytes and a keyed checksum. A forged or altered id is rejected before any object
// exists.

import type { Env } from '../../env.ts'
import { encodeObjectId, findObject } from '../../relying-party/document/identifier.ts'

const PREFIX = 'v_'

/** Returns the `verification_id` of an object id. */
export function toVerificationId(id: DurableObjectId): string {
  return PREFIX + encodeObjectId(id)
}

/** Returns the object of a `verification_id`; `undefined` for every text that this service did not issue. */
export function sessionStub(
  { VERIFICATION_SESSION }: Pick<Env, 'VERIFICATION_SESSION'>,
  verificationId: string,
): SessionStub | undefined {
  return findObject(VERIFICATION_SESSION, PREFIX, verificationId)
}

/** A session's object, as the edge calls it. */
export type SessionStub = ReturnType<Env['VERIFICATION_SESSION']['get']>
