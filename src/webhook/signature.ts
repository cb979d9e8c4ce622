// Signature headers of an event (api/webhooks): our own header, and the three headers of Standard Webhooks.

import { decodeBase64, encodeBase64 } from '../codec/base64url.ts'
import { encodeHex, utf8 } from '../codec/bytes.ts'
import { hmacSha256 } from '../crypto/hmac.ts'

/**
 * Input for the signature of one attempt. `secrets` contains all valid secrets, two during a rotation. `now`
 * is in Unix milliseconds.
 */
export type Signing = {
  readonly body: string
  readonly secrets: readonly string[]
  readonly eventId: string
  readonly now: number
}

/**
 * Returns the signature headers of one attempt. The time and the signatures are new for every attempt. The
 * body and `webhook-id` stay the same.
 */
export async function signatureHeaders(signing: Signing): Promise<Readonly<Record<string, string>>> {
  const { body, secrets, eventId } = signing
  const t = Math.floor(signing.now / 1000)
  const macs = secrets.map((secret) => hmacSha256(utf8(secret), utf8(`${t}.${body}`)))
  const standard = secrets.map((secret) => hmacSha256(secretBytes(secret), utf8(`${eventId}.${t}.${body}`)))
  return {
    'X-Service-Signature': [`t=${t}`, ...(await Promise.all(macs)).map((mac) => `v1=${encodeHex(mac)}`)].join(
      ',',
    ),
    'webhook-id': eventId,
    'webhook-timestamp': String(t),
    'webhook-signature': (await Promise.all(standard)).map((mac) => `v1,${encodeBase64(mac)}`).join(' '),
  }
}

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Returns a webhook secret as text. `bytes` must be 32 new random bytes. */
export function createSecretFrom(bytes: Uint8Array): string {
  if (bytes.length !== SECRET_BYTES) throw new Error(`a webhook secret has ${SECRET_BYTES} bytes`)
  return PREFIX + encodeBase64(bytes)
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined
  // Every secret comes from `createSecretFrom`. Any other text here is an error of this service, not of the
  // receiver.
  if (bytes?.length !== SECRET_BYTES) throw new Error('not a webhook secret')
  return bytes
}
