// `POST /v1/verify` (api/creation): from a validated body to a new session, and its response.

import { CREATE_LIMIT, type CreateRequest, createRequest, withPreset } from '../../api/requests.ts'
import type { CreatedVerification } from '../../api/responses/verifications.ts'
import { encodeBase64, encodeBase64url } from '../../codec/base64url.ts'
import { encodeHex, utf8 } from '../../codec/bytes.ts'
import { configOf } from '../../config.ts'
import { sha256 } from '../../crypto/digest.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { deriveKey } from '../../crypto/seal.ts'
import type { Env } from '../../env.ts'
import { REQUEST_BY_VALUE } from '../../limits.ts'
import { PROTOCOLS, queryLanguage } from '../../openid4vp/protocols/index.ts'
import type { Protocol } from '../../openid4vp/protocols/protocol.ts'
import type { Policy } from '../../policy/policy.ts'
import { renderQr } from '../../qr/render.ts'
import { QR_SIZE } from '../../qr/symbol.ts'
import { type Settings, STEP_EVENT_TYPES } from '../../relying-party/document/settings.ts'
import { verifierIdentity } from '../../relying-party/verifier/verifier-identity.ts'
import { err, ok, type Result } from '../../result.ts'
import { resumeAlarms } from '../../session/alarm/interrupted-alarms.ts'
import type { Creation } from '../../session/document/results.ts'
import type { StoredRequest } from '../../session/document/stored-request.ts'
import type { CreateInput } from '../../session/request/creation.ts'
import { originalOf } from '../../session/request/lowered-wallet.ts'
import { pageLanguageOf } from '../../session/views/page-language.ts'
import { walletResults } from '../../wallets/wallet-results.ts'
import { authenticate, type Caller } from '../edge/authenticate.ts'
import { messageOf } from '../edge/cloudflare.ts'
import type { AppContext } from '../edge/context.ts'
import { memberProblem, notAllowed, problem, type RequestError, unsatisfiable } from '../edge/problems.ts'
import { limitCreations } from '../edge/rate-limit.ts'
import { traceOf } from '../edge/trace.ts'
import { readJson } from '../edge/validate.ts'
import { requestOptions } from './request-options.ts'
import { requestedPolicy, withTexts } from './requested-policy.ts'
import { unregisteredClaims } from './requested-registration.ts'

import { requestedTransactions } from './requested-transactions.ts'
import { untrustedRequest } from './requested-trust.ts'
import { requestedWallet } from './requested-wallet.ts'

/** Handles the creation. */
export async function createSession(c: AppContext): Promise<Response> {
  const caller = await authenticate(c, 'verify:create')
  if (!caller.ok) return caller.error
  const limited = await limitCreations(c, caller.value.keyId)
  if (limited !== undefined) return limited
  const idempotencyKey = c.req.header('Idempotency-Key')
  if (idempotencyKey !== undefined && !/^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(idempotencyKey)) {
    const message = 'must be 1 to 255 printable ASCII characters'
    return memberProblem(c, { pointer: '/Idempotency-Key', code: 'invalid', message })
  }
  const sent = await readJson(c, createRequest, CREATE_LIMIT)
  if (!sent.ok) return sent.error
  const body = withPreset(sent.value)
  const forbidden = forbiddenMember(body, caller.value)
  const input = forbidden ? err(forbidden) : await prepareSession(c, body, caller.value.settings)
  const reject = ({ code, errors }: RequestError) => problem(c, code, { errors })
  const withQrCode = body.qr_code ?? true
  const send = (creation: Creation, findings: CreationFindings) =>
    sendCreation(c, creation, { ...findings, withQrCode })
  const { VERIFICATION_SESSION } = c.env
  if (idempotencyKey === undefined) {
    if (!input.ok) return reject(input.error)
    const session = VERIFICATION_SESSION.get(VERIFICATION_SESSION.newUniqueId())
    return send(await session.create({ ...input.value.creation, bodyDigest: null }), input.value.findings)
  }
  const name = await objectName(c.env, caller.value.settings.relying_party_id, idempotencyKey)
  const session = VERIFICATION_SESSION.getByName(name)
  const bodyDigest = encodeBase64url(await sha256(utf8(JSON.stringify(body))))
  if (input.ok) {
    return send(await session.create({ ...input.value.creation, bodyDigest }), input.value.findings)
  }
  // Today's settings may forbid what was accepted earlier.
  const earlier = await session.replay(bodyDigest)
  return earlier === null ? reject(input.error) : send(earlier, { warnings: [], wallets: [] })
}

type CreationFindings = Pick<CreatedVerification, 'warnings' | 'wallets'>

/** A checked creation, and what its response says about it. */
type Prepared = {
  readonly creation: Omit<CreateInput, 'bodyDigest'>
  readonly findings: CreationFindings
}

/** Checks everything that can be checked before an object exists, except what the caller may do. */
export async function prepareSession(
  c: AppContext,
  body: CreateRequest,
  settings: Settings,
): Promise<Result<Prepared, RequestError>> {
  const protocol = PROTOCOLS[body.protocol]
  const options = requestOptions(body.protocol, body.request_options, settings)
  if (!options.ok) return options
  const { response_mode, client_id_prefix: prefix } = options.value
  const supportsFormat = (format: string) => protocol.supportsFormat(format, response_mode)
  const policy = expressiblePolicy(body, settings, { protocol, supportsFormat })
  if (!policy.ok) {
    const encrypted = (format: string) => protocol.supportsFormat(format, ENCRYPTED)
    const isPossible = expressiblePolicy(body, settings, { protocol, supportsFormat: encrypted }).ok
    return err(isPossible ? NEEDS_ENCRYPTION : await withTexts(c.env.ASSETS, policy.error))
  }
  const untrusted = await untrustedRequest(c.env, body, settings, { policy: policy.value, protocol })
  if (untrusted !== undefined) return err(untrusted)
  const transactionData = requestedTransactions(body, settings, { policy: policy.value, protocol })
  if (!transactionData.ok) return err(await withTexts(c.env.ASSETS, transactionData.error))
  const overAsking = { assets: c.env.ASSETS, now: Date.now() }
  const warnings = await unregisteredClaims(body, settings, policy.value, overAsking)
  if (!warnings.ok) return warnings
  const now = Math.floor(Date.now() / 1000)
  const life = { now, expiresAt: now + body.expires_in }
  const verifier =
    prefix === null ? ok(null) : await verifierIdentity(configOf(c.env), settings, { prefix, ...life })
  if (!verifier.ok) {
    const message = await messageOf(c.env.ASSETS, verifier.error)
    return err(unsatisfiable({ pointer: PREFIX_POINTER, code: verifier.error, message }))
  }
  const identity = verifier.value
  const made = {
    ...(transactionData.value && { transaction_data: transactionData.value }),
    request_options: options.value,
  }
  const request = storedRequest(body, settings, made)
  const session = { policy: policy.value, livemode: settings.livemode, request }
  const requester = { config: configOf(c.env), settings, ...life }
  const wallet = await requestedWallet(body, session, requester)
  if (!wallet.ok) return wallet
  const creation = {
    relyingPartyId: settings.relying_party_id,
    ...session,
    request: { ...request, ...(wallet.value && { wallet: wallet.value.id }) },
    verifier: identity && { ...identity, clientId: protocol.writeClientId(identity.clientId) },
    ...(wallet.value && { wallet: wallet.value }),
    isIndexed: settings.index !== false,
    hasStepEvents: STEP_EVENT_TYPES.some((type) => settings.webhook?.events.includes(type)),
    retentionSeconds: settings.retention_seconds,
    trace: traceOf(c),
  }
  const wallets = walletResults(await originalOf(session, requester))
  return ok({ creation, findings: { warnings: warnings.value, wallets } })
}

const PREFIX_POINTER = '/request_options/client_id_prefix'

/** Returns the member that the settings or the scopes forbid. */
function forbiddenMember(body: CreateRequest, { settings, scopes }: Caller): RequestError | undefined {
  if (body.return_url !== undefined && !settings.return_urls.includes(body.return_url)) {
    return notAllowed('invalid_request', '/return_url', "must be one of the relying party's return_urls")
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

const ENCRYPTED = 'direct_post.jwt'

/** The drafts request `mso_mdoc` with an encrypted response only. */
const NEEDS_ENCRYPTION = unsatisfiable({
  pointer: '/request_options/response_mode',
  code: 'not_in_response_mode',
  message: `must be \`${ENCRYPTED}\`: with this protocol, \`mso_mdoc\` is requested with an encrypted response only`,
})

/** Builds the policy of a request that the protocol can express. */
function expressiblePolicy(
  body: CreateRequest,
  settings: Settings,
  {
    protocol,
    supportsFormat,
  }: { readonly protocol: Protocol; readonly supportsFormat: (format: string) => boolean },
): Result<Policy, RequestError> {
  const policy = requestedPolicy(body, settings, supportsFormat)
  if (!policy.ok || canExpress(protocol, policy.value, supportsFormat)) return policy
  const message = 'cannot express the requested query: choose `openid4vp-1.0`'
  return err(unsatisfiable({ pointer: '/protocol', code: 'not_in_protocol', message }))
}

/** True where the protocol can express the query. A relying party's own query may go beyond it. */
function canExpress(
  protocol: Protocol,
  policy: Policy,
  supportsFormat: (format: string) => boolean,
): boolean {
  const { query } = policy
  return (
    query.credentials.every(({ format }) => supportsFormat(format)) &&
    protocol.canExpress(query, queryLanguage(protocol, policy))
  )
}

function storedRequest(
  body: CreateRequest,
  settings: Settings,
  made: Pick<StoredRequest, 'transaction_data' | 'request_options'>,
): StoredRequest {
  const {
    request_options: _,
    return_url,
    locale,
    retry_of,
    claims_encryption_jwk,
    dcql_query,
    transaction_data: __,
    qr_code: ___,
    wallet: ____,
    ...rest
  } = body
  const query =
    dcql_query === undefined
      ? { credential_match: body.credential_match, formats: body.formats ?? settings.formats }
      : { credential_match: null, formats: null, dcql_query }
  return {
    ...rest,
    credential_types: body.credential_types ?? null,
    scope: body.scope ?? null,
    ...query,
    ...made,
    return_url: return_url ?? null,
    locale: locale ?? null,
    retry_of: retry_of ?? null,
    claims_encryption_jwk: claims_encryption_jwk ?? settings.claims_encryption_jwk,
  }
}

/** Returns the object name of an `Idempotency-Key`. It is keyed, so that it cannot be guessed. */
async function objectName(env: Env, relyingPartyId: string, idempotencyKey: string): Promise<string> {
  const key = await deriveKey(configOf(env).serverSecret, 'idempotency')
  return encodeHex(await hmacSha256(key, utf8(`${relyingPartyId}\0${idempotencyKey}`)))
}

/** Members of the response beside the session. */
type Beside = CreationFindings & { readonly withQrCode: boolean }

function sendCreation(c: AppContext, creation: Creation, { withQrCode, ...findings }: Beside): Response {
  if (!creation.ok) {
    if (creation.error === 'conflict') return problem(c, 'idempotency_conflict')
    if (creation.error === 'erased') return problem(c, 'verification_ended')
    const message = `must not be \`redirect_uri\` for this request: passed by value, it is longer than ${REQUEST_BY_VALUE.bytes} bytes`
    const { code, errors } = unsatisfiable({ pointer: PREFIX_POINTER, code: 'too_long', message })
    return problem(c, code, { errors })
  }
  // This creation has just been written.
  resumeAlarms(c.env, Date.now())
  const { session, replayed } = creation.value
  const { verification_id, status, session_url, ...rest } = session
  const body: Omit<CreatedVerification, 'wallet_request'> & Pick<typeof session, 'wallet_request'> = {
    verification_id,
    status,
    session_url,
    qr_code: withQrCode && rest.wallet_request !== null ? drawInline(rest.wallet_request.uri) : null,
    deep_link: `${configOf(c.env).serviceScheme}://verify/${verification_id}`,
    ...rest,
    locale: pageLanguageOf(rest.locale),
    ...findings,
  }
  const headers = replayed ? { 'Idempotent-Replayed': 'true' } : {}
  return c.json(body, 201, {
    'Cache-Control': 'no-store',
    Location: `/v1/verify/${verification_id}`,
    ...headers,
  })
}

/** Returns the picture as text, without the `data:` scheme in front. */
function drawInline(uri: string): string {
  const picture = renderQr(uri, { size: QR_SIZE.standard, type: 'image/png' })
  if (!picture.ok) throw new Error('a wallet request does not fit a QR')
  return `image/png;base64,${encodeBase64(picture.value)}`
}
