// Values about a person in a login: the values that the client expects, and the `sub`. These values are
// stored sealed.

import type { Config } from '../../config.ts'
import type { Login, LoginConditions, LoginSuccess } from '../document/login.ts'
import { openSecret, sealSecret } from '../request/generation-keys.ts'

const conditionsPlace = (verificationId: string) => ({ verificationId, place: 'login-conditions' })
const subjectPlace = (verificationId: string) => ({ verificationId, place: 'login-subject' })

/** Seals the conditions of a new login (the values that the client expects); null if there are none. */
export async function sealConditions(
  config: Config,
  verificationId: string,
  conditions: LoginConditions | null,
): Promise<string | null> {
  return conditions && sealSecret(config, conditionsPlace(verificationId), JSON.stringify(conditions))
}

/** Opens the conditions of a login; null if there are none. */
export async function openConditions(
  config: Config,
  verificationId: string,
  { sealed_conditions }: Pick<Login, 'sealed_conditions'>,
): Promise<LoginConditions | null> {
  if (sealed_conditions === null) return null
  const text = await openSecret(config, conditionsPlace(verificationId), sealed_conditions)
  return JSON.parse(text) as LoginConditions // sealed above
}

/** Seals the `sub` of a login. */
export function sealSubject(config: Config, verificationId: string, sub: string): Promise<string> {
  return sealSecret(config, subjectPlace(verificationId), sub)
}

/** Opens the `sub` of a login. */
export function openSubject(
  config: Config,
  verificationId: string,
  { sealed_sub }: Pick<LoginSuccess, 'sealed_sub'>,
): Promise<string> {
  return openSecret(config, subjectPlace(verificationId), sealed_sub)
}
