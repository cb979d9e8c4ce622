// Bindings of the verifier's Worker. The platform's generator reads their types from wrangler.toml
// (worker-configuration.d.ts).

import type { Variables } from './config.ts'

/**
 * Bindings that only Cloudflare has, or that a deployment may leave out. Bare `workerd` runs without them.
 */
type OptionalBinding =
  | 'CREATION_RATE_LIMIT'
  | 'WALLET_RATE_LIMIT'
  | 'TOKEN_RATE_LIMIT'
  | 'METRICS'
  | 'SANDBOX'
  | 'DEMO_SHOP'

/** The bindings of wrangler.toml, and the text variables. Secrets are text variables. */
export type Env = Readonly<
  Omit<WorkerBindings, OptionalBinding> & Partial<Pick<WorkerBindings, OptionalBinding>> & Variables
>

/** Every namespace of objects. A namespace that is missing here does not compile. */
const NAMESPACES: Readonly<Record<NamespaceName, true>> = {
  VERIFICATION_SESSION: true,
  RELYING_PARTY: true,
  DIRECTORY: true,
  EVENT_LOG: true,
  VERIFICATION_INDEX: true,
  TRUST_LIST: true,
}

type NamespaceName = {
  [Name in keyof Env]-?: Env[Name] extends { idFromName(name: string): DurableObjectId } ? Name : never
}[keyof Env]

/**
 * Returns the bindings with every object in the configured jurisdiction, one result for each `env` of the
 * platform. The Worker and each object class use these bindings only. Throws for a jurisdiction that the
 * platform does not know.
 */
export function withJurisdiction(env: Env): Env {
  const { JURISDICTION } = env
  if (JURISDICTION === undefined) return env
  const known = RESTRICTED.get(env)
  if (known !== undefined) return known
  const names = Object.keys(NAMESPACES) as NamespaceName[]
  const namespaces = names.map((name) => [name, env[name].jurisdiction(JURISDICTION)])
  const restricted: Env = { ...env, ...Object.fromEntries(namespaces) }
  RESTRICTED.set(env, restricted)
  return restricted
}

const RESTRICTED = new WeakMap<Env, Env>()
