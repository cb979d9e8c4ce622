// What every format is given to issue a credential and present it at once.

import { IDENTITIES, type PrivateKey } from '../issuer/identities.ts'
import { changed, type Flaw } from './flaw.ts'
import type { Wanted } from './query.ts'
import type { WalletRequest } from './request.ts'

/** One credential, asked for by a request, and what is to be wrong with it. */
export type Presenting = {
  readonly wanted: Wanted
  readonly request: WalletRequest
  readonly flaw: Partial<Flaw>
  /** The key that the credential is bound to. */
  readonly holder: PrivateKey
  /** Whose key signs the proof; the holder's own, unless it is stolen. */
  readonly prover: PrivateKey
  /** Of the wallet, for the session of an mdoc in the drafts. */
  readonly mdocNonce: string
  /** Unix seconds. */
  readonly now: number
}

/** Who issues: certificates as they are sent, leaf first, and the key that signs. */
export function issuerOf({ flaw }: Presenting) {
  const { identity = 'good', signedBy = identity } = flaw
  return {
    chain: changed<readonly string[]>([IDENTITIES[identity].certificate], flaw.chain),
    key: IDENTITIES[signedBy].jwk,
  }
}

/** When the credential is good, in Unix seconds. */
export function validityOf({ flaw, now }: Presenting) {
  const { validFrom = -HOUR, validUntil = 30 * DAY } = flaw
  return { from: now + validFrom, until: now + validUntil }
}

const HOUR = 3600
const DAY = 24 * HOUR
