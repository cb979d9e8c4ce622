// Gives `env` of `cloudflare:workers` the text variables in tests. Its bindings come from worker-configuration.d.ts.

import type { Variables } from '../../src/config.ts'

declare global {
  namespace Cloudflare {
    interface Env extends Variables {}
  }
}
