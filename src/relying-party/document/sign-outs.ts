// Sign-ins of the console that a sign-out ended. These sign-ins are stored in one row: in the relying party's
// object, or for the operator in the directory.

const KEY = 'console_sign_outs'

/**
 * Limit of ended sign-ins in one row. A sign-out beyond the limit ends every sign-in of the relying party, or
 * of the operator.
 */
const MAXIMUM_SIGN_OUTS = 1_000

/** A sign-in of the console. `id` is random. Times are Unix milliseconds. */
export type SignIn = {
  readonly id: string
  readonly signed_in_at: number
  readonly expires_at: number
}

/** The row of ended sign-ins. Times are Unix milliseconds. */
export type SignOuts = {
  /** Each sign-in that began up to this time has ended. 0: `MAXIMUM_SIGN_OUTS` was never exceeded. */
  readonly all_until: number
  /** Each ended sign-in that began after `all_until`: its id, and the time at which it would expire. */
  readonly ended: Readonly<Record<string, number>>
}

/** Returns functions that read and change the row of ended sign-ins. */
export function openSignOuts({ kv }: Pick<DurableObjectStorage, 'kv'>) {
  const read = (): SignOuts => kv.get<SignOuts>(KEY) ?? { all_until: 0, ended: {} }
  return {
    read,
    /**
     * Ends a sign-in, and removes ended sign-ins that have expired. `now` is Unix milliseconds. Returns false
     * if the sign-in has ended before.
     */
    end: (signIn: SignIn, now: number): boolean => {
      const { all_until, ended } = read()
      if (hasSignedOut({ all_until, ended }, signIn)) return false
      const kept = Object.entries(ended).filter(([, expiry]) => expiry > now)
      const next: SignOuts =
        kept.length < MAXIMUM_SIGN_OUTS
          ? { all_until, ended: { ...Object.fromEntries(kept), [signIn.id]: signIn.expires_at } }
          : { all_until: now, ended: {} }
      kv.put(KEY, next)
      return true
    },
  }
}

/** Returns true if a sign-out ended this sign-in. */
export function hasSignedOut({ all_until, ended }: SignOuts, { id, signed_in_at }: SignIn): boolean {
  return signed_in_at <= all_until || Object.hasOwn(ended, id)
}
