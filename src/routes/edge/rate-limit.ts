// Rate limits (api/limits). The platform's limiters count the calls of a whole Cloudflare location. Without
// these limiters, a token bucket in memory applies the same limits to one process.

import { loadConfig } from '../../config.ts'
import { cameByCloudflare } from './cloudflare.ts'
import type { AppContext } from './context.ts'
import { problem } from './problems.ts'

/** Rate of a bucket: at most `limit` tokens at once, refilled evenly over `period` milliseconds. */
type Rate = { readonly limit: number; readonly period: number }

/**
 * Takes one token of a key. Returns false if no token is left. `now`: Unix milliseconds. A `count` of -1
 * gives one token back.
 */
type Bucket = (key: string, now: number, count?: 1 | -1) => boolean

const CREATIONS: Rate = { limit: 100, period: 1_000 }
const WALLET_CALLS: Rate = { limit: 60, period: 10_000 }
const TOKENS: Rate = { limit: 60, period: 10_000 }
/** Limit of the authorization requests of one relying party. */
const AUTHORIZATIONS: Rate = { limit: 1_000, period: 10_000 }
const LOGINS: Rate = { limit: 500, period: 10_000 }
const FAILED_AUTHENTICATIONS: Rate = { limit: 10, period: 60_000 }

/**
 * Number of keys of one bucket. The least recently used key is dropped first. A dropped key starts again with
 * all tokens, so its caller can make more calls, never fewer.
 */
const MAXIMUM_KEYS = 10_000

/** Creates a token bucket in memory. */
export function memoryBucket(rate: Rate, maximumKeys: number = MAXIMUM_KEYS): Bucket {
  const levels = new Map<string, { readonly tokens: number; readonly at: number }>()
  return (key, now, count = 1) => {
    const { tokens, at } = levels.get(key) ?? { tokens: rate.limit, at: now }
    const refilled = Math.min(rate.limit, tokens + (Math.max(0, now - at) * rate.limit) / rate.period)
    const allowed = refilled >= count
    levels.delete(key) // and back in at the end: a Map keeps the order of insertion
    levels.set(key, { tokens: Math.min(rate.limit, allowed ? refilled - count : refilled), at: now })
    // The first key is read only if a key must be dropped. After many deletions, a Map finds its first key
    // slowly.
    const [oldest] = levels.size > maximumKeys ? levels.keys() : []
    if (oldest !== undefined) levels.delete(oldest)
    return allowed
  }
}

const creations = memoryBucket(CREATIONS)
const walletCalls = memoryBucket(WALLET_CALLS)
const tokens = memoryBucket(TOKENS)
const authorizations = memoryBucket(AUTHORIZATIONS)
const logins = memoryBucket(LOGINS)
const failures = memoryBucket(FAILED_AUTHENTICATIONS)

/**
 * Limits create requests to 100 a second for each API key. People who are signed in to the console of one
 * relying party share one limit. Returns the response to send if the limit is exceeded; `undefined`
 * otherwise.
 */
export async function limitCreations(c: AppContext, caller: string): Promise<Response | undefined> {
  const allowed = await take(c.env.CREATION_RATE_LIMIT, creations, caller)
  return allowed ? undefined : problem(c, 'rate_limited')
}

/**
 * Counts a wallet call. Returns false if there were more than 60 in 10 s from the caller's address. Without a
 * known address there is no limit.
 */
export async function takeWalletCall(c: AppContext): Promise<boolean> {
  const address = clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader)
  return address === undefined || take(c.env.WALLET_RATE_LIMIT, walletCalls, address)
}

/**
 * Counts an authorization request of a person's browser. Returns false if there were more than 60 in 10 s
 * from the caller's address, or more than 1,000 in 10 s for the relying party. All callers without a known
 * address share a limit of 1,000 in 10 s.
 */
export function takeAuthorization(c: AppContext, relyingPartyId: string): Promise<boolean> {
  return takeVisit(c, authorizations, relyingPartyId)
}

/**
 * Counts a login whose session is created. Returns false if there were more than 60 in 10 s from the caller's
 * address, or more than 500 in 10 s for the relying party. All callers without a known address share a limit
 * of 500 in 10 s.
 */
export function takeLogin(c: AppContext, relyingPartyId: string): Promise<boolean> {
  return takeVisit(c, logins, relyingPartyId)
}

/**
 * Takes a token of the caller's address, and one of the relying party from `bucket`. Callers without a known
 * address share one key of `bucket`.
 */
async function takeVisit(c: AppContext, bucket: Bucket, relyingPartyId: string): Promise<boolean> {
  const address = clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader)
  const now = Date.now()
  const isFree =
    address === undefined ? bucket('', now) : await take(c.env.WALLET_RATE_LIMIT, walletCalls, address)
  return isFree && bucket(relyingPartyId, now)
}

/**
 * Counts a call of the token endpoint, before any authentication. Returns false if there were more than 60 in
 * 10 s from the caller's address. Without a known address there is no limit.
 */
export async function takeTokenCall(c: AppContext): Promise<boolean> {
  const address = clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader)
  return address === undefined || take(c.env.TOKEN_RATE_LIMIT, tokens, `address ${address}`)
}

/**
 * Counts a token of an authenticated client. Returns false if there were more than 60 in 10 s. Each client
 * has its own limit, which no other caller can use up.
 */
export function takeToken(c: AppContext, clientId: string): Promise<boolean> {
  return take(c.env.TOKEN_RATE_LIMIT, tokens, `client ${clientId}`)
}

/**
 * Returns the caller's address from a trusted header; `undefined` if the address is unknown. The trusted
 * header is the header that the operator named, else the header of Cloudflare's edge. An IPv6 address is cut
 * to its network.
 */
export function clientAddress(request: Request, clientIpHeader: string | null): string | undefined {
  // cf-connecting-ip is trusted only from Cloudflare's edge. In any other request the caller may have set it.
  const header = clientIpHeader ?? (cameByCloudflare(request) ? 'cf-connecting-ip' : null)
  const value = header === null ? null : request.headers.get(header)
  const address = value?.trim().slice(0, 64)
  return address ? toNetwork(address) : undefined
}

/**
 * Returns the first 64 bits of an IPv6 address, because one subscriber has all addresses with these bits (RFC
 * 6177 §2). Returns any other text unchanged.
 */
function toNetwork(address: string): string {
  const literal = `http://[${address.replace(/^\[|\]$|%.*$/g, '')}]`
  if (!address.includes(':') || !URL.canParse(literal)) return address
  const [head = '', tail] = new URL(literal).hostname.slice(1, -1).split('::') // RFC 5952
  const before = head.split(':').filter((group) => group !== '')
  const after = tail?.split(':').filter((group) => group !== '') ?? []
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const groups = [...before, ...zeros, ...after]
  // An IPv4 address in IPv6 (RFC 4291 §2.5.5.2) is not cut.
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  return isMapped ? groups.slice(5).join(':') : `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * Counts a failed authentication. Returns false if there were more than 10 in a minute from the caller's
 * address. The limit is for an address and not for a client, so no caller can lock a client out.
 */
export function takeFailedAuthentication(c: AppContext): boolean {
  const address = clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader)
  return address === undefined || failures(address, Date.now())
}

/**
 * Counts a sign-in as failed before its token is checked. `isOver`: more than 10 sign-ins in a minute from
 * the caller's address failed. `isRefused`: the sign-in is refused without a check of the token. `giveBack`
 * removes the count of a sign-in that succeeds. Callers without a known address share one limit. Their token
 * is always checked, so that nobody can lock the operator out.
 */
export function beginSignIn(c: AppContext) {
  const address = clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader)
  const key = `console ${address ?? ''}`
  const isOver = !failures(key, Date.now())
  return {
    isOver,
    isRefused: isOver && address !== undefined,
    giveBack: () => isOver || failures(key, Date.now(), -1),
  }
}

async function take(limiter: RateLimit | undefined, bucket: Bucket, key: string): Promise<boolean> {
  if (limiter === undefined) return bucket(key, Date.now())
  try {
    return (await limiter.limit({ key })).success
  } catch {
    return bucket(key, Date.now()) // a limiter that fails must not stop the service
  }
}
