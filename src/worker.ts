// Entry of the verifier's Worker: the app, and the classes of its Durable Objects.

import { type Env, withJurisdiction } from './env.ts'
import { createApp } from './routes/app.ts'

export { Directory } from './relying-party/directory.ts'
export { EventLog } from './relying-party/events/event-log.ts'
export { VerificationIndex } from './relying-party/index/verification-index.ts'
export { RelyingParty } from './relying-party/relying-party.ts'
export { TrustList } from './relying-party/trust-lists/trust-list.ts'
export { control } from './routes/edge/admission.ts'
export { VerificationSession } from './session/verification-session.ts'

const app = createApp()

const handler = {
  fetch: (request, env, ctx) => app.fetch(request, withJurisdiction(env), ctx),
} satisfies ExportedHandler<Env>

export default handler

/** Entry of `npm start`. It adds `Date` (RFC 9110 §6.6.1), as Cloudflare does. workerd adds none. */
export const selfHosted = {
  fetch: async (request, env, ctx) => {
    const response = await handler.fetch(request, env, ctx)
    // The response to an upgrade is immutable, and needs no date.
    if (response.webSocket === null) response.headers.set('Date', new Date().toUTCString())
    return response
  },
} satisfies ExportedHandler<Env>
