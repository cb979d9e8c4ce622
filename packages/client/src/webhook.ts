// Verifies webhooks: `X-Service-Signature: t=<unix seconds>,v1=<hex>` over the received bytes.

import { err, ok, type Result } from './result.ts'
import type { TestEvent, VerificationEvent } from './wire.ts'

/**
 * The event of a verification, or the test event of `POST /v1/webhook/test`, which has no `verification_id`.
 */
export type WebhookEvent = VerificationEvent | TestEvent

/** Secrets and time limits for the verification of a webhook. */
export type WebhookChecks = {
  /** The webhook secret, or both secrets during a rotation. */
  readonly secrets: readonly string[]
  /** Largest accepted distance between the signature's time and now, in seconds. Default: 300. */
  readonly toleranceSeconds?: number
  /** Unix milliseconds. Default: the clock. */
  readonly now?: number
}

/** Reasons why a webhook is refused. Respond with 400 and do nothing else. */
export type WebhookError = 'malformed_signature' | 'outside_tolerance' | 'wrong_signature' | 'malformed_body'

const TOLERANCE_SECONDS = 300

/**
 * Verifies a webhook and returns its event. `rawBody` is the body as received, before any parsing.
 * `signature` is the header's value, null if absent. The same event may arrive more than once: compare
 * `event_id`.
 */
export async function verifyWebhook(
  rawBody: string,
  signature: string | null | undefined,
  { secrets, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: WebhookChecks,
): Promise<Result<WebhookEvent, WebhookError>> {
  const parsed = parseSignature(signature ?? '')
  if (parsed === undefined) return err('malformed_signature')
  if (Math.abs(now / 1000 - parsed.t) > toleranceSeconds) return err('outside_tolerance')
  const signed = encode(`${parsed.t}.${rawBody}`)
  if (!(await isSignedByAny(signed, parsed.macs, secrets))) return err('wrong_signature')
  try {
    return ok(JSON.parse(rawBody) as WebhookEvent) // signed by the service, so of the documented shape
  } catch {
    return err('malformed_body')
  }
}

type Bytes = Uint8Array<ArrayBuffer>

/** Parses one `t` and a `v1` for each active secret. Other names belong to future schemes and are ignored. */
function parseSignature(header: string): { readonly t: number; readonly macs: readonly Bytes[] } | undefined {
  const entries = header.split(',').map((part) => part.trim().split('=', 2))
  const valuesOf = (name: string) =>
    entries.filter((entry) => entry[0] === name).map((entry) => entry[1] ?? '')
  const [t, ...others] = valuesOf('t')
  const macs = valuesOf('v1')
    .filter((value) => /^[0-9a-f]{64}$/i.test(value))
    .map(decodeHex)
  if (t === undefined || others.length > 0 || !/^[0-9]{1,15}$/.test(t) || macs.length === 0) return undefined
  return { t: Number(t), macs }
}

function encode(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text))
}

function decodeHex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** WebCrypto compares in constant time. */
async function isSignedByAny(
  bytes: Bytes,
  macs: readonly Bytes[],
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', encode(secret), algorithm, false, ['verify'])
    for (const mac of macs) {
      if (await crypto.subtle.verify('HMAC', key, mac, bytes)) return true
    }
  }
  return false
}
