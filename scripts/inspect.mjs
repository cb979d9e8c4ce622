// Bundles the package of the inspector. npm runs this as `prepare` of packages/inspect.

import { buildInspect } from './service/inspect-package.mjs'
import { ensureInstalled } from './service/install.mjs'

ensureInstalled()
await buildInspect()
