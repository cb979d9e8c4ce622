// Types the text variables in `env` of `cloudflare:workers` for tests. Its bindings come from
// worker-configuration.d.ts.

import type { Variables } from '../../src/config.ts'

declare global {
  namespace Cloudflare {
    interface Env extends Variables {}
  }
}
