// Entry of the Worker for background work (docs/decisions/bundle.md): pure functions that no verification
// waits for. The Worker has no storage, no address and no network. The verifier calls it by a binding.

import { WorkerEntrypoint } from 'cloudflare:workers'
import { signHead, signPut } from '../evidence/push/signed-request.ts'
import { checkTimeStampReply } from '../evidence/time-stamp/time-stamp.ts'
import { verifyEtsiTl } from '../trust/lists/etsi-tl.ts'
import { verifyEuLotl } from '../trust/lists/eu-lotl.ts'

/** The functions that the verifier calls. Parameters and results are plain data, except `fetchPivot`. */
export class BackgroundWork extends WorkerEntrypoint {
  /** Verifies a trusted list in XML. */
  verifyEtsiTl(...given: Parameters<typeof verifyEtsiTl>) {
    return verifyEtsiTl(...given)
  }

  /** Verifies a list of lists. The verifier runs `fetchPivot`. */
  verifyEuLotl(...given: Parameters<typeof verifyEuLotl>) {
    return verifyEuLotl(...given)
  }

  /** Checks the reply of a time-stamping authority. */
  checkTimeStampReply(...given: Parameters<typeof checkTimeStampReply>) {
    return checkTimeStampReply(...given)
  }

  /** Signs the PUT of a new object. This Worker does not keep the secret key of the store. */
  signPut(...given: Parameters<typeof signPut>) {
    return signPut(...given)
  }

  /** Signs the HEAD of an object. This Worker does not keep the secret key of the store. */
  signHead(...given: Parameters<typeof signHead>) {
    return signHead(...given)
  }
}

// The platform does not accept a Worker without a handler.
export default {
  fetch: () => new Response(null, { status: 404 }),
} satisfies ExportedHandler
