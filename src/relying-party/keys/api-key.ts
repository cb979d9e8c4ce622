// API keys: `wv_<mode>_<relying party>.<key id>.<secret>`. The readable part contains the id of the relying
// party, so no look-up is needed. The secret has 256 bits, so a plain SHA-256 of the whole key is stored.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { encodeHex, utf8 } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import { timingSafeEqual, timingSafeEqualText } from '../../crypto/timing-safe.ts'
import { type ApiKeyRecord, DEFAULT_SCOPES } from '../document/settings.ts'

/** Prefix of every API key, and of no other token. */
export const API_KEY_PREFIX = 'wv_'

/** The readable part of a key. The readable part is not verified. */
type ParsedApiKey = {
  readonly relyingPartyId: string
  readonly keyId: string
  readonly livemode: boolean
  readonly key: string
}

/** A new key: the text that is returned once, and the stored record. */
export type NewApiKey = { readonly apiKey: string; readonly record: ApiKeyRecord }

/** Creates a key. */
export async function newApiKey({
  relyingPartyId,
  livemode,
  ...grant
}: Omit<ApiKeyRecord, 'key_id' | 'hash'> & {
  readonly relyingPartyId: string
  readonly livemode: boolean
}): Promise<NewApiKey> {
  const key_id = encodeHex(randomBytes(8))
  const secret = encodeBase64url(randomBytes(32))
  const apiKey = `${API_KEY_PREFIX}${livemode ? 'live' : 'test'}_${relyingPartyId.slice(3)}.${key_id}.${secret}`
  return { apiKey, record: { key_id, hash: encodeBase64url(await sha256(utf8(apiKey))), ...grant } }
}

/** Creates the first key of a relying party. The key has the default scopes and does not expire. */
export function firstApiKey(relyingPartyId: string, livemode: boolean, created_at: number) {
  const grant = { name: null, scopes: DEFAULT_SCOPES, created_at, expires_at: null }
  return newApiKey({ relyingPartyId, livemode, ...grant })
}

const SHAPE = /^wv_(test|live)_([A-Za-z0-9_-]{43})\.([0-9a-f]{16})\.[A-Za-z0-9_-]{43}$/

/** Parses the readable part of a key. Returns `undefined` for a text that is not an API key. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const [, mode, relyingParty, keyId] = SHAPE.exec(text) ?? []
  if (mode === undefined || relyingParty === undefined || keyId === undefined) return undefined
  return { relyingPartyId: `rp_${relyingParty}`, keyId, livemode: mode === 'live', key: text }
}

/** Returns true if a key matches its record, compared in constant time. The caller checks the expiry. */
export async function matchesApiKey(record: ApiKeyRecord, parsed: ParsedApiKey): Promise<boolean> {
  const matching = matched.get(record)
  if (matching !== undefined && timingSafeEqualText(matching, parsed.key)) return true
  const presented = await sha256(utf8(parsed.key))
  const matches = timingSafeEqual(presented, decodeBase64url(record.hash) ?? new Uint8Array())
  if (matches) matched.set(record, parsed.key)
  return matches
}

/**
 * Cache of matching keys by record. A cached key is not hashed again. A new copy of the settings has new
 * record objects, so each key is then hashed once more.
 */
const matched = new WeakMap<ApiKeyRecord, string>()
