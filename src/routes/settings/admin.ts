// Routes of the operator (api/settings), below /v1/admin. Without ADMIN_TOKEN, these routes send 404.

import { Hono } from 'hono/tiny'
import { directoryQuery } from '../../api/requests.ts'
import type { CreatedRelyingParty, RelyingPartyPage } from '../../api/responses/settings.ts'
import { isoTime, isoTimeOrNull } from '../../codec/date-time.ts'
import { directoryStub } from '../../relying-party/directory.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import { isStaleSignIn } from '../../relying-party/people/console-calls.ts'
import { createRelyingParty, eraseRelyingParty } from '../../relying-party/registry.ts'
import { creationSchema, SETTINGS_LIMIT } from '../../relying-party/settings/settings-schema.ts'
import { readOrigin } from '../audit/origin.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { sendJsonText, sessionProblem } from '../edge/session-view.ts'
import { readJson, readQuery } from '../edge/validate.ts'
import { OIDC_CLIENT_ROUTES } from '../oidc/clients/handlers.ts'
import { logOperatorChanges, operatorOnly } from './operator.ts'
import {
  changeSettings,
  createApiKey,
  deleteApiKey,
  enableWebhook,
  keepLists,
  loadRules,
  refuseTimeStamp,
  rotateWebhookSecret,
  sendJson,
  settingsToWire,
  showSettings,
  testWebhook,
} from './settings-handlers.ts'
import { createList, eraseList, listLists, refreshList, showList } from './trust-lists.ts'

/** Builds the routes, which must be mounted at `/v1/admin`. */
export function adminRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>()
    .use('*', operatorOnly, logOperatorChanges)
    .post('/relying_parties', create)
    .get('/relying_parties', list)
    .get('/relying_parties/:rp', (c) => showSettings(c, c.req.param('rp')))
    .patch('/relying_parties/:rp', (c) => changeSettings(c, c.req.param('rp')))
    .delete('/relying_parties/:rp', (c) => erase(c, c.req.param('rp')))
    .post('/relying_parties/:rp/api_keys', (c) => createApiKey(c, c.req.param('rp')))
    .delete('/relying_parties/:rp/api_keys/:key', (c) =>
      deleteApiKey(c, c.req.param('rp'), c.req.param('key')),
    )
    .post('/relying_parties/:rp/webhook/rotate_secret', (c) => rotateWebhookSecret(c, c.req.param('rp')))
    .post('/relying_parties/:rp/webhook/test', (c) => testWebhook(c, c.req.param('rp')))
    .post('/relying_parties/:rp/webhook/enable', (c) => enableWebhook(c, c.req.param('rp')))
    .get('/verifications/:id', showVerification)
    .post('/trust_lists', createList)
    .get('/trust_lists', listLists)
    .get('/trust_lists/:list', (c) => showList(c, c.req.param('list')))
    .delete('/trust_lists/:list', (c) => eraseList(c, c.req.param('list')))
    .post('/trust_lists/:list/refresh', (c) => refreshList(c, c.req.param('list')))
  for (const [method, path, handle] of OIDC_CLIENT_ROUTES) {
    routes.on(method, `/relying_parties/:rp${path}`, (c) =>
      handle(c, c.req.param('rp'), c.req.param('client') ?? ''),
    )
  }
  return routes
}

async function create(c: AppContext): Promise<Response> {
  // The response contains an API key, so the console needs a fresh sign-in.
  if (isStaleSignIn(c.req.raw, Date.now())) return problem(c, 'fresh_sign_in_required')
  const rules = await loadRules(c)
  const input = await readJson(c, creationSchema(rules), SETTINGS_LIMIT)
  if (!input.ok) return input.error
  const refused = refuseTimeStamp(c, input.value)
  if (refused !== undefined) return refused
  const { api_key, webhook_secret, settings } = await createRelyingParty(
    c.env,
    input.value,
    rules.now,
    readOrigin(c),
  )
  keepLists(c, settings)
  const { relying_party_id, ...rest } = await settingsToWire(c.env, settings)
  return sendJson<CreatedRelyingParty>(c, { relying_party_id, api_key, webhook_secret, ...rest }, 201)
}

async function list(c: AppContext): Promise<Response> {
  const query = readQuery(c, directoryQuery)
  if (!query.ok) return query.error
  const { after, limit } = query.value
  const page = await directoryStub(c.env).list(after, limit)
  const relying_parties = page.entries.map((entry) => ({
    ...entry,
    created_at: isoTime(entry.created_at),
    verifier_certificate_expires_at: isoTimeOrNull(entry.verifier_certificate_expires_at),
  }))
  return sendJson<RelyingPartyPage>(c, {
    relying_parties,
    next_cursor: page.next === null ? null : String(page.next),
  })
}

async function showVerification(c: AppContext): Promise<Response> {
  const view = await sessionStub(c.env, c.req.param('id') ?? '')?.readForOperator()
  if (view === undefined) return problem(c, 'verification_not_found')
  return view.ok ? sendJsonText(c, view.value.json) : sessionProblem(c, view.error)
}

async function erase(c: AppContext, relyingPartyId: string): Promise<Response> {
  const erased = await eraseRelyingParty(c.env, relyingPartyId)
  return erased ? new Response(null, { status: 204 }) : problem(c, 'not_found')
}
