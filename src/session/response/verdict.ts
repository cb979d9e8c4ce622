// What one answer comes to, and what it is judged by (CONTRACT 4).

import type { Config } from '../../config.ts'
import type { CredentialFormat, Handover } from '../../formats/format.ts'
import type { ResponseRefusal } from '../../openid4vp/response/refusal.ts'
import type { PresentationGroup } from '../../openid4vp/response/vp-token.ts'
import type { Decision, PolicyReason } from '../../policy/policy.ts'
import type { Settings } from '../../relying-party/settings/settings.ts'
import type { Subscribed } from '../../relying-party/trust-lists/trust-lists.ts'
import type { SessionDocument, TraceEntry } from '../document.ts'
import type { StoredGeneration } from '../request/generations.ts'
import type { Network } from './network.ts'

/** Why an answer is not heard. */
export type RefusalReason = ResponseRefusal['reason'] | PolicyReason | 'trust_list_unavailable'

/** What an answer comes to. */
export type Verdict =
  /** Authentic: it ends the session. */
  | {
      readonly kind: 'decided'
      readonly decision: Decision
      readonly trace: readonly TraceEntry[]
      readonly generation: StoredGeneration
    }
  /** `access_denied` by a wallet that holds the `state` of a live, fetched request: it ends the session. */
  | { readonly kind: 'declined'; readonly generation: StoredGeneration }
  /** The wallet reported an error of its own: processed, and noted as an attempt. */
  | { readonly kind: 'wallet_error'; readonly generation: StoredGeneration }
  /** Not authentic, or not an answer: noted as an attempt. */
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      readonly generation: StoredGeneration | null
    }

/** What an answer is judged by. */
export type Judgement = {
  readonly document: SessionDocument
  readonly settings: Settings
  readonly config: Config
  readonly network: Network
  /** The anchors of the lists that the relying party subscribes to. */
  readonly subscribed: Subscribed
  /** Whether the sandbox issuer vouches, too: in test mode, where there is a sandbox. */
  readonly sandboxed: boolean
  /** Unix milliseconds at which the answer arrived. */
  readonly arrivedAt: number
}

/** What an answer presents, not verified yet, and what it must be bound to. All of it but the presentations is ours. */
export type Presented = {
  readonly groups: readonly PresentationGroup[]
  /** The request it answers. */
  readonly generation: StoredGeneration
  readonly audience: string
  readonly handover: Handover
  /** Credential formats that are read otherwise than by the registry. */
  readonly formats: Readonly<Record<string, CredentialFormat>>
}

/** An answer that is not heard. */
export function refused(reason: RefusalReason, generation: StoredGeneration | null): Verdict {
  return { kind: 'refused', reason, generation }
}
