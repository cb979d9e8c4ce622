// Input of each format to issue a credential and present it at once.

import { IDENTITIES, type PrivateKey } from '../issuer/identities.ts'
import { apply, type Mistake } from './mistake.ts'
import type { RequestedCredential } from './query.ts'
import type { WalletRequest } from './request.ts'

/** One requested credential, the request, and the mistake to make. */
export type PresentationContext = {
  readonly requested: RequestedCredential
  readonly request: WalletRequest
  readonly mistake: Partial<Mistake>
  /** Key that the credential is bound to. */
  readonly holderKey: PrivateKey
  /** Key that signs the proof of possession: the holder's key, or another key to make a mistake. */
  readonly proofKey: PrivateKey
  /** Nonce of the wallet for the session transcript of an mdoc in the drafts. */
  readonly mdocNonce: string
  /** Unix seconds. */
  readonly now: number
}

/**
 * Certificates as sent, leaf first, the signing key of the issuer, and the validity period in Unix seconds.
 */
export function issuanceOf({ mistake, now }: PresentationContext) {
  const { identity = 'good', signedBy = identity, validFrom = -HOUR, validUntil = 30 * DAY } = mistake
  return {
    chain: apply<readonly string[]>([IDENTITIES[identity].certificate], mistake.chain),
    key: IDENTITIES[signedBy].jwk,
    from: now + validFrom,
    until: now + validUntil,
  }
}

const HOUR = 3600
const DAY = 24 * HOUR
