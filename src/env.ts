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
  | 'CF_VERSION_METADATA'
  | 'SANDBOX'
  | 'DEMO_SHOP'

/** Binding that only bare `workerd` has: Durable Objects that each store many sessions. */
type SharedBinding = { SHARED_SESSIONS?: DurableObjectNamespace<SharedObject> }

/** Method of the Durable Object in `src/session/shared-sessions.ts` that other objects call. */
type SharedObject = Rpc.DurableObjectBranded & {
  call(
    address: { readonly id: string; readonly mark: string },
    verb: string,
    args: readonly unknown[],
  ): Promise<unknown>
}

/** The bindings of wrangler.toml, and the text variables. Secrets are text variables. */
export type Env = Readonly<
  Omit<WorkerBindings, OptionalBinding> &
    Partial<Pick<WorkerBindings, OptionalBinding>> &
    SharedBinding &
    Variables
>

/** Names of all Durable Object namespaces on Cloudflare. If a name is missing, the code does not compile. */
const NAMESPACES: Readonly<Record<NamespaceName, true>> = {
  VERIFICATION_SESSION: true,
  RELYING_PARTY: true,
  DIRECTORY: true,
  EVENT_LOG: true,
  VERIFICATION_INDEX: true,
  TRUST_LIST: true,
  EVIDENCE_MATERIALS: true,
  EVIDENCE_SESSIONS: true,
}

type NamespaceName = {
  [Name in keyof Env]-?: Env[Name] extends { idFromName(name: string): DurableObjectId } ? Name : never
}[keyof Env]

/**
 * Returns the bindings. If `JURISDICTION` is set, their namespaces give access to objects of that
 * jurisdiction only. The Worker and each object class use these bindings only. The result is cached for each
 * `env` of the platform. Throws if the platform does not support the jurisdiction.
 */
export function withJurisdiction(env: Env): Env {
  const { JURISDICTION } = env
  if (JURISDICTION === undefined) return env
  const restrictedEnv = RESTRICTED.get(env)
  if (restrictedEnv !== undefined) return restrictedEnv
  const names = Object.keys(NAMESPACES) as NamespaceName[]
  const namespaces = names.map((name) => [name, env[name].jurisdiction(JURISDICTION)])
  const restricted: Env = { ...env, ...Object.fromEntries(namespaces) }
  RESTRICTED.set(env, restricted)
  return restricted
}

const RESTRICTED = new WeakMap<Env, Env>()
