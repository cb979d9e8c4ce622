// Compiles the client package. npm runs this as `prepare` of packages/client, before `npm pack`. As `prepare`
// of the root it runs after `npm ci` and before an installation from git: then the compiler may be missing.

import { buildClient, canBuildClient } from './service/client-package.mjs'
import { ensureInstalled } from './service/install.mjs'

const ifPossible = process.argv.includes('--if-possible')
if (!ifPossible) ensureInstalled()
if (!ifPossible || canBuildClient()) buildClient()
