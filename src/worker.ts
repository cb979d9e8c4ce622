// Entry of the verifier's Worker: the app, and the classes of its Durable Objects.

import { type Env, withJurisdiction } from './env.ts'
import { createApp } from './routes/app.ts'

export { Directory } from './relying-party/directory.ts'
export { EventLog } from './relying-party/events/event-log.ts'
export { VerificationIndex } from './relying-party/index/verification-index.ts'
export { RelyingParty } from './relying-party/relying-party.ts'
export { TrustList } from './relying-party/trust-lists/trust-list.ts'
export { control } from './routes/edge/drain.ts'
export { VerificationSession } from './session/verification-session.ts'

const app = createApp()

export default {
  fetch: (request, env, ctx) => app.fetch(request, withJurisdiction(env), ctx),
} satisfies ExportedHandler<Env>
