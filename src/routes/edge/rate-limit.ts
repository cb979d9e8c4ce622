// How often one caller may ask (CONTRACT 9). The platform's rate limiters count for a whole location; where none is bound,
// a token bucket in memory has the same shape for one process.

import { configOf } from '../../config.ts'
import type { AppContext } from '../context.ts'
import { cameByCloudflare } from './cloudflare.ts'
import { problem } from './problems.ts'

/** At most `limit` at once, refilled evenly over `period` milliseconds. */
export type Rate = { readonly limit: number; readonly period: number }

/** Takes one token of a key; false where none is left. `now` is Unix milliseconds. */
export type Bucket = (key: string, now: number) => boolean

const CREATIONS: Rate = { limit: 100, period: 1_000 }
const WALLET_CALLS: Rate = { limit: 60, period: 10_000 }
const TOKENS: Rate = { limit: 60, period: 10_000 }

/** Keys a bucket remembers at most; the longest unused one is forgotten first, which only ever favours the caller. */
const MAXIMUM_KEYS = 10_000

/** Makes a token bucket in memory. */
export function memoryBucket(rate: Rate, maximumKeys: number = MAXIMUM_KEYS): Bucket {
  const levels = new Map<string, { readonly tokens: number; readonly at: number }>()
  return (key, now) => {
    const { tokens, at } = levels.get(key) ?? { tokens: rate.limit, at: now }
    const refilled = Math.min(rate.limit, tokens + (Math.max(0, now - at) * rate.limit) / rate.period)
    const allowed = refilled >= 1
    levels.delete(key) // and back in at the end: a Map keeps the order of insertion
    levels.set(key, { tokens: allowed ? refilled - 1 : refilled, at: now })
    const oldest = levels.keys().next().value
    if (levels.size > maximumKeys && oldest !== undefined) levels.delete(oldest)
    return allowed
  }
}

const creations = memoryBucket(CREATIONS)
const walletCalls = memoryBucket(WALLET_CALLS)
const tokens = memoryBucket(TOKENS)

/** 100 creations a second for each API key. The response to send where there were more. */
export async function limitCreations(c: AppContext, keyId: string): Promise<Response | undefined> {
  const allowed = await take(c.env.CREATION_RATE_LIMIT, creations, keyId)
  return allowed ? undefined : problem(c, 'rate_limited')
}

/** 60 wallet calls in 10 s for each address: whether one more is allowed. Without a known address there is no limit. */
export async function takeWalletCall(c: AppContext): Promise<boolean> {
  const address = clientAddress(c.req.raw, configOf(c.env).clientIpHeader)
  return address === undefined || take(c.env.WALLET_RATE_LIMIT, walletCalls, address)
}

/**
 * 60 calls of the token endpoint in 10 s for each address, whatever they show: whether one more is allowed. Without a known
 * address there is no such limit.
 */
export async function takeTokenCall(c: AppContext): Promise<boolean> {
  const address = clientAddress(c.req.raw, configOf(c.env).clientIpHeader)
  return address === undefined || take(c.env.TOKEN_RATE_LIMIT, tokens, `address ${address}`)
}

/** 60 tokens in 10 s for each client that has shown who it is: nobody else can use up what is its own. */
export function takeToken(c: AppContext, clientId: string): Promise<boolean> {
  return take(c.env.TOKEN_RATE_LIMIT, tokens, `client ${clientId}`)
}

/** The caller's address, where something in front of us vouches for it: Cloudflare's edge, or the header the operator named. */
export function clientAddress(request: Request, clientIpHeader: string | null): string | undefined {
  // Cloudflare's edge sets cf-connecting-ip; anywhere else anybody could send it.
  const header = clientIpHeader ?? (cameByCloudflare(request) ? 'cf-connecting-ip' : null)
  const value = header === null ? null : request.headers.get(header)
  return value?.trim().slice(0, 64) || undefined
}

async function take(limiter: RateLimit | undefined, bucket: Bucket, key: string): Promise<boolean> {
  if (limiter === undefined) return bucket(key, Date.now())
  try {
    return (await limiter.limit({ key })).success
  } catch {
    return bucket(key, Date.now()) // a limiter that fails must not stop the service
  }
}
