// Configuration: one schema for the variables of the environment. If a variable is invalid, the service does
// not start, and the error names the variable. All secrets enter the service here.

import * as z from 'zod/mini'
import { decodeBase64url } from './codec/base64url.ts'
import { oncePer } from './codec/once-per.ts'
import { describeIssue, text } from './codec/schema.ts'
import { GOOGLE_METADATA } from './limits.ts'
import { checkOutboundUrl, LOOPBACK_HOSTS, type UrlRule } from './net/outbound-url.ts'
import { VERSION } from './version.ts'

/** Configuration of the service. Keys are derived from `serverSecret`, which has no other use. */
export type Config = ReturnType<typeof parseConfig>

export type P256PrivateJwk = Readonly<z.infer<typeof p256PrivateJwk>>

export type SigningJwk = Readonly<z.infer<typeof signingJwk>>

/**
 * A signing key of the service. A key without `d`, its private part, is retired: it only verifies older
 * signatures.
 */
export type PublishedJwk = Readonly<z.infer<typeof publishedJwk>>

/**
 * A signing key of the OpenID Connect provider. A key without `d`, its private part, only verifies older
 * tokens.
 */
export type OidcJwk = Readonly<z.infer<typeof oidcJwk>>

export type OidcRsaPublicJwk = Readonly<Pick<z.infer<typeof oidcRsaJwk>, 'kty' | 'n' | 'e'>>

/** Returns the configuration of an `env` object, parsed once. Throws as `parseConfig` does. */
export const loadConfig = oncePer(parseLoudly)

/**
 * Parses the environment. If it is invalid, logs the whole error message and throws the error again. The
 * message names variables without their values. Nothing else tells the operator which variable is wrong.
 */
function parseLoudly(env: object): Config {
  try {
    return parseConfig(env)
  } catch (error) {
    if (error instanceof Error) console.error(error.message)
    throw error
  }
}

/**
 * Parses the text variables. Throws an error that names the invalid variables. The service then does not
 * start.
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
    /** Token that is accepted by `/metrics` only; null: no such token is configured. */
    metricsToken: env.METRICS_TOKEN ?? null,
    serverSecret: env.SERVER_SECRET,
    /**
     * Keys for access tokens, receipts and other JWTs. The first key signs. Each public part is published.
     */
    accessTokenKeys: env.ACCESS_TOKEN_KEYS,
    /** Verifier identity of the service. `furtherKeys`: keys of its DID document that do not sign now. */
    verifier: {
      signingJwk: env.VERIFIER_SIGNING_JWK,
      certificateChainPem: env.VERIFIER_CERTIFICATE_CHAIN_PEM,
      furtherKeys: env.VERIFIER_FURTHER_KEYS?.keys ?? [],
      /** True for a certificate that the launcher made for a public `BASE_URL`. No wallet trusts it. */
      isSelfMade: env.SELF_MADE_VERIFIER === '1',
    },
    /** Display data of the operator, which Google Wallet shows beside a relying party; null: not shown. */
    googleAggregator: env.GOOGLE_WALLET_AGGREGATOR ?? null,
    /** Keys of the OpenID Connect provider; null: the service has no provider. */
    oidc: OIDC_KEYS && OIDC_SUBJECT_KEY ? { keys: OIDC_KEYS.keys, subjectKey: OIDC_SUBJECT_KEY } : null,
    /** Time stamping authority (RFC 3161) and its pinned certificates; null: none is configured. */
    timeStamping: readTimeStamping(env),
    serviceScheme: env.SERVICE_SCHEME,
    walletScheme: env.WALLET_SCHEME,
    allowLoopback: env.ALLOW_LOOPBACK === '1',
    /** True if `/console` is served. */
    hasConsole: env.CONSOLE === '1',
    /** Origin of the console's page. Its host name is `CONSOLE_HOST` if `BASE_URL` is an http address. */
    consoleOrigin: toConsoleOrigin(env.BASE_URL),
    /** True if `BASE_URL` is a loopback address, which only programs on this machine can reach. */
    isLocal: isLoopback(new URL(env.BASE_URL)),
    /**
     * Name of the trusted header that contains the caller's address. Null: only the header of Cloudflare's
     * edge is trusted.
     */
    clientIpHeader: env.CLIENT_IP_HEADER?.toLowerCase() ?? null,
    bootId: env.BOOT_ID ?? null,
    ...readBuild(env),
    /** Port that this process listens on. `outboundRule` forbids calls to it. Null on Cloudflare. */
    listeningPort: env.LISTENING_PORT ?? null,
    /** Number of lost alarms that were set again when the process started. */
    alarmsRepaired: Number(env.ALARMS_REPAIRED),
    /** Jurisdiction of every Durable Object on Cloudflare; null: no restriction. */
    jurisdiction: env.JURISDICTION ?? null,
  }
}

/**
 * Returns the id of the build, and its commit if the commit is known. On Cloudflare, these are the id and the
 * tag of the uploaded version. `bundleSha256`: digest of the served bundle, if it is known.
 */
function readBuild({ BUILD_ID, BUILD_COMMIT, BUNDLE_DIGEST: bundleSha256, ...env }: z.infer<typeof SCHEMA>) {
  const { id, tag } = env.CF_VERSION_METADATA ?? {}
  return { buildId: BUILD_ID ?? id ?? VERSION, commit: BUILD_COMMIT ?? (tag || undefined), bundleSha256 }
}

/**
 * Returns the rule for the URLs that the service may call. In live mode, loopback addresses are not allowed.
 */
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

/** Returns the time stamping authority; null: none. Throws if its variables are incomplete or invalid. */
function readTimeStamping({ TSA_URL: url, TSA_CA_PEM: authorities, ...env }: z.output<typeof SCHEMA>) {
  const { TSA_AUTHORIZATION: authorization, ALLOW_LOOPBACK, BASE_URL: baseUrl } = env
  if (!url && !authorities && !authorization) return null
  if (!url || !authorities)
    throw new Error('configuration: TSA_URL: must be set together with TSA_CA_PEM, or neither')
  if (!checkOutboundUrl(url, outboundRule({ baseUrl, allowLoopback: ALLOW_LOOPBACK === '1' }, false)).ok)
    throw new Error('configuration: TSA_URL: must be an https URL of a public host, on port 443')
  return { url, authorities, authorization }
}

const coordinate = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/, 'must be base64url of 32 bytes'))

const webAddress = text(GOOGLE_METADATA.uriCharacters).check(
  z.refine(
    (address) => URL.canParse(address) && /^https:\/\/[^\s\p{C}\\]+$/u.test(address),
    'must be an https URL',
  ),
  z.meta({ pattern: '^https://[^\\s\\\\]+$' }),
)

/** Name, logo and privacy policy of a party, which Google Wallet shows. */
export const displayInfo = z.strictObject({
  display_name: text(GOOGLE_METADATA.textCharacters).check(
    z.refine((name) => !/\p{C}/u.test(name), 'must not contain control characters'),
    z.meta({ pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' }),
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

/** Schema of the signing keys. The first key signs, so this key must have its private part. */
const accessTokenKeys = z.pipe(
  z.array(publishedJwk).check(
    z.refine(haveTheirOwnKids, 'must not repeat a kid'),
    z.refine(([first]) => first?.d !== undefined, { path: [0, 'd'], error: 'must be a string' }),
  ),
  z.transform((keys) => keys as [z.infer<typeof signingJwk>, ...z.infer<typeof publishedJwk>[]]),
)
const rsaPart = z.string().check(z.regex(/^[A-Za-z0-9_-]+$/, 'must be base64url'))

/** Schema of an RSA key (RFC 7518 §6.3). A modulus of 2048 bits has 342 characters. */
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

/** PEM of the operator's certificate chain. Text that tools write around the certificates is removed. */
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
  TSA_URL: z.optional(z.string()),
  TSA_CA_PEM: z.optional(certificateChain),
  TSA_AUTHORIZATION: z.optional(z.string().check(z.regex(/^[!-~][ -~]*$/, 'must be printable ASCII'))),
  SERVICE_SCHEME: z._default(scheme, 'walletverify'),
  WALLET_SCHEME: z._default(scheme, 'openid4vp'),
  ALLOW_LOOPBACK: z._default(z.enum(['0', '1']), '0'),
  CONSOLE: z._default(z.enum(['0', '1']), '0'),
  CLIENT_IP_HEADER: z.optional(z.string()),
  BOOT_ID: z.optional(z.string()),
  LISTENING_HOST: z.optional(z.string()),
  BUILD_ID: z.optional(z.string()),
  BUILD_COMMIT: z.optional(z.string()),
  BUNDLE_DIGEST: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'))),
  CF_VERSION_METADATA: z.optional(z.object({ id: z.string(), tag: z.optional(z.string()) })),
  LISTENING_PORT: z.optional(z.string().check(z.regex(/^\d{1,5}$/, 'must be a port'))),
  ALARMS_REPAIRED: z._default(z.string().check(z.regex(/^\d+$/, 'must be a number')), '0'),
  SELF_MADE_VERIFIER: z._default(z.enum(['0', '1']), '0'),
  JURISDICTION: z.optional(z.enum(['eu', 'fedramp'])),
  LOG_REQUESTS: z._default(z.enum(['all', 'problems']), 'all'),
  SESSION_OBJECTS: z.optional(
    z.string().check(z.regex(/^([1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-6])$/, 'must be 1 to 256')),
  ),
  SHARE_SESSIONS: z.optional(z.enum(['0', '1'])),
  OTHER_FORM_UNTIL: z.optional(z.string().check(z.regex(/^\d{1,16}$/, 'must be Unix milliseconds'))),
})

/** The text variables before they are parsed. */
export type Variables = z.input<typeof SCHEMA>

/** Returns the schema of a variable that contains JSON text. `schema` checks the parsed value. */
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

/**
 * Returns true if every key has its own `kid`. A token names its key by `kid`. If two keys had the same
 * `kid`, one of them would never be found.
 */
function haveTheirOwnKids(keys: readonly { readonly kid: string }[]): boolean {
  return new Set(keys.map(({ kid }) => kid)).size === keys.length
}

/**
 * Returns true if there is a private P-256 key and a private RSA key. A client can register ES256 or RS256,
 * so both are needed.
 */
function haveBothTypes(keys: readonly OidcJwk[]): boolean {
  return ['EC', 'RSA'].every((type) => keys.some(({ kty, d }) => kty === type && d !== undefined))
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return url.origin === text && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
}

function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK_NAMES.includes(hostname)
}

const LOOPBACK_NAMES: readonly string[] = [...LOOPBACK_HOSTS, '[::1]']

/**
 * Host name of the console over http. Only a service on loopback uses http. Cookies ignore ports (RFC 6265
 * §8.5): under `localhost`, every other server of this machine would get the console's cookie. Browsers
 * resolve all names below `localhost` to this machine (RFC 6761 §6.3).
 */
export const CONSOLE_HOST = 'console.localhost'

function toConsoleOrigin(baseUrl: string): string {
  const url = new URL(baseUrl)
  if (url.protocol === 'http:') url.hostname = CONSOLE_HOST
  return url.origin
}

/**
 * Returns the host names under which a service on loopback answers; `undefined` for a public service, and for
 * a `BASE_URL` that is not a URL. `LISTENING_HOST` is the address that the operator chose for the service.
 */
export function loopbackNames({
  BASE_URL,
  LISTENING_HOST,
}: Pick<Variables, 'BASE_URL' | 'LISTENING_HOST'>): readonly string[] | undefined {
  if (!URL.canParse(BASE_URL) || !isLoopback(new URL(BASE_URL))) return undefined
  return [...LOOPBACK_NAMES, CONSOLE_HOST, ...(LISTENING_HOST === undefined ? [] : [LISTENING_HOST])]
}
