// Loaded before the tests that Node itself loads. Resolves the client package by its name, as `paths` in
// tsconfig.json has it, and `cloudflare:workers` to the base classes of objects and entries alone.

import { registerHooks } from 'node:module'

const CLIENT = /^@wallet-verifier\/client(?:\/(.+))?$/
const WORKERS =
  'data:text/javascript,export class DurableObject { constructor(ctx) { this.ctx = ctx } }; export class WorkerEntrypoint {}'

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'cloudflare:workers') return { url: WORKERS, shortCircuit: true }
    const [found, entry = 'client'] = CLIENT.exec(specifier) ?? []
    if (found === undefined) return next(specifier, context)
    const url = new URL(`../../../packages/client/src/${entry}.ts`, import.meta.url).href
    return { url, shortCircuit: true }
  },
})

// A new connection for each request: a process that gets little time could use a connection that the service
// has just closed because it was idle.
const DISPATCHER = Symbol.for('undici.globalDispatcher.1')
await fetch('data:,') // Node makes its agent at the first call
const { constructor: Agent } = globalThis[DISPATCHER]
globalThis[DISPATCHER] = new Agent({ pipelining: 0 })
