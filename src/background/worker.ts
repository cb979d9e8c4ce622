// Entry of the Worker for background work (docs/decisions/bundle.md): pure functions that no verification
// waits for. The Worker has no storage, no address and no network. The verifier calls it by a binding.

import { WorkerEntrypoint } from 'cloudflare:workers'
import type { Result } from '../result.ts'
import { type TlRules, type VerifiedTl, verifyEtsiTl } from '../trust/lists/etsi-tl.ts'
import { type FetchPivot, type LotlRules, type VerifiedLotl, verifyEuLotl } from '../trust/lists/eu-lotl.ts'
import type { TrustListError } from '../trust/lists/listed.ts'

/** The functions that the verifier calls. Parameters and results are plain data, except `fetchPivot`. */
export class BackgroundWork extends WorkerEntrypoint {
  /** Verifies a trusted list in XML (`verifyEtsiTl`). */
  verifyEtsiTl(body: Uint8Array, rules: TlRules): Promise<Result<VerifiedTl, TrustListError>> {
    return verifyEtsiTl(body, rules)
  }

  /** Verifies a list of lists (`verifyEuLotl`). The verifier runs `fetchPivot`. */
  verifyEuLotl(
    body: Uint8Array,
    rules: LotlRules,
    fetchPivot: FetchPivot,
  ): Promise<Result<VerifiedLotl, TrustListError>> {
    return verifyEuLotl(body, rules, fetchPivot)
  }
}

// The platform does not accept a Worker without a handler.
export default {
  fetch: () => new Response(null, { status: 404 }),
} satisfies ExportedHandler
