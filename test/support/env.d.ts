// Gives `env` of `cloudflare:workers` the service's bindings in tests.

import type { Env as ServiceEnv } from '../../src/env.ts'

declare global {
  namespace Cloudflare {
    interface Env extends ServiceEnv {}
    interface GlobalProps {
      mainModule: typeof import('../../src/worker.ts')
    }
  }
}
