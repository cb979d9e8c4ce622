// `POST /v1/verify` (api/creation): from a request to a new session.

import { CREATE_LIMIT, type CreateRequest, createRequest, withPreset } from '../../../api/requests.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { err } from '../../../result.ts'
import { hasPlaceholder, placeholderError } from '../../../session/end/return-address.ts'
import { authenticate, type Caller } from '../../edge/authenticate.ts'
import type { AppContext } from '../../edge/context.ts'
import { memberProblem, notAllowed, problem, type RequestError } from '../../edge/problems.ts'
import { limitCreations } from '../../edge/rate-limit.ts'
import { readJson } from '../../edge/validate.ts'
import { creationFindings } from './creation-findings.ts'
import { digestBody, idempotencyKeyError, sessionOfCreation } from './idempotency.ts'
import { prepareSession } from './prepare-session.ts'
import { sendCreation } from './send-creation.ts'

/** Handles the create request. */
export async function createSession(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:create')
  if (!caller.ok) return caller.error
  const { settings, keyId } = caller.value
  const limited = await limitCreations(c, keyId ?? settings.relying_party_id)
  if (limited !== undefined) return limited
  const key = c.req.header('Idempotency-Key')
  const keyError = idempotencyKeyError(key)
  if (keyError !== undefined) return memberProblem(c, keyError)
  const request = await readJson(c, createRequest, CREATE_LIMIT)
  if (!request.ok) return request.error
  const body = withPreset(request.value)
  const forbidden = forbiddenMember(body, caller.value)
  const prepared = forbidden ? err(forbidden) : await prepareSession(c, body, settings)
  const given = key === undefined ? undefined : { key, bodyDigest: await digestBody(body) }
  const session = await sessionOfCreation(c.env, settings.relying_party_id, given)
  const bodyDigest = given?.bodyDigest ?? null
  const withQrCode = body.qr_code ?? true
  if (prepared.ok) {
    const findings = await creationFindings(c.env.ASSETS, body, prepared.value)
    const created = await session.create({ ...prepared.value.creation, bodyDigest })
    return sendCreation(c, created, { ...findings, withQrCode })
  }
  // The present settings may forbid a request that was accepted earlier. A repetition of that request still
  // gets its session.
  const earlier = bodyDigest === null ? null : await session.replay(bodyDigest)
  if (earlier !== null) return sendCreation(c, earlier, { warnings: [], wallets: [], withQrCode })
  return problem(c, prepared.error.code, { errors: prepared.error.errors })
}

/** Returns the first error in the members about return addresses; `undefined` if there is none. */
function returnUrlError(body: CreateRequest, { return_urls }: Settings): RequestError | undefined {
  for (const name of ['return_url', 'failure_return_url'] as const) {
    const address = body[name]
    if (address === undefined) continue
    if (!return_urls.includes(address)) {
      return notAllowed('invalid_request', `/${name}`, "must be one of the relying party's return_urls")
    }
    const message = placeholderError(address)
    if (message !== undefined) return notAllowed('policy_unsatisfiable', `/${name}`, message)
  }
  for (const name of ['return_automatically', 'failure_return_url'] as const) {
    if (body[name] && body.return_url === undefined) {
      return notAllowed('invalid_request', `/${name}`, 'requires a return_url')
    }
  }
  return undefined
}

/** Returns the error of a member that the settings or the scopes forbid; `undefined` if there is none. */
function forbiddenMember(body: CreateRequest, { settings, scopes }: Caller): RequestError | undefined {
  const returnError = returnUrlError(body, settings)
  if (returnError !== undefined) return returnError
  const { alternative_url } = body
  const alternatives = [...settings.return_urls, settings.alternative_url]
  if (alternative_url !== undefined && !alternatives.includes(alternative_url)) {
    const message = 'must be one of the return_urls, or the alternative_url, of the relying party'
    return notAllowed('invalid_request', '/alternative_url', message)
  }
  if (alternative_url !== undefined && hasPlaceholder(alternative_url)) {
    const message = 'must have no placeholder: the page links to it before the end'
    return notAllowed('policy_unsatisfiable', '/alternative_url', message)
  }
  if (body.required_session_binding === 'relying_party' && body.return_url === undefined) {
    const message = 'requires a return_url: only that sends the browser to the relying party'
    return notAllowed('policy_unsatisfiable', '/required_session_binding', message)
  }
  const overrides = body.claims_encryption_jwk !== undefined && settings.claims_encryption_jwk !== null
  if (overrides && !scopes.includes('claims:encrypt')) {
    const message =
      'must be absent, or the token must have the scope claims:encrypt: it would replace the key of the settings'
    return notAllowed('insufficient_scope', '/claims_encryption_jwk', message)
  }
  return undefined
}
