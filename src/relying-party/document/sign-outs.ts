// Sign-ins of the console that a sign-out ended. They are one row in the relying party's object, or, for the
// operator, in the directory.

const KEY = 'console_sign_outs'

/** Limit of ended sign-ins in one row. A sign-out beyond the limit ends every sign-in of the owner. */
const MAXIMUM_SIGN_OUTS = 1_000

/** A sign-in of the console. `id` is random. Times are Unix milliseconds. */
export type SignIn = {
  readonly id: string
  readonly signed_in_at: number
  readonly expires_at: number
}

/** The row. Times are Unix milliseconds. */
export type SignOuts = {
  /** Each sign-in up to this time has ended. 0: the limit was never exceeded. */
  readonly all_until: number
  /** Expiry of each later sign-in that has ended, by the id of the sign-in. */
  readonly ended: Readonly<Record<string, number>>
}

/** Returns the operations on the row. */
export function openSignOuts({ kv }: Pick<DurableObjectStorage, 'kv'>) {
  const read = (): SignOuts => kv.get<SignOuts>(KEY) ?? { all_until: 0, ended: {} }
  return {
    read,
    /** Ends a sign-in, and removes ended sign-ins that have expired. `now` is Unix milliseconds. */
    end: (signIn: SignIn, now: number): void => {
      const { all_until, ended } = read()
      if (hasSignedOut({ all_until, ended }, signIn)) return
      const kept = Object.entries(ended).filter(([, expiry]) => expiry > now)
      const next: SignOuts =
        kept.length < MAXIMUM_SIGN_OUTS
          ? { all_until, ended: { ...Object.fromEntries(kept), [signIn.id]: signIn.expires_at } }
          : { all_until: now, ended: {} }
      kv.put(KEY, next)
    },
  }
}

/** Returns true if a sign-out ended this sign-in. */
export function hasSignedOut({ all_until, ended }: SignOuts, { id, signed_in_at }: SignIn): boolean {
  return signed_in_at <= all_until || Object.hasOwn(ended, id)
}
