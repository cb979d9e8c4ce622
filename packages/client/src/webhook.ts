// Webhooks as their receiver checks them (CONTRACT 7): `X-Service-Signature: t=<unix seconds>,v1=<hex>` over the bytes that came.

import { decodeHex, utf8 } from '../../../src/codec/bytes.ts'
import { err, ok, type Result } from '../../../src/result.ts'
import type { VerificationEvent } from './wire.ts'

/** What a webhook is checked with. */
export type WebhookChecks = {
  /** The webhook secret, or both while one rotates. */
  readonly secrets: readonly string[]
  /** How far the signature's time may be from now, in seconds. */
  readonly toleranceSeconds?: number
  /** Unix milliseconds; the clock's where it is not given. */
  readonly now?: number
}

/** Why a webhook is not believed. Answer it with 400 and do nothing else. */
export type WebhookFault = 'malformed_signature' | 'outside_tolerance' | 'wrong_signature' | 'malformed_body'

const TOLERANCE_SECONDS = 300

/**
 * Verifies a webhook. `rawBody`: the body exactly as it came, before any parsing. `signature`: the header's value, null where
 * there was none. An event may come more than once: `event_id` tells.
 */
export async function verifyWebhook(
  rawBody: string,
  signature: string | null | undefined,
  { secrets, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: WebhookChecks,
): Promise<Result<VerificationEvent, WebhookFault>> {
  const parsed = parseSignature(signature ?? '')
  if (parsed === undefined) return err('malformed_signature')
  if (Math.abs(now / 1000 - parsed.t) > toleranceSeconds) return err('outside_tolerance')
  const signed = utf8(`${parsed.t}.${rawBody}`)
  if (!(await isSignedByAny(signed, parsed.macs, secrets))) return err('wrong_signature')
  try {
    return ok(JSON.parse(rawBody) as VerificationEvent) // signed by the service, so of the shape it promises
  } catch {
    return err('malformed_body')
  }
}

type Signature = { readonly t: number; readonly macs: readonly Uint8Array<ArrayBuffer>[] }

/** One `t`, and a `v1` for each live secret. Other names are for schemes to come. */
function parseSignature(header: string): Signature | undefined {
  const entries = header.split(',').map((part) => part.trim().split('=', 2))
  const times = entries.filter(([name]) => name === 't').map(([, value]) => value ?? '')
  const macs = entries
    .filter(([name]) => name === 'v1')
    .flatMap(([, value]) => decodeHex(value ?? '') ?? [])
    .filter((mac) => mac.length === 32)
  const [t] = times
  if (t === undefined || times.length !== 1 || !/^[0-9]{1,15}$/.test(t) || macs.length === 0) return undefined
  return { t: Number(t), macs }
}

/** WebCrypto compares in constant time. */
async function isSignedByAny(
  bytes: Uint8Array<ArrayBuffer>,
  macs: readonly Uint8Array<ArrayBuffer>[],
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['verify'])
    for (const mac of macs) {
      if (await crypto.subtle.verify('HMAC', key, mac, bytes)) return true
    }
  }
  return false
}
