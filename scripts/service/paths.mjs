// Paths of this repository.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const DIST = join(ROOT, 'dist')
/** Files that the Worker serves and that are not in its bundle (wrangler.toml). */
export const ASSETS = join(ROOT, 'assets')

/** Configurations of the Workers beside the verifier, relative to ROOT. */
export const SANDBOX_CONFIG = 'wrangler.sandbox.toml'
export const SHOP_CONFIG = 'examples/demo-shop/wrangler.toml'

/** Node 24 from node_modules: the tools need it, whatever Node the machine has. */
export const NODE = join(ROOT, 'node_modules', '.bin', 'node')
