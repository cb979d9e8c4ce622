// Rate limits (api/limits). The platform's limiters count for a whole location. Without them, a token bucket
// in memory has the same limits for one process.

import { loadConfig } from '../../config.ts'
import { cameByCloudflare } from './cloudflare.ts'
import type { AppContext } from './context.ts'
import { problem } from './problems.ts'

/** At most `limit` at once, refilled evenly over `period` milliseconds. */
type Rate = { readonly limit: number; readonly period: number }

/**
 * Takes one token of a key; false if none is left. `now` is Unix milliseconds. A `count` of -1 gives one
 * back.
 */
type Bucket = (key: string, now: number, count?: 1 | -1) => boolean

const CREATIONS: Rate = { limit: 100, period: 1_000 }
const WALLET_CALLS: Rate = { limit: 60, period: 10_000 }
const TOKENS: Rate = { limit: 60, period: 10_000 }
const FAILED_AUTHENTICATIONS: Rate = { limit: 10, period: 60_000 }

/**
 * Keys of one bucket. The least recently used key is dropped first, which never reduces the calls of a
 * caller.
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
    const oldest = levels.keys().next().value
    if (levels.size > maximumKeys && oldest !== undefined) levels.delete(oldest)
    return allowed
  }
}

const creations = memoryBucket(CREATIONS)
const walletCalls = memoryBucket(WALLET_CALLS)
const tokens = memoryBucket(TOKENS)
const failures = memoryBucket(FAILED_AUTHENTICATIONS)

/** 100 creations a second for each API key. Returns the response to send beyond this limit. */
export async function limitCreations(c: AppContext, keyId: string): Promise<Response | undefined> {
  const allowed = await take(c.env.CREATION_RATE_LIMIT, creations, keyId)
  return allowed ? undefined : problem(c, 'rate_limited')
}

/**
 * 60 wallet calls in 10 s for each address. Returns false if there were more. Without a known address
 * there is no limit.
 */
export async function takeWalletCall(c: AppContext): Promise<boolean> {
  const address = clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader)
  return address === undefined || take(c.env.WALLET_RATE_LIMIT, walletCalls, address)
}

/**
 * 60 calls of the token endpoint in 10 s for each address, before any authentication. Returns false if
 * there were more. Without a known address there is no such limit.
 */
export async function takeTokenCall(c: AppContext): Promise<boolean> {
  const address = clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader)
  return address === undefined || take(c.env.TOKEN_RATE_LIMIT, tokens, `address ${address}`)
}

/** 60 tokens in 10 s for each authenticated client, so that no other caller can use up its limit. */
export function takeToken(c: AppContext, clientId: string): Promise<boolean> {
  return take(c.env.TOKEN_RATE_LIMIT, tokens, `client ${clientId}`)
}

/**
 * Returns the caller's address from a trusted header: the header of Cloudflare's edge, or the header that the
 * operator named. An IPv6 address is cut to its network.
 */
export function clientAddress(request: Request, clientIpHeader: string | null): string | undefined {
  // Only Cloudflare's edge sets cf-connecting-ip. Without that edge any caller could send it.
  const header = clientIpHeader ?? (cameByCloudflare(request) ? 'cf-connecting-ip' : null)
  const value = header === null ? null : request.headers.get(header)
  const address = value?.trim().slice(0, 64)
  return address ? toNetwork(address) : undefined
}

/**
 * Returns an IPv6 address as its first 64 bits: one subscriber has them all (RFC 6177 §2). Everything else is
 * returned unchanged.
 */
function toNetwork(address: string): string {
  const literal = `http://[${address.replace(/^\[|\]$|%.*$/g, '')}]`
  if (!address.includes(':') || !URL.canParse(literal)) return address
  const [head = '', tail] = new URL(literal).hostname.slice(1, -1).split('::') // RFC 5952
  const before = head.split(':').filter((group) => group !== '')
  const after = tail?.split(':').filter((group) => group !== '') ?? []
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  const groups = [...before, ...zeros, ...after]
  // An IPv4 address in IPv6 (RFC 4291 §2.5.5.2) is counted whole.
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  return isMapped ? groups.slice(5).join(':') : `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * Takes one of 10 failed authentications a minute of an address. It never limits a client, so no caller can
 * lock a client out. Returns false if there were more.
 */
export function takeFailedAuthentication(c: AppContext): boolean {
  const address = clientAddress(c.req.raw, loadConfig(c.env).clientIpHeader)
  return address === undefined || failures(address, Date.now())
}

/**
 * Takes one of 10 failed sign-ins a minute, before the token is checked: further sign-ins of an address are
 * refused. A sign-in that succeeds does not count. Callers without a known address share one limit, by which
 * anyone could lock the operator out. So there the token is always checked.
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
