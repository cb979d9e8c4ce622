// Configuration: the environment as one schema. A bad value stops the start with every error named. Secrets
// enter the service here and nowhere else.

import * as z from 'zod/mini'
import { decodeBase64url } from './codec/base64url.ts'
import { oncePer } from './codec/once-per.ts'
import { describeIssue, text } from './codec/schema.ts'
import { GOOGLE_METADATA } from './limits.ts'
import { LOOPBACK_HOSTS, type UrlRule } from './net/outbound-url.ts'

/** Configuration of the service. `serverSecret` is the root of every derived key; it is never used itself. */
export type Config = ReturnType<typeof parseConfig>

export type P256PrivateJwk = Readonly<z.infer<typeof p256PrivateJwk>>

export type SigningJwk = Readonly<z.infer<typeof signingJwk>>

/** A key of ours. Without its private half it is retired: it verifies older signatures only. */
export type PublishedJwk = Readonly<z.infer<typeof publishedJwk>>

/** A key of the OpenID Connect provider. Without its private half it verifies older tokens only. */
export type OidcJwk = Readonly<z.infer<typeof oidcJwk>>

export type OidcRsaPublicJwk = Readonly<Pick<z.infer<typeof oidcRsaJwk>, 'kty' | 'n' | 'e'>>

/** Returns the configuration of an `env` object, parsed once. Throws as `parseConfig` does. */
export const loadConfig = oncePer(parseLoudly)

/** Logs the whole error: it names variables without values, and the operator has no other hint. */
function parseLoudly(env: object): Config {
  try {
    return parseConfig(env)
  } catch (error) {
    if (error instanceof Error) console.error(error.message)
    throw error
  }
}

/**
 * Parses the text variables. Throws one error that names every invalid variable: the service must not start.
 */
export function parseConfig(environment: object) {
  const parsed = SCHEMA.safeParse(environment, { error: describeIssue })
  if (!parsed.success) {
    const errors = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`configuration: ${errors.join('; ')}`)
  }
  const env = parsed.data
  if (env.METRICS_TOKEN !== undefined && env.METRICS_TOKEN === env.ADMIN_TOKEN)
    throw new Error('configuration: METRICS_TOKEN: must differ from ADMIN_TOKEN')
  const { OIDC_KEYS, OIDC_SUBJECT_KEY } = env
  if ((OIDC_KEYS === undefined) !== (OIDC_SUBJECT_KEY === undefined))
    throw new Error('configuration: OIDC_KEYS: must be set together with OIDC_SUBJECT_KEY, or neither')
  return {
    /** Origin without a trailing slash. */
    baseUrl: env.BASE_URL,
    adminToken: env.ADMIN_TOKEN ?? null,
    /** Token that opens `/metrics` and nothing else. */
    metricsToken: env.METRICS_TOKEN ?? null,
    serverSecret: env.SERVER_SECRET,
    /** JWKS of access tokens, claims and receipts: the first key signs, all are published. */
    accessTokenKeys: env.ACCESS_TOKEN_KEYS,
    /** The service's own verifier identity. `furtherKeys`: public keys of its DID that do not sign now. */
    verifier: {
      signingJwk: env.VERIFIER_SIGNING_JWK,
      certificateChainPem: env.VERIFIER_CERTIFICATE_CHAIN_PEM,
      furtherKeys: env.VERIFIER_FURTHER_KEYS?.keys ?? [],
      /** True if the launcher made the certificate, under a public name: no wallet trusts it. */
      isSelfMade: env.SELF_MADE_VERIFIER === '1',
    },
    /** The operator as Google Wallet shows it beside a relying party; null: not shown. */
    googleAggregator: env.GOOGLE_WALLET_AGGREGATOR ?? null,
    /** Keys of the OpenID Connect provider; null: the service has none. */
    oidc: OIDC_KEYS && OIDC_SUBJECT_KEY ? { keys: OIDC_KEYS.keys, subjectKey: OIDC_SUBJECT_KEY } : null,
    serviceScheme: env.SERVICE_SCHEME,
    walletScheme: env.WALLET_SCHEME,
    allowLoopback: env.ALLOW_LOOPBACK === '1',
    /** True if `/console` is served. */
    hasConsole: env.CONSOLE === '1',
    /** True if the service is reached from its own machine only. */
    isLocal: isLoopback(new URL(env.BASE_URL)),
    /** Header with the caller's address; null: no limit by address. */
    clientIpHeader: env.CLIENT_IP_HEADER?.toLowerCase() ?? null,
    bootId: env.BOOT_ID ?? null,
    /** Port of the process on this machine, which webhooks must not call; null on Cloudflare. */
    listeningPort: env.LISTENING_PORT ?? null,
    /** Alarms that the start set again because they were lost. */
    alarmsRepaired: Number(env.ALARMS_REPAIRED),
    /** Jurisdiction of every object on Cloudflare; null: no restriction. */
    jurisdiction: env.JURISDICTION ?? null,
  }
}

/** Returns the rule for the requests that this service sends. Live mode never reaches loopback. */
export function outboundRule(
  {
    baseUrl,
    allowLoopback,
    listeningPort = null,
  }: Partial<Config> & Pick<Config, 'baseUrl' | 'allowLoopback'>,
  livemode: boolean,
): UrlRule {
  return {
    allowLoopback: allowLoopback && !livemode,
    ownHost: new URL(baseUrl).host,
    ownPort: listeningPort,
  }
}

const coordinate = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/, 'must be base64url of 32 bytes'))

const webAddress = text(GOOGLE_METADATA.uriCharacters).check(
  z.refine(
    (address) => URL.canParse(address) && /^https:\/\/[^\s\p{C}\\]+$/u.test(address),
    'must be an https URL',
  ),
)

/** A party as Google Wallet shows it. */
export const displayInfo = z.strictObject({
  display_name: text(GOOGLE_METADATA.textCharacters).check(
    z.refine((name) => !/\p{C}/u.test(name), 'must not contain control characters'),
  ),
  logo_uri: webAddress,
  privacy_policy_uri: webAddress,
})

export const p256PublicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: coordinate,
  y: coordinate,
})

const p256PrivateJwk = z.extend(p256PublicJwk, { d: z.string() })

const signingJwk = z.extend(p256PrivateJwk, { kid: z.string().check(z.minLength(1)) })

const publishedJwk = z.extend(signingJwk, { d: z.exactOptional(z.string()) })

/** The first key signs, so it must be private. */
const accessTokenKeys = z.pipe(
  z.array(publishedJwk).check(
    z.refine(haveTheirOwnKids, 'must not repeat a kid'),
    z.refine(([first]) => first?.d !== undefined, { path: [0, 'd'], error: 'must be a string' }),
  ),
  z.transform((keys) => keys as [z.infer<typeof signingJwk>, ...z.infer<typeof publishedJwk>[]]),
)
const rsaPart = z.string().check(z.regex(/^[A-Za-z0-9_-]+$/, 'must be base64url'))

/** RFC 7518 §6.3. A modulus of 2048 bits has 342 characters. */
const oidcRsaJwk = z.object({
  kty: z.literal('RSA'),
  kid: z.string().check(z.minLength(1)),
  n: rsaPart.check(z.minLength(342)),
  e: rsaPart,
  d: z.exactOptional(rsaPart),
  p: z.exactOptional(rsaPart),
  q: z.exactOptional(rsaPart),
  dp: z.exactOptional(rsaPart),
  dq: z.exactOptional(rsaPart),
  qi: z.exactOptional(rsaPart),
})

const oidcJwk = z.discriminatedUnion('kty', [publishedJwk, oidcRsaJwk])

const scheme = z.string().check(z.regex(/^[a-z][a-z0-9+.-]*$/, 'must be a URI scheme in lower case'))

const token = z.string().check(z.minLength(32))

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** PEM of the operator's chain. Tools write text around the certificates, which is left out. */
export const certificateChain = z.pipe(
  z.string().check(z.regex(CERTIFICATES, 'must be PEM')),
  z.transform((chain) => chain.match(CERTIFICATES)?.join('\n') ?? ''),
)

const SCHEMA = z.object({
  BASE_URL: z
    .string()
    .check(z.refine(isOrigin, 'must be an https origin (http only on loopback) without a path')),
  ADMIN_TOKEN: z.optional(token),
  METRICS_TOKEN: z.optional(token),
  SERVER_SECRET: z.pipe(z.string(), z.transform(toSecret)),
  ACCESS_TOKEN_KEYS: json(z.object({ keys: accessTokenKeys })),
  OIDC_KEYS: z.optional(
    json(
      z.object({
        keys: z
          .array(oidcJwk)
          .check(
            z.refine(haveTheirOwnKids, 'must not repeat a kid'),
            z.refine(haveBothTypes, 'must have a private P-256 key and a private RSA key'),
          ),
      }),
    ),
  ),
  OIDC_SUBJECT_KEY: z.optional(z.pipe(z.string(), z.transform(toSecret))),
  VERIFIER_SIGNING_JWK: json(p256PrivateJwk),
  VERIFIER_CERTIFICATE_CHAIN_PEM: certificateChain,
  VERIFIER_FURTHER_KEYS: z.optional(json(z.object({ keys: z.array(p256PublicJwk) }))),
  GOOGLE_WALLET_AGGREGATOR: z.optional(json(displayInfo)),
  SERVICE_SCHEME: z._default(scheme, 'walletverify'),
  WALLET_SCHEME: z._default(scheme, 'openid4vp'),
  ALLOW_LOOPBACK: z._default(z.enum(['0', '1']), '0'),
  CONSOLE: z._default(z.enum(['0', '1']), '0'),
  CLIENT_IP_HEADER: z.optional(z.string()),
  BOOT_ID: z.optional(z.string()),
  LISTENING_PORT: z.optional(z.string().check(z.regex(/^\d{1,5}$/, 'must be a port'))),
  ALARMS_REPAIRED: z._default(z.string().check(z.regex(/^\d+$/, 'must be a number')), '0'),
  SELF_MADE_VERIFIER: z._default(z.enum(['0', '1']), '0'),
  JURISDICTION: z.optional(z.enum(['eu', 'fedramp'])),
})

/** The text variables as they are set. */
export type Variables = z.input<typeof SCHEMA>

/** A variable that contains JSON text. */
function json<T extends z.ZodMiniType>(schema: T) {
  const parsed = z.transform((text: string, { issues }) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      issues.push({ code: 'custom', input: text, message: 'must be JSON' })
      return z.NEVER
    }
  })
  return z.pipe(z.pipe(z.string(), parsed), schema)
}

function toSecret(text: string, { issues }: z.core.ParsePayload): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64url(text)
  if (bytes !== undefined && bytes.length >= 32) return bytes
  issues.push({ code: 'custom', input: text, message: 'must be base64url of 32 bytes or more' })
  return z.NEVER
}

/** A token names its key by `kid`. If two keys had one name, one key would verify nothing. */
function haveTheirOwnKids(keys: readonly { readonly kid: string }[]): boolean {
  return new Set(keys.map(({ kid }) => kid)).size === keys.length
}

/** ES256 and RS256 can each be registered by a client. */
function haveBothTypes(keys: readonly OidcJwk[]): boolean {
  return ['EC', 'RSA'].every((type) => keys.some(({ kty, d }) => kty === type && d !== undefined))
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return url.origin === text && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
}

function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK_HOSTS.includes(hostname) || hostname === '[::1]'
}
