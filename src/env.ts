// What the platform binds to the service: the object namespaces, the text variables `config.ts` parses, and, where the
// platform has them, rate limiters.

import { type Config, parseConfig } from './config.ts'
import type { Directory } from './relying-party/directory.ts'
import type { EventLog } from './relying-party/events/event-log.ts'
import type { RelyingParty } from './relying-party/relying-party.ts'
import type { TrustList } from './relying-party/trust-lists/trust-list.ts'
import type { VerificationSession } from './session/verification-session.ts'

/** The bindings (wrangler.toml). Secrets are text variables. */
export type Env = {
  readonly VERIFICATION_SESSION: DurableObjectNamespace<VerificationSession>
  readonly RELYING_PARTY: DurableObjectNamespace<RelyingParty>
  readonly DIRECTORY: DurableObjectNamespace<Directory>
  readonly EVENT_LOG: DurableObjectNamespace<EventLog>
  readonly TRUST_LIST: DurableObjectNamespace<TrustList>
  /** Files beside the bundle, by name (assets/). */
  readonly ASSETS: Fetcher
  /** 100 creations a second a key; bare `workerd` has no such binding. */
  readonly CREATION_RATE_LIMIT?: RateLimit
  /** 60 wallet calls in 10 s an address. */
  readonly WALLET_RATE_LIMIT?: RateLimit
  /** 60 calls of the token endpoint in 10 s an address, and a client. */
  readonly TOKEN_RATE_LIMIT?: RateLimit
  /** Where events are counted on Cloudflare (metrics/record.ts); bare `workerd` has no such binding. */
  readonly METRICS?: AnalyticsEngineDataset
  /** The sandbox of test mode (wrangler.sandbox.toml). Without it there is none. */
  readonly SANDBOX?: Fetcher
  readonly BASE_URL: string
  readonly SERVER_SECRET: string
  readonly ACCESS_TOKEN_KEYS: string
  readonly VERIFIER_SIGNING_JWK: string
  readonly VERIFIER_CERTIFICATE_CHAIN_PEM: string
  readonly VERIFIER_FURTHER_KEYS?: string
  readonly ADMIN_TOKEN?: string
  readonly SERVICE_SCHEME?: string
  readonly WALLET_SCHEME?: string
  readonly ALLOW_LOOPBACK?: string
  readonly CLIENT_IP_HEADER?: string
  readonly BOOT_ID?: string
  readonly JURISDICTION?: Config['jurisdiction'] & string
}

/** Every namespace of objects: one that is missing here does not compile. */
const NAMESPACES: Readonly<Record<NamespaceName, true>> = {
  VERIFICATION_SESSION: true,
  RELYING_PARTY: true,
  DIRECTORY: true,
  EVENT_LOG: true,
  TRUST_LIST: true,
}

type NamespaceName = {
  [Name in keyof Env]-?: Env[Name] extends { idFromName(name: string): DurableObjectId } ? Name : never
}[keyof Env]

/**
 * The bindings, with every object in the jurisdiction that is configured: the entries of the Worker and of each object class take theirs
 * from here. One object for each that the platform hands out. Throws where the platform knows no such jurisdiction: nothing is kept elsewhere.
 */
export function placed(env: Env): Env {
  const { JURISDICTION } = env
  if (JURISDICTION === undefined) return env
  const known = PLACED.get(env)
  if (known !== undefined) return known
  const names = Object.keys(NAMESPACES) as NamespaceName[]
  const namespaces = names.map((name) => [name, env[name].jurisdiction(JURISDICTION)])
  const made: Env = { ...env, ...Object.fromEntries(namespaces) }
  PLACED.set(env, made)
  return made
}

const PLACED = new WeakMap<Env, Env>()

/** The parsed configuration; parsed once for each isolate (the platform hands out one `env` object). Throws as `parseConfig` does. */
export function configOf(env: Env): Config {
  const known = PARSED.get(env)
  if (known !== undefined) return known
  const config = parseLoudly(env)
  PARSED.set(env, config)
  return config
}

/** Faults of the configuration name variables and no values, so they are logged whole: the operator has nothing else to go by. */
function parseLoudly(env: Env): Config {
  try {
    return parseConfig(env)
  } catch (fault) {
    if (fault instanceof Error) console.error(fault.message)
    throw fault
  }
}

const PARSED = new WeakMap<Env, Config>()
