// Bindings of a service that runs as one process, for tests that run in workerd.

import { env } from 'cloudflare:workers'
import type { Env } from '../../src/env.ts'

/**
 * The bindings of a service that runs as one process, with this object for every name. The configuration of
 * `env` is stored with it. A jurisdiction makes a new object of bindings, so that the port is read.
 */
export function bindingsWith(object: object): Env {
  const namespace: object = { getByName: () => object, jurisdiction: () => namespace }
  const names = ['VERIFICATION_SESSION', 'RELYING_PARTY', 'DIRECTORY', 'EVENT_LOG', 'VERIFICATION_INDEX']
  const namespaces = [...names, 'TRUST_LIST', 'EVIDENCE_MATERIALS', 'EVIDENCE_SESSIONS'].map((name) => [
    name,
    namespace,
  ])
  return { ...env, ...Object.fromEntries(namespaces), LISTENING_PORT: '8080', JURISDICTION: 'eu' }
}
