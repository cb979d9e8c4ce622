// The router at the edge: every audience's routes on one app, and what holds on all of them.

import { Hono } from 'hono/tiny'
import { adminRoutes, operatorOnly } from './admin.ts'
import type { AppEnv } from './context.ts'
import { dcApiRoutes } from './dc-api.ts'
import { documentationRoutes } from './documentation.ts'
import { headWithoutEffect, noSuchRoute, onFault, requestId } from './edge.ts'
import { eventRoutes } from './events.ts'
import { logRequests } from './log.ts'
import { sendMetrics } from './metrics.ts'
import { oauthRoutes } from './oauth.ts'
import { ownSettingsRoutes } from './own-settings.ts'
import { relyingPartyRoutes } from './relying-party.ts'
import { returnRoutes } from './return.ts'
import { sandboxRoutes } from './sandbox.ts'
import { sessionPageRoutes } from './session-page.ts'
import { verifierDidRoutes } from './verifier-did.ts'
import { walletRoutes } from './wallet.ts'
import { SAFE_PREFIXES, wellKnownRoutes } from './well-known.ts'

/** Builds the app. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(requestId)
  app.use(logRequests)
  app.route('/', walletRoutes()) // first: what it says of HEAD, too, is for wallets
  app.use(headWithoutEffect(app, SAFE_PREFIXES))
  app.route('/', wellKnownRoutes())
  app.route('/', documentationRoutes())
  app.route('/', verifierDidRoutes())
  app.route('/', sessionPageRoutes())
  app.route('/', relyingPartyRoutes())
  app.route('/', eventRoutes())
  app.route('/', returnRoutes())
  app.route('/', dcApiRoutes())
  app.route('/', ownSettingsRoutes())
  app.route('/', oauthRoutes())
  app.route('/', sandboxRoutes())
  app.route('/v1/admin', adminRoutes())
  app.get('/metrics', operatorOnly, sendMetrics)
  app.notFound(noSuchRoute(app))
  app.onError(onFault)
  return app
}
