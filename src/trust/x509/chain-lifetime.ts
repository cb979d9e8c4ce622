// Lifetime of one of our own certificate chains, and the time to renew the chain.

import { anchorCertificates } from './pem-certificates.ts'

/** Times are Unix milliseconds. */
export type ChainLifetime = {
  /** The time from which all certificates of the chain are valid. */
  readonly validFrom: number
  /** Expiry of the certificate that expires first. */
  readonly expiresAt: number
  /** The time from which the certificate that expires first should be renewed. */
  readonly renewFrom: number
}

const DAY = 86_400
/** Renewal starts this long before the expiry: 30 days, or a third of the lifetime if that is shorter. */
const NOTICE = { seconds: 30 * DAY, share: 1 / 3 }

/** Returns the lifetime of the chain in a PEM text; `null` if the text contains no chain. */
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
