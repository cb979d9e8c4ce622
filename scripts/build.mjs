// `npm run build`: builds the bundle of a deployment (dist/worker.js) and the client (packages/client/dist).

import { ensureBundle } from './service/bundle.mjs'
import { buildClient } from './service/client-package.mjs'
import { ensureInstalled } from './service/install.mjs'

ensureInstalled()
ensureBundle()
buildClient()
