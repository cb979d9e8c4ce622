// `/readyz`: whether the service can do its work, and what will soon keep it from it. A wallet refuses a request whose
// certificate has expired, and nobody would be told but the person in front of it.

import { configOf } from '../env.ts'
import { directoryOf } from '../relying-party/directory.ts'
import { staleTrustLists } from '../relying-party/trust-lists.ts'
import { anchorCertificates } from '../trust/anchor-certificates.ts'
import type { Certificate } from '../trust/certificate.ts'
import type { AppContext } from './context.ts'
import { toTime } from './settings-handlers.ts'

/** Something to be done by the operator. `expires_at`: ISO 8601 in UTC. */
type Warning =
  | {
      readonly code: 'verifier_certificate_expires_soon' | 'verifier_certificate_not_valid'
      readonly expires_at: string
    }
  /** A list that vouches for nobody now. Who does not subscribe to it is served as ever, so the service is ready all the same. */
  | { readonly code: 'trust_list_stale'; readonly trust_list: string }

/**
 * Ready: the configuration is valid, objects answer, and the service's own certificate is in time. A fault in the first two is
 * thrown and becomes 500 or 503.
 */
export async function readiness(c: AppContext): Promise<Response> {
  const { verifier } = configOf(c.env)
  const now = Date.now()
  const stale = await staleTrustLists(c.env, await directoryOf(c.env).trustLists(), now)
  const warnings = [
    ...judgeChain(anchorCertificates(verifier.certificateChainPem), now / 1000),
    ...stale.map((name): Warning => ({ code: 'trust_list_stale', trust_list: name })),
  ]
  const isReady = warnings.every(({ code }) => code !== 'verifier_certificate_not_valid')
  const headers = { 'Cache-Control': 'no-store', ...(isReady ? {} : { 'Retry-After': '60' }) }
  return c.json({ status: isReady ? 'ready' : 'not_ready', warnings }, isReady ? 200 : 503, headers)
}

const DAY = 86_400
/** A month to renew in, or of a short-lived certificate the last third of its time. */
const NOTICE = { seconds: 30 * DAY, share: 1 / 3 }

/** What is to be said of the first certificate of the chain that runs out; `now` in Unix seconds. */
function judgeChain(chain: readonly Certificate[], now: number): readonly Warning[] {
  const [first] = chain.toSorted((a, b) => a.notAfter - b.notAfter)
  if (first === undefined) return []
  const expires_at = toTime(first.notAfter * 1000)
  const isValid = chain.every(({ notBefore, notAfter }) => notBefore <= now && now <= notAfter)
  if (!isValid) return [{ code: 'verifier_certificate_not_valid', expires_at }]
  const notice = Math.min(NOTICE.seconds, (first.notAfter - first.notBefore) * NOTICE.share)
  return first.notAfter - now <= notice ? [{ code: 'verifier_certificate_expires_soon', expires_at }] : []
}
