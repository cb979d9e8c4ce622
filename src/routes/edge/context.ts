// Types of the context that every handler of the HTTP edge gets.

import type { Context } from 'hono'
import type { Trace } from '../../codec/traceparent.ts'
import type { Env } from '../../env.ts'
import type { Actor } from '../../relying-party/audit/actor.ts'

/** Hono's generics for this service: the bindings, and the variables that the edge middleware sets. */
export type AppEnv = {
  readonly Bindings: Env
  readonly Variables: {
    readonly requestId: string
    readonly trace?: Trace
    /** The caller that was authenticated. The operator has no `relyingPartyId`. */
    readonly caller?: { readonly actor: Actor; readonly relyingPartyId?: string }
    /** Id of the session that this request has created for a login. */
    readonly begunLogin?: string
    /**
     * True if the response brings an error to an OpenID Connect client, although its status is 200 or 303.
     */
    readonly sendsError?: true
  }
}

export type AppContext = Context<AppEnv>
