// Types of the context that every handler of the HTTP edge gets.

import type { Context } from 'hono'
import type { Trace } from '../../codec/traceparent.ts'
import type { Env } from '../../env.ts'

/** Hono's generics for this service: the bindings, and the variables that the edge middleware sets. */
export type AppEnv = {
  readonly Bindings: Env
  readonly Variables: {
    readonly requestId: string
    readonly trace?: Trace
    /** Id of the session that this request has created for a login. */
    readonly begunLogin?: string
  }
}

export type AppContext = Context<AppEnv>
