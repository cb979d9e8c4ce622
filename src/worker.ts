// Entry of the verifier's Worker: the app, and the classes of its Durable Objects.

import { type Env, withJurisdiction } from './env.ts'
import { createApp } from './routes/app.ts'

export { Directory } from './relying-party/directory.ts'
export { EventLog } from './relying-party/event-log.ts'
export { EvidenceSessions } from './relying-party/evidence-sessions.ts'
export { VerificationIndex } from './relying-party/index/verification-index.ts'
export { EvidenceMaterials } from './relying-party/materials/evidence-materials.ts'
export { RelyingParty } from './relying-party/relying-party.ts'
export { TrustList } from './relying-party/trust-lists/trust-list.ts'
export { control } from './routes/edge/admission.ts'
export { SharedSessions } from './session/shared-sessions.ts'
export { VerificationSession } from './session/verification-session.ts'

const app = createApp()

export default {
  fetch: async (request, env, ctx) => {
    const response = await app.fetch(request, withJurisdiction(env), ctx)
    // A response needs a `Date` (RFC 9110 §6.6.1). Cloudflare adds this header, but a workerd outside of
    // Cloudflare does not. BUILD_ID is set only outside of Cloudflare (scripts/start.mjs). The response to a
    // WebSocket upgrade is immutable, and needs no date.
    const needsDate = env.BUILD_ID !== undefined && response.webSocket === null
    if (needsDate) response.headers.set('Date', new Date().toUTCString())
    return response
  },
} satisfies ExportedHandler<Env>
