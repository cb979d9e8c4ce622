// Routes of a relying party for its own settings, keys and webhook (api/access, api/settings). They share
// most handlers with the operator's routes. A relying party cannot extend its own rights by these routes
// (docs/decisions/relying-party.md).

import { Hono } from 'hono/tiny'
import { toPointer } from '../../codec/json-pointer.ts'
import type { Scope, SettingsPatch } from '../../relying-party/document/settings.ts'
import { authenticate, authenticateAfresh, type Caller } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { notAllowed, problem, type RequestError } from '../edge/problems.ts'
import { OIDC_CLIENT_ROUTES } from '../oidc/clients/handlers.ts'
import {
  changeSettings,
  createApiKey,
  deleteApiKey,
  enableWebhook,
  listApiKeys,
  rotateWebhookSecret,
  showSettings,
  testWebhook,
} from './settings-handlers.ts'

/** Builds the routes. */
export function ownSettingsRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>()
    .get('/v1/relying_party', reading(showSettings))
    .patch('/v1/relying_party', changing(patchOwnSettings))
    .get('/v1/api_keys', reading(listApiKeys))
    .post('/v1/api_keys', changing(grantApiKey))
    .delete(
      '/v1/api_keys/:key',
      changing((c, id) => deleteApiKey(c, id, c.req.param('key') ?? '')),
    )
    .post('/v1/webhook/rotate_secret', changing(rotateWebhookSecret))
    .post('/v1/webhook/test', changing(testWebhook))
    .post('/v1/webhook/enable', changing(enableWebhook))
  for (const [method, path, handle] of OIDC_CLIENT_ROUTES) {
    const secured = method === 'GET' ? reading : changing
    routes.on(
      method,
      `/v1${path}`,
      secured((c, id) => handle(c, id, c.req.param('client') ?? '')),
    )
  }
  return routes
}

type Handler = (c: AppContext, relyingPartyId: string, caller: Caller) => Promise<Response>

const reading = (handler: Handler) => behind(authenticate, handler)
const changing = (handler: Handler) => behind(authenticateAfresh, handler)

function behind(identify: typeof authenticate, handler: Handler) {
  return async (c: AppContext): Promise<Response> => {
    const caller = await identify(c, 'settings:manage')
    if (!caller.ok) return caller.error
    return handler(c, caller.value.settings.relying_party_id, caller.value)
  }
}

function patchOwnSettings(c: AppContext, relyingPartyId: string, caller: Caller): Promise<Response> {
  return changeSettings(c, relyingPartyId, (patch) => {
    const error = forbiddenMember(patch, caller)
    return error && problem(c, error.code, { errors: error.errors })
  })
}

/** Returns the error of a member that this caller may not change; `undefined` if all changes are allowed. */
function forbiddenMember(patch: SettingsPatch, { settings, scopes }: Caller): RequestError | undefined {
  // People see these members, so in live mode only the operator may change them. An unchanged value is
  // accepted.
  const shown = settings.livemode ? (['name', 'branding', 'google_wallet'] as const) : []
  const changed = shown.find(
    (name) =>
      patch[name] !== undefined && JSON.stringify(patch[name]) !== JSON.stringify(settings[name] ?? null),
  )
  if (changed !== undefined)
    return notAllowed('invalid_request', `/${changed}`, 'must not change in live mode: ask the operator')
  if (settings.livemode && hasOtherMetadata(patch, settings)) {
    const message = 'must not change `google_wallet` in live mode: ask the operator'
    return notAllowed('invalid_request', '/verifier/further', message)
  }
  // A caller that may not set the key of one session must not replace the key of all sessions (api/result).
  if (patch.claims_encryption_jwk !== undefined && !scopes.includes('claims:encrypt')) {
    const message = 'requires the scope claims:encrypt'
    return notAllowed('insufficient_scope', '/claims_encryption_jwk', message)
  }
  return forbiddenRole(patch, scopes)
}

/** Returns true if a patch changes what Google Wallet shows for a further identity. */
function hasOtherMetadata({ further_verifiers }: SettingsPatch, settings: Caller['settings']): boolean {
  const metadataOf = (further: SettingsPatch['further_verifiers'] = []) =>
    JSON.stringify(further.flatMap(({ google_wallet }) => google_wallet ?? []))
  return (
    further_verifiers !== undefined &&
    metadataOf(further_verifiers) !== metadataOf(settings.further_verifiers)
  )
}

/** Returns the error of a role with a scope that this caller does not have; `undefined` if there is none. */
function forbiddenRole(
  { console_sign_in }: SettingsPatch,
  scopes: readonly Scope[],
): RequestError | undefined {
  const roles = Object.entries(console_sign_in?.roles ?? {})
  const beyond = roles.find(([, granted]) => !granted.every((scope) => scopes.includes(scope)))
  if (beyond === undefined) return undefined
  const pointer = toPointer(['console_sign_in', 'roles', beyond[0]])
  return notAllowed('insufficient_scope', pointer, 'must not go beyond the scopes of the calling token')
}

function grantApiKey(c: AppContext, relyingPartyId: string, caller: Caller): Promise<Response> {
  return createApiKey(c, relyingPartyId, { scopes: caller.scopes, expires_at: caller.keyExpiresAt })
}
