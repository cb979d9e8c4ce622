// Router of the HTTP edge: all routes, and the middleware that every route has.

import { Hono } from 'hono/tiny'
import { dcApiRoutes } from './browser/dc-api.ts'
import { declineRoutes } from './browser/decline.ts'
import { returnRoutes } from './browser/return.ts'
import { sessionPageRoutes } from './browser/session-page.ts'
import { consoleRoutes } from './console/console.ts'
import { admission, drainable } from './edge/admission.ts'
import type { AppEnv } from './edge/context.ts'
import { headWithoutEffect, noSuchRoute, onError, requestId } from './edge/edge.ts'
import { knownHost } from './edge/known-host.ts'
import { logRequests } from './edge/log.ts'
import { listRoutes } from './lists/lists.ts'
import { loginPageRoutes } from './oidc/login/start-page.ts'
import { oidcRoutes } from './oidc/provider.ts'
import { documentationRoutes } from './public/documentation.ts'
import { sendMetrics } from './public/metrics.ts'
import { pageRoutes } from './public/pages.ts'
import { sandboxRoutes } from './public/sandbox.ts'
import { verifierDidRoutes } from './public/verifier-did.ts'
import { SAFE_PREFIXES, wellKnownRoutes } from './public/well-known.ts'
import { adminRoutes } from './settings/admin.ts'
import { metricsReaders } from './settings/operator.ts'
import { ownSettingsRoutes } from './settings/own-settings.ts'
import { oauthRoutes } from './settings/token-endpoint.ts'
import { eventRoutes } from './verifications/events.ts'
import { relyingPartyRoutes } from './verifications/verifications.ts'
import { walletRoutes } from './wallet/wallet.ts'

/** Builds the app. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.use(requestId)
  app.use(logRequests)
  app.use(knownHost)
  app.use(drainable)
  app.use(admission)
  app.route('/', walletRoutes()) // first: wallet routes respond to HEAD in their own format
  app.use(headWithoutEffect(app, SAFE_PREFIXES))
  app.route('/', wellKnownRoutes())
  app.route('/', documentationRoutes())
  app.route('/', pageRoutes())
  app.route('/', verifierDidRoutes())
  app.route('/', loginPageRoutes())
  app.route('/', sessionPageRoutes())
  app.route('/', declineRoutes())
  app.route('/', relyingPartyRoutes())
  app.route('/', eventRoutes())
  app.route('/', listRoutes())
  app.route('/', returnRoutes())
  app.route('/', dcApiRoutes())
  app.route('/', ownSettingsRoutes())
  app.route('/', oauthRoutes())
  app.route('/', oidcRoutes())
  app.route('/', sandboxRoutes())
  app.route('/v1/admin', adminRoutes())
  app.route('/', consoleRoutes(app))
  app.get('/metrics', metricsReaders, sendMetrics)
  app.notFound(noSuchRoute(app))
  app.onError(onError)
  return app
}
