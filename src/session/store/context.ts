// Dependencies that the parts of one session share.

import type { Env } from '../../env.ts'
import type { ResponseResult } from '../document/results.ts'
import type { SessionStore } from './store.ts'

/** Dependencies of response processing. */
export type SessionContext = {
  readonly store: SessionStore
  readonly env: Env
  /** Responses in verification, by the digest of their body. */
  readonly inFlight: Map<string, { readonly arrivedAt: number; readonly result: Promise<ResponseResult> }>
  /**
   * The running calls that send step events to the log, one after the other. They return false if the log is
   * unreachable.
   */
  stepCalls?: Promise<boolean> | undefined
}
