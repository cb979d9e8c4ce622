// Entry of the demo shop's Worker (docs/demo-shop.md). The verifier forwards `/demo` to it.

import { shopRoutes } from './routes.ts'
import type { ShopEnv } from './shop.ts'

export { ShopVisit } from './visit.ts'

const routes = shopRoutes()

export default {
  fetch: (request, env) => routes.fetch(request, env),
} satisfies ExportedHandler<ShopEnv>

/**
 * Entry of the separate port for webhooks: treats every request as a webhook. The verifier sends none to its
 * own address.
 */
export const webhookEntry = {
  fetch: (request, env) => routes.fetch(new Request('https://shop.invalid/demo/webhook', request), env),
} satisfies ExportedHandler<ShopEnv>
