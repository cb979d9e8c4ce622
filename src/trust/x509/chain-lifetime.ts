// For how long a certificate chain of our own is of use, and from when on it is time to renew it.

import { anchorCertificates } from '../anchors/anchor-certificates.ts'

/** Times are Unix milliseconds. */
export type ChainLifetime = {
  /** From when on all of its certificates are valid. */
  readonly validFrom: number
  /** When the first of them expires. */
  readonly expiresAt: number
  /** From when on that one should be renewed. */
  readonly renewFrom: number
}

const DAY = 86_400
/** A month to renew in, or of a short-lived certificate the last third of its time. */
const NOTICE = { seconds: 30 * DAY, share: 1 / 3 }

/** The lifetime of the chain that a PEM text holds; `null` where it holds none. */
export function chainLifetime(pem: string): ChainLifetime | null {
  const chain = anchorCertificates(pem)
  const [first] = chain.toSorted((a, b) => a.notAfter - b.notAfter)
  if (first === undefined) return null
  const notice = Math.min(NOTICE.seconds, (first.notAfter - first.notBefore) * NOTICE.share)
  return {
    validFrom: Math.max(...chain.map(({ notBefore }) => notBefore)) * 1000,
    expiresAt: first.notAfter * 1000,
    renewFrom: (first.notAfter - notice) * 1000,
  }
}
