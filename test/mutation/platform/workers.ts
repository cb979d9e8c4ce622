// The module `cloudflare:workers` in Node, for mutation testing: the bindings of the service and the base
// classes of its objects and entries.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TEST_ENVIRONMENT } from '../../support/service/environment.ts'
import { type ObjectClass, openNamespace } from './objects.ts'

const ASSETS = join(import.meta.dirname, '../../../assets')

export class DurableObject {
  readonly ctx: unknown
  readonly env: unknown
  constructor(ctx: unknown, bindings: unknown) {
    this.ctx = ctx
    this.env = bindings
  }
}

export class WorkerEntrypoint {}

export function waitUntil(work: Promise<unknown>): void {
  void work.catch(() => undefined)
}

const limiter = { limit: async () => ({ success: true }) }
const nothing = {
  fetch: async () => new Response('', { status: 404, headers: { 'content-type': 'text/html' } }),
}

/**
 * Opens the namespace of a class. Modules of the service import this one, so they are imported later: all at
 * the first call, so that no later call waits for an import.
 */
function namespaceOf(name: string) {
  return openNamespace(
    async () => Reflect.get(await import('../../../src/worker.ts'), name) as ObjectClass,
    () => objectBindings,
  )
}

/** The functions of the Worker for background work. They run here, without RPC. */
const backgroundWork = new Proxy(
  {},
  {
    get:
      (_, name) =>
      async (...parameters: readonly unknown[]) => {
        const { BackgroundWork } = await import('../../../src/background/worker.ts')
        const method = Reflect.get(BackgroundWork.prototype, name) as (...all: readonly unknown[]) => unknown
        return structuredClone(await method(...parameters))
      },
  },
)

/** The bindings of wrangler.toml. */
export const env: Readonly<Record<string, unknown>> = {
  ...TEST_ENVIRONMENT,
  VERIFICATION_SESSION: namespaceOf('VerificationSession'),
  RELYING_PARTY: namespaceOf('RelyingParty'),
  DIRECTORY: namespaceOf('Directory'),
  EVENT_LOG: namespaceOf('EventLog'),
  TRUST_LIST: namespaceOf('TrustList'),
  VERIFICATION_INDEX: namespaceOf('VerificationIndex'),
  EVIDENCE_MATERIALS: namespaceOf('EvidenceMaterials'),
  EVIDENCE_SESSIONS: namespaceOf('EvidenceSessions'),
  CREATION_RATE_LIMIT: limiter,
  WALLET_RATE_LIMIT: limiter,
  TOKEN_RATE_LIMIT: limiter,
  METRICS: { writeDataPoint: () => undefined },
  SANDBOX: nothing,
  DEMO_SHOP: nothing,
  BACKGROUND_WORK: backgroundWork,
  ASSETS: { fetch: readAsset },
}

let objectBindings = env

/** Returns bindings with other variables. Objects get them from now on. */
export function bindingsWith(variables: Readonly<Record<string, string>>): typeof env {
  objectBindings = { ...env, ...variables }
  return objectBindings
}

async function readAsset(address: string | Request): Promise<Response> {
  const { pathname } = new URL(typeof address === 'string' ? address : address.url)
  try {
    return new Response(await readFile(join(ASSETS, pathname)))
  } catch {
    return new Response(null, { status: 404 })
  }
}
