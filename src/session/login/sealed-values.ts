// Values of a person in a login: those that the client expects, and the `sub`. Storage has them sealed.

import type { Config } from '../../config.ts'
import { openSecret, sealSecret } from '../request/generation-keys.ts'
import type { Login, LoginConditions, LoginSuccess } from './login.ts'

const NO_CONDITIONS: LoginConditions = { sub: null, id_token: [], userinfo: [] }

/** Seals the conditions of a new login; null where there are none. */
export async function sealConditions(
  config: Config,
  verificationId: string,
  conditions: LoginConditions,
): Promise<string | null> {
  const { sub, id_token, userinfo } = conditions
  if (sub === null && id_token.length === 0 && userinfo.length === 0) return null
  return sealSecret(config, { verificationId, place: 'login-conditions' }, JSON.stringify(conditions))
}

/** Opens the conditions of a login. */
export async function openConditions(
  config: Config,
  verificationId: string,
  { sealed_conditions: sealed }: Pick<Login, 'sealed_conditions'>,
): Promise<LoginConditions> {
  if (sealed === null) return NO_CONDITIONS
  const text = await openSecret(config, { verificationId, place: 'login-conditions' }, sealed)
  return JSON.parse(text) as LoginConditions // sealed above
}

/** Seals the `sub` of a login. */
export function sealSubject(config: Config, verificationId: string, sub: string): Promise<string> {
  return sealSecret(config, { verificationId, place: 'login-subject' }, sub)
}

/** Opens the `sub` of a login. */
export function openSubject(
  config: Config,
  verificationId: string,
  { sealed_sub }: Pick<LoginSuccess, 'sealed_sub'>,
): Promise<string> {
  return openSecret(config, { verificationId, place: 'login-subject' }, sealed_sub)
}
