// Cache of the console's sign-outs in the isolate's memory. A copy is at most 60 s old.

import type { Env } from '../env.ts'
import { err, ok, type Result } from '../result.ts'
import type { Origin } from './audit/actor.ts'
import { directoryStub } from './directory.ts'
import { relyingPartyStub } from './document/identifier.ts'
import { createObjectCache } from './document/object-cache.ts'
import { hasSignedOut, type SignIn, type SignOuts } from './document/sign-outs.ts'

const cache = createObjectCache<SignOuts, never>(500)

/** The operator as the owner of a sign-in. Each other owner is a `relying_party_id`. */
export const OPERATOR = 'operator'

/**
 * Returns true if `endSignIn` ended this sign-in. The isolate that ran `endSignIn` knows this at once, other
 * isolates know it within 60 s. `now` is Unix milliseconds. After `unavailable`, another try may succeed.
 */
export async function hasEnded(
  env: Env,
  owner: string,
  signIn: SignIn,
  now: number,
): Promise<Result<boolean, 'unavailable'>> {
  const signOuts = await cache.get(owner, now, () => ownerStub(env, owner)?.signOuts())
  if (signOuts === undefined) return ok(true) // this service did not issue the id of the relying party
  return signOuts.ok ? ok(hasSignedOut(signOuts.value, signIn)) : err('unavailable')
}

/**
 * Ends a sign-in of `owner`, which is the operator or a relying party. `now` is Unix milliseconds. `by`: who
 * signs out. Throws if the object of the owner cannot be reached.
 */
export async function endSignIn(
  env: Env,
  owner: string,
  signIn: SignIn,
  { now, by }: { readonly now: number; readonly by: Origin },
): Promise<void> {
  const { id, signed_in_at, expires_at } = signIn
  try {
    await ownerStub(env, owner)?.endSignIn({ id, signed_in_at, expires_at }, now, by)
  } finally {
    cache.forget(owner)
  }
}

function ownerStub(env: Env, owner: string) {
  return owner === OPERATOR ? directoryStub(env) : relyingPartyStub(env, owner)
}
