// The sandbox, a Worker of its own beside the verifier (docs/decisions/sandbox.md): the test issuer with its status lists, and the
// test wallet. The verifier alone leads here, by its binding; here leads back to it (verifier.ts), and nowhere else.

import { issuerResource } from './issuer/resources.ts'
import type { VerifierEnv } from './verifier.ts'

/** What the platform binds. */
export type SandboxEnv = VerifierEnv

/** Where the verifier looks for what the sandbox issuer publishes. */
const ISSUER_HOST = 'sandbox.invalid'

export default {
  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.host === ISSUER_HOST) return (await issuerResource(url.pathname)) ?? notFound()
    return notFound()
  },
} satisfies ExportedHandler<SandboxEnv>

function notFound(): Response {
  return new Response('There is nothing here.\n', { status: 404 })
}
