// The verification of a login (api/logins).

import { loadConfig } from '../../../config.ts'
import type { OidcClient } from '../../../relying-party/oidc/client.ts'
import { err, ok, type Result } from '../../../result.ts'
import { resumeAlarms } from '../../../session/alarm/interrupted-alarms.ts'
import { toVerificationId } from '../../../session/store/identifier.ts'
import { sealConditions } from '../../../session/tokens/sealed-values.ts'
import type { AppContext } from '../../edge/context.ts'
import { canReachLevel } from '../../verifications/creation/requested-trust.ts'
import { essentialLevel, type ParsedRequest } from '../authorization-request.ts'
import { preparePolicy } from '../clients/client-policies.ts'
import { newBrowserSecret, setLoginCookie } from '../codes.ts'
import type { Issuer } from '../issuer.ts'
import type { RequestError } from '../responses.ts'

/** Creates the verification. Returns the address of its page. */
export async function createLogin(
  c: AppContext,
  issuer: Issuer,
  client: OidcClient,
  { policy, login, conditions, locale }: ParsedRequest,
): Promise<Result<string, RequestError>> {
  const { VERIFICATION_SESSION } = c.env
  const id = VERIFICATION_SESSION.newUniqueId()
  const verificationId = toVerificationId(id)
  const prepared = await preparePolicy(c, client, policy, {
    settings: issuer.settings,
    return_url: `${issuer.url}/finish/${verificationId}`,
    ...(locale !== undefined && { locale }),
  })
  // The settings may have changed after the client was registered, so that its policy allows no session.
  if (!prepared.ok) return err('policy_unsatisfiable')
  const level = essentialLevel(login.wanted_acr)
  const canReach = level === undefined || (await canReachLevel(c.env, level, issuer.settings, prepared.value))
  if (!canReach) return err('acr')
  const { secret, browser, code } = await newBrowserSecret()
  const sealed_conditions = await sealConditions(loadConfig(c.env), verificationId, conditions)
  const created = await VERIFICATION_SESSION.get(id).create({
    ...prepared.value,
    bodyDigest: null,
    login: { ...login, browser, code, sealed_conditions, result: null, redeemed: null },
  })
  if (!created.ok) return err('policy_unsatisfiable')
  resumeAlarms(c.env, Date.now())
  setLoginCookie(c, verificationId, secret)
  return ok(created.value.session.session_url)
}
