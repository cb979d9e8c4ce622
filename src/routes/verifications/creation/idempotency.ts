// `Idempotency-Key` of a create request (api/creation): the same key and body lead to the same session.

import { encodeBase64url } from '../../../codec/base64url.ts'
import { encodeHex, utf8 } from '../../../codec/bytes.ts'
import { loadConfig } from '../../../config.ts'
import { sha256 } from '../../../crypto/digest.ts'
import { hmacSha256 } from '../../../crypto/hmac.ts'
import { deriveKey } from '../../../crypto/seal.ts'
import type { Env } from '../../../env.ts'
import {
  otherSessionOfName,
  type SessionStub,
  sessionOfName,
} from '../../../relying-party/document/session-stub.ts'
import type { FieldError } from '../../edge/problems.ts'

/** Returns the error of a malformed key; `undefined` if the key is valid or absent. */
export function idempotencyKeyError(key: string | undefined): FieldError | undefined {
  if (key === undefined || /^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(key)) return undefined
  const message = 'must be 1 to 255 printable ASCII characters'
  return { pointer: '/Idempotency-Key', code: 'invalid', message }
}

/** `Idempotency-Key` of a create request, and the digest of its body. */
export type CreationKey = { readonly key: string; readonly bodyDigest: string }

/**
 * Returns the session of a create request. With an `Idempotency-Key`, this is the session of the key. Without
 * a key, the session is new. After a change of `SESSION_OBJECTS` from or to 0, the session of a key may still
 * be stored in the earlier form. Rejects if such a session cannot be read.
 */
export async function sessionOfCreation(
  env: Env,
  relyingPartyId: string,
  given: CreationKey | undefined,
): Promise<SessionStub> {
  if (given === undefined) return sessionOfName(env, undefined)
  const name = await objectName(env, relyingPartyId, given.key)
  const other = otherSessionOfName(env, name, Date.now())
  const isOther = other !== undefined && (await other.replay(given.bodyDigest)) !== null
  return isOther ? other : sessionOfName(env, name)
}

/**
 * Returns the digest of a body. The object compares the digests of bodies that are sent with the same key.
 */
export async function digestBody(body: object): Promise<string> {
  return encodeBase64url(await sha256(utf8(JSON.stringify(body))))
}

/** Returns the object name of an `Idempotency-Key`. The name is a MAC, so that nobody can guess it. */
async function objectName(env: Env, relyingPartyId: string, idempotencyKey: string): Promise<string> {
  const key = await deriveKey(loadConfig(env).serverSecret, 'idempotency')
  return encodeHex(await hmacSha256(key, utf8(`${relyingPartyId}\0${idempotencyKey}`)))
}
