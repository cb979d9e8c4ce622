// Input of an evaluation, and the anchors that the evaluation accepts (api/trust).

import type { Config } from '../../config.ts'
import { BUILT_IN_TYPES } from '../../policy/built-in-types.ts'
import type { Settings } from '../../relying-party/document/settings.ts'
import type { SubscribedAnchors } from '../../relying-party/trust-lists/trust-lists.ts'
import type { TrustAnchor } from '../../trust/anchors/anchor.ts'
import { sandboxAnchors } from '../../trust/anchors/sandbox-anchor.ts'
import type { SessionDocument } from '../document/document.ts'
import type { Network } from './network.ts'

/** Input of an evaluation. */
export type EvaluationInput = {
  readonly document: SessionDocument
  readonly settings: Settings
  readonly config: Config
  readonly network: Network
  /**
   * Anchors of the trust lists that the relying party subscribes to. If the create request has `anchor_sets`,
   * only the lists that are named there are used.
   */
  readonly subscribed: SubscribedAnchors
  /**
   * True in test mode if the deployment has a sandbox. The sandbox issuer is then accepted and added to the
   * anchors.
   */
  readonly sandboxed: boolean
  /** Arrival of the response, in Unix milliseconds. */
  readonly arrivedAt: number
}

/**
 * Returns the anchors of the relying party, of its subscribed lists, and of the sandbox if the sandbox is
 * accepted. The sandbox belongs to every set.
 */
export function collectAnchors(input: EvaluationInput): readonly TrustAnchor[] {
  const { settings, subscribed, sandboxed, document } = input
  const anchors = [...settings.trust_anchors, ...subscribed.anchors]
  if (!sandboxed) return anchors
  const { anchor_sets: sets = [] } = document.request
  return [...anchors, ...sandboxAnchors(BUILT_IN_NAMES, anchors).map((anchor) => ({ ...anchor, sets }))]
}

const BUILT_IN_NAMES = BUILT_IN_TYPES.map(({ name }) => name)
