// Paths of the project: of a checkout, or of an unpacked release (docs/releasing.md).

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The nearest folder with a package.json. A release has each script in one file, at another depth. */
export const ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)))
/** A release is built already. Only a release has a lock file of this name. */
export const IS_RELEASE = existsSync(join(ROOT, 'npm-shrinkwrap.json'))
export const DIST = join(ROOT, 'dist')
/** Files that the Worker serves and that are not in its bundle (wrangler.toml). */
export const ASSETS = join(ROOT, 'assets')

/** Configurations of the Workers beside the verifier, relative to ROOT. */
export const BACKGROUND_CONFIG = 'wrangler.background.toml'
export const SANDBOX_CONFIG = 'wrangler.sandbox.toml'
export const SHOP_CONFIG = 'examples/demo-shop/wrangler.toml'

/** Node 24 from node_modules: TypeScript and the tools need it, whatever Node the machine has. */
export const NODE = join(ROOT, 'node_modules', '.bin', 'node')

/** Returns `NODE` if it is installed, otherwise the Node that runs this. Only for what any Node can run. */
export function availableNode() {
  return existsSync(NODE) ? NODE : process.execPath
}

function rootAbove(folder) {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder))
}
