// The environment as one schema: a bad value stops the start with every fault named. Secrets come in here and nowhere else.

import * as z from 'zod'
import { decodeBase64url } from './codec/base64url.ts'

/** What the service runs on. `serverSecret` is the root of every derived key; nothing signs or seals with it directly. */
export type Config = {
  /** Origin without a trailing slash. */
  readonly baseUrl: string
  readonly adminToken: string | null
  readonly serverSecret: Uint8Array<ArrayBuffer>
  /** JWKS that signs access tokens and claims (the first signs, all verify). Private keys. */
  readonly accessTokenKeys: { readonly keys: readonly SigningJwk[] }
  /** The service's own verifier identity. */
  readonly verifier: { readonly signingJwk: P256PrivateJwk; readonly certificateChainPem: string }
  readonly serviceScheme: string
  readonly walletScheme: string
  readonly allowLoopback: boolean
  /** Header that carries the caller's address; null: no limit by address. */
  readonly clientIpHeader: string | null
  readonly bootId: string | null
}

export type P256PrivateJwk = {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly d: string
}

export type SigningJwk = P256PrivateJwk & { readonly kid: string }

/** Parses the environment's text variables. Throws one error that names every fault: the service must not start. */
export function parseConfig(environment: Readonly<Record<string, unknown>>): Config {
  const parsed = SCHEMA.safeParse(environment)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`configuration: ${faults.join('; ')}`)
  }
  const env = parsed.data
  return {
    baseUrl: env.BASE_URL,
    adminToken: env.ADMIN_TOKEN ?? null,
    serverSecret: env.SERVER_SECRET,
    accessTokenKeys: env.ACCESS_TOKEN_KEYS,
    verifier: {
      signingJwk: env.VERIFIER_SIGNING_JWK,
      certificateChainPem: env.VERIFIER_CERTIFICATE_CHAIN_PEM,
    },
    serviceScheme: env.SERVICE_SCHEME,
    walletScheme: env.WALLET_SCHEME,
    allowLoopback: env.ALLOW_LOOPBACK === '1',
    clientIpHeader: env.CLIENT_IP_HEADER ?? null,
    bootId: env.BOOT_ID ?? null,
  }
}

const p256PrivateJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

const scheme = z.string().regex(/^[a-z][a-z0-9+.-]*$/, 'must be a URI scheme in lower case')

const SCHEMA = z.object({
  BASE_URL: z.string().refine(isOrigin, 'must be an https origin (http only on loopback) without a path'),
  ADMIN_TOKEN: z.string().min(32, 'must have 32 characters or more').optional(),
  SERVER_SECRET: z.string().transform(toSecret),
  ACCESS_TOKEN_KEYS: json(
    z.object({ keys: z.array(p256PrivateJwk.extend({ kid: z.string().min(1) })).min(1) }),
  ),
  VERIFIER_SIGNING_JWK: json(p256PrivateJwk),
  VERIFIER_CERTIFICATE_CHAIN_PEM: z.string().includes('-----BEGIN CERTIFICATE-----'),
  SERVICE_SCHEME: scheme.default('walletverify'),
  WALLET_SCHEME: scheme.default('openid4vp'),
  ALLOW_LOOPBACK: z.enum(['0', '1']).default('0'),
  CLIENT_IP_HEADER: z.string().toLowerCase().optional(),
  BOOT_ID: z.string().optional(),
})

/** A variable that holds JSON text. */
function json<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(schema)
}

function toSecret(text: string, context: z.RefinementCtx): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64url(text)
  if (bytes !== undefined && bytes.length >= 32) return bytes
  context.addIssue({ code: 'custom', message: 'must be base64url of 32 bytes or more' })
  return z.NEVER
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  const loopback = url.hostname === 'localhost' || url.hostname === '127.0.0.1' || url.hostname === '[::1]'
  return url.origin === text && (url.protocol === 'https:' || (url.protocol === 'http:' && loopback))
}
