// Objects that all parts of one session use.

import type { Env } from '../../env.ts'
import type { ResponseResult } from '../document/results.ts'
import type { SessionStore } from './store.ts'

/** Objects that the functions of one session need. */
export type SessionContext = {
  readonly store: SessionStore
  readonly env: Env
  /** Responses that are being verified, by the digest of their body. */
  readonly inFlight: Map<string, { readonly arrivedAt: number; readonly result: Promise<ResponseResult> }>
  /**
   * Running calls that send step events to the relying party's event log, one after the other. The promise
   * resolves to false if the log is unreachable.
   */
  stepCalls?: Promise<boolean> | undefined
  /** Revision of the list entry that was sent last. */
  sentRevision?: number
}
