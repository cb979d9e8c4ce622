// Actor, channel and address of a call, as the audit log stores them.

/**
 * The party that made a call: an API key (or an access token of the key), the operator, or a person who
 * signed in to the console by OpenID Connect. `subject`: `sub` of the person's ID token. `name` of the
 * operator: the name that they sent, which is not proven.
 */
export type Actor =
  | { readonly kind: 'api_key'; readonly key_id: string; readonly name: string | null }
  | {
      readonly kind: 'person'
      readonly subject: string
      readonly name: string | null
      readonly email: string | null
    }
  | { readonly kind: 'operator'; readonly name: string | null }

/** Every kind of actor. */
export const ACTOR_KINDS = ['api_key', 'person', 'operator'] as const satisfies readonly Actor['kind'][]

/** Channels of a call: the API with a token of the relying party, the console, or the operator's API. */
export const CHANNELS = ['api', 'console', 'admin'] as const

/**
 * Origin of a change. `actor`: null if the actor is not proven. `address`: network address of the caller;
 * null if unknown.
 */
export type Origin = {
  readonly actor: Actor | null
  readonly channel: (typeof CHANNELS)[number] | null
  readonly address: string | null
}

/** Origin of a call that does not name its origin, such as a call of an older version during an update. */
export const UNKNOWN_ORIGIN: Origin = { actor: null, channel: null, address: null }
