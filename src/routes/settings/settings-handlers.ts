// Handlers for one relying party's settings, keys and webhook. The routes that use these handlers check the
// access: the operator's routes (admin.ts), and the relying party's own routes (own-settings.ts).

import type {
  ApiKey,
  ApiKeyList,
  CreatedApiKey,
  RelyingParty,
  RotatedSecret,
  WebhookTest,
} from '../../api/responses/settings.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import { loadConfig } from '../../config.ts'
import type { Env } from '../../env.ts'
import { directoryStub } from '../../relying-party/directory.ts'
import { relyingPartyStub } from '../../relying-party/document/identifier.ts'
import type { ApiKeyGrant } from '../../relying-party/document/settings.ts'
import { SCOPES, type SettingsPatch, type SettingsView } from '../../relying-party/document/settings.ts'
import { isStaleSignIn } from '../../relying-party/people/console-calls.ts'
import { updateRelyingParty } from '../../relying-party/registry.ts'
import { addedTypeToWire } from '../../relying-party/settings/added-types.ts'
import { forgetSettings } from '../../relying-party/settings/settings-cache.ts'
import {
  apiKeyGrantSchema,
  patchSchema,
  SETTINGS_LIMIT,
  type SettingsRules,
} from '../../relying-party/settings/settings-schema.ts'
import { keepIssues } from '../../relying-party/trust-lists/trust-lists.ts'
import { readOrigin } from '../audit/origin.ts'
import { readMessage } from '../edge/cloudflare.ts'
import type { AppContext } from '../edge/context.ts'
import { notAllowed, problem } from '../edge/problems.ts'
import { sendJsonText } from '../edge/session-view.ts'
import { readJson } from '../edge/validate.ts'
import { settingsWarnings } from './settings-warnings.ts'
import { googleWalletToWire, verifierToWire } from './verifier-to-wire.ts'

/** GET: sends the settings, without secrets. */
export async function showSettings(c: AppContext, relyingPartyId: string): Promise<Response> {
  const view = await relyingPartyStub(c.env, relyingPartyId)?.view()
  return view?.ok ? sendJson(c, await settingsToWire(c.env, view.value)) : problem(c, 'not_found')
}

/**
 * PATCH: replaces the members that are sent. `refuse` returns a response if the caller may not change these
 * members.
 */
export async function changeSettings(
  c: AppContext,
  relyingPartyId: string,
  refuse: (patch: SettingsPatch) => Response | undefined = () => undefined,
): Promise<Response> {
  const view = await relyingPartyStub(c.env, relyingPartyId)?.view()
  if (!view?.ok) return problem(c, 'not_found')
  const patch = await readJson(c, patchSchema(await loadRules(c), view.value), SETTINGS_LIMIT)
  if (!patch.ok) return patch.error
  const refused = refuse(patch.value) ?? refuseTimeStamp(c, patch.value)
  if (refused !== undefined) return refused
  if (SECRET_MEMBERS.some((name) => name in patch.value) && isStaleSignIn(c.req.raw, Date.now()))
    return problem(c, 'fresh_sign_in_required')
  const updated = await updateRelyingParty(c.env, relyingPartyId, patch.value, readOrigin(c))
  if (updated.ok) {
    keepLists(c, updated.value)
    return sendJson(c, await settingsToWire(c.env, updated.value))
  }
  if (updated.error === 'not_found') return problem(c, 'not_found')
  const { code, errors } = notAllowed('invalid_request', '/verifier', KEY_MISSING)
  return problem(c, code, { errors })
}

const KEY_MISSING =
  'must have each signing_jwk: another change has removed a certificate. Read the settings again'

/**
 * Returns the problem of settings that request time stamps, if the operator has configured no time-stamping
 * authority.
 */
export function refuseTimeStamp(c: AppContext, { evidence }: Pick<SettingsPatch, 'evidence'>) {
  const isWanted = (evidence?.time_stamp ?? 'none') !== 'none'
  if (!isWanted || loadConfig(c.env).timeStamping !== null) return undefined
  const message = 'must be `none`: the operator has named no time-stamping authority'
  const { code, errors } = notAllowed('time_stamp_not_configured', '/evidence/time_stamp', message)
  return problem(c, code, { errors })
}

/** Starts to store the lists of a relying party with evidence, so that its first evidence can name them. */
export function keepLists(c: AppContext, { evidence, anchor_sets }: SettingsView): void {
  if (evidence) keepIssues(c.env, { anchor_sets }, Date.now())
}

/** Members with keys, secrets, or the sign-in of people. The console needs a fresh sign-in to change them. */
const SECRET_MEMBERS = ['console_sign_in', 'verifier', 'claims_encryption_jwk', 'evidence'] as const

/** GET: sends the list of API keys, without the keys themselves. */
export async function listApiKeys(c: AppContext, relyingPartyId: string): Promise<Response> {
  const view = await relyingPartyStub(c.env, relyingPartyId)?.view()
  return view?.ok
    ? sendJson<ApiKeyList>(c, { api_keys: view.value.api_keys.map(apiKeyToWire) })
    : problem(c, 'not_found')
}

/**
 * POST: creates an API key, which only this response contains. `ceiling` limits the key's scopes and expiry,
 * and is the default of both.
 */
export async function createApiKey(
  c: AppContext,
  relyingPartyId: string,
  ceiling: ApiKeyGrant = { scopes: SCOPES, expires_at: null },
): Promise<Response> {
  if (isStaleSignIn(c.req.raw, Date.now())) return problem(c, 'fresh_sign_in_required')
  const grant = await readJson(c, apiKeyGrantSchema(Date.now(), ceiling), SMALL_LIMIT)
  if (!grant.ok) return grant.error
  if (!grant.value.scopes.every((scope) => ceiling.scopes.includes(scope))) {
    const message = 'must not go beyond the scopes of the calling token'
    const { code, errors } = notAllowed('insufficient_scope', '/scopes', message)
    return problem(c, code, { errors })
  }
  const created = await relyingPartyStub(c.env, relyingPartyId)?.createApiKey(grant.value, readOrigin(c))
  if (created === undefined) return problem(c, 'not_found')
  if (!created.ok && created.error === 'too_many_keys') {
    return problem(c, 'invalid_request', {
      detail: await readMessage(c.env.ASSETS, 'api_keys_full'),
    })
  }
  if (!created.ok) return problem(c, 'not_found')
  forgetSettings(relyingPartyId)
  return sendJson<CreatedApiKey>(
    c,
    { api_key: created.value.api_key, ...apiKeyToWire(created.value.record) },
    201,
  )
}

/** DELETE: deletes an API key, which stops working within 60 s. */
export async function deleteApiKey(c: AppContext, relyingPartyId: string, keyId: string): Promise<Response> {
  if (isStaleSignIn(c.req.raw, Date.now())) return problem(c, 'fresh_sign_in_required')
  const deleted = await relyingPartyStub(c.env, relyingPartyId)?.deleteApiKey(keyId, readOrigin(c))
  if (deleted !== true) return problem(c, 'not_found')
  forgetSettings(relyingPartyId)
  return new Response(null, { status: 204 })
}

/**
 * POST: creates a new webhook secret, which only this response contains. Until `previous_secret_expires_at`,
 * webhooks are also signed with the old secret.
 */
export async function rotateWebhookSecret(c: AppContext, relyingPartyId: string): Promise<Response> {
  if (isStaleSignIn(c.req.raw, Date.now())) return problem(c, 'fresh_sign_in_required')
  const rotated = await relyingPartyStub(c.env, relyingPartyId)?.rotateWebhookSecret(readOrigin(c))
  if (!rotated?.ok) return problem(c, 'not_found')
  forgetSettings(relyingPartyId)
  const { secret, previousExpiresAt } = rotated.value
  return sendJson<RotatedSecret>(c, {
    webhook_secret: secret,
    previous_secret_expires_at: isoTime(previousExpiresAt),
  })
}

/** POST: resumes the deliveries that a response 410 of the receiver has stopped. */
export async function enableWebhook(c: AppContext, relyingPartyId: string): Promise<Response> {
  const enabled = await relyingPartyStub(c.env, relyingPartyId)?.enableWebhook(readOrigin(c))
  if (!enabled?.ok) return problem(c, 'not_found')
  if (enabled.value.webhook === null) return problem(c, 'webhook_not_configured')
  forgetSettings(relyingPartyId)
  return sendJson(c, await settingsToWire(c.env, enabled.value))
}

/**
 * POST: sends one test event, and returns its outcome. The response is 200 even if the receiver responded
 * with an error.
 */
export async function testWebhook(c: AppContext, relyingPartyId: string): Promise<Response> {
  const tested = await relyingPartyStub(c.env, relyingPartyId)?.sendTestWebhook(readOrigin(c))
  if (tested === undefined) return problem(c, 'not_found')
  if (!tested.ok) return problem(c, tested.error === 'no_webhook' ? 'webhook_not_configured' : 'not_found')
  if (tested.value.status === 410) forgetSettings(relyingPartyId)
  const { event, succeeded, status, error, durationMs } = tested.value
  const { event_id } = event
  return sendJson<WebhookTest>(c, { event_id, event, succeeded, status, error, duration_ms: durationMs })
}

/** Returns the settings as JSON. Only the members listed here leave the service. */
export async function settingsToWire(env: Env, view: SettingsView): Promise<RelyingParty> {
  const { webhook } = view
  return {
    relying_party_id: view.relying_party_id,
    name: view.name,
    livemode: view.livemode,
    created_at: isoTime(view.created_at),
    webhook: webhook && { url: webhook.url, events: webhook.events, disabled: webhook.disabled },
    trust_anchors: view.trust_anchors,
    anchor_sets: view.anchor_sets,
    credential_types: view.credential_types.map(addedTypeToWire),
    transaction_data_types: view.transaction_data_types,
    formats: view.formats,
    request_options: view.request_options,
    by_value: view.by_value,
    status_unavailable: view.status_unavailable,
    certificate_revocation: view.certificate_revocation,
    enforce_registration: view.enforce_registration ?? false,
    eu_age_verification: view.eu_age_verification ?? false,
    index: view.index ?? true,
    google_wallet: await googleWalletToWire(env, view.name, view.google_wallet),
    return_urls: view.return_urls,
    origins: view.origins,
    privacy_policy_uri: view.privacy_policy_uri ?? null,
    alternative_url: view.alternative_url ?? null,
    values_retention_days: view.values_retention_days ?? null,
    branding: view.branding,
    retention_seconds: view.retention_seconds,
    claims_encryption_jwk: view.claims_encryption_jwk,
    evidence: view.evidence ?? null,
    console_sign_in: view.console_sign_in,
    verifier: await verifierToWire(env, view),
    api_keys: view.api_keys.map(apiKeyToWire),
    warnings: await settingsWarnings(env, view),
  }
}

/** Returns the facts that the validation of a settings body depends on. */
export async function loadRules(c: AppContext): Promise<SettingsRules> {
  const { baseUrl, allowLoopback, listeningPort } = loadConfig(c.env)
  const trustLists = await directoryStub(c.env).trustLists()
  return { now: Date.now(), baseUrl, allowLoopback, listeningPort, trustLists }
}

/** Sends JSON that must not be cached. */
export function sendJson<T extends object>(c: AppContext, body: T, status: 200 | 201 = 200): Response {
  return sendJsonText(c, JSON.stringify(body), status)
}

/** Limit in bytes of the body of a request for an API key. */
const SMALL_LIMIT = 4 * 1024

function apiKeyToWire(record: SettingsView['api_keys'][number]): ApiKey {
  const { key_id, name, scopes, created_at, expires_at, last_used_at } = record
  return {
    key_id,
    name,
    scopes,
    created_at: isoTime(created_at),
    expires_at: isoTimeOrNull(expires_at),
    last_used_at: isoTimeOrNull(last_used_at),
  }
}
