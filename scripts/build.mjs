// `npm run build`: the bundle a deployment uploads, at dist/worker.js.

import { ensureBundle } from './service/bundle.mjs'
import { ensureInstalled } from './service/install.mjs'

ensureInstalled()
ensureBundle()
