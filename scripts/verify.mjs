// Compiles the library. npm runs this as `prepare` of packages/verify, before `npm pack`.

import { ensureInstalled } from './service/install.mjs'
import { buildVerify } from './service/verify-package.mjs'

ensureInstalled()
buildVerify()
