// Bundles the package of the offline verifier. npm runs this as `prepare` of packages/evidence.

import { buildEvidence } from './service/evidence-package.mjs'
import { ensureInstalled } from './service/install.mjs'

ensureInstalled()
await buildEvidence()
