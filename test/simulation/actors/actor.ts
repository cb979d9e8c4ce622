// An actor behaves as callers do who may call again, call late, or never come back.

import type { Session, World } from '../world.ts'

export type Actor = {
  readonly name: string
  /** Acts on one session until it has nothing to do, or the world is not active. */
  readonly act: (world: World, session: Session) => Promise<void>
}
