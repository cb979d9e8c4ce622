// What a relying party does with its own settings, and the operator with all of them (CONTRACT 8).

import type { RouteName } from '../../src/routes/edge/access.ts'
import { directoryQuery } from '../../src/routes/verifications/schemas.ts'
import type { Operation } from '../operation.ts'

const SETTINGS = { 200: { description: 'The settings.', json: ['RelyingParty'] } } as const
const CREATED_KEY = { 201: { description: 'The key, shown this once.', json: ['CreatedApiKey'] } } as const
const GONE = { 204: { description: 'Gone within 60 seconds.' } } as const
const ROTATED = {
  200: { description: 'The new secret, shown this once.', json: ['RotatedSecret'] },
} as const
const LIST = { description: 'How it was set up, and how it stands.', json: ['TrustList'] } as const
const TESTED = { 200: { description: 'What came of it.', json: ['WebhookTest'] } } as const

export const OWN_SETTINGS = {
  'GET /v1/relying_party': {
    id: 'readSettings',
    summary: 'Read your settings',
    answers: SETTINGS,
    problems: ['not_found'],
  },
  'PATCH /v1/relying_party': {
    id: 'changeSettings',
    summary: 'Change your settings',
    description: 'A member that is sent replaces the old one as a whole. Body: 128 KiB at most.',
    body: { json: 'ChangeRelyingParty' },
    answers: SETTINGS,
    problems: ['not_found'],
  },
  'GET /v1/api_keys': {
    id: 'listApiKeys',
    summary: 'List your API keys',
    answers: { 200: { description: 'Without the keys themselves.', json: ['ApiKeyList'] } },
    problems: ['not_found'],
  },
  'POST /v1/api_keys': {
    id: 'createApiKey',
    summary: 'Create an API key',
    description: 'It has no scope, and no time, that the calling key lacks.',
    body: { json: 'CreateApiKey' },
    answers: CREATED_KEY,
    problems: ['not_found'],
  },
  'DELETE /v1/api_keys/:key': {
    id: 'deleteApiKey',
    summary: 'Delete an API key',
    answers: GONE,
    problems: ['not_found'],
  },
  'POST /v1/webhook/rotate_secret': {
    id: 'rotateWebhookSecret',
    summary: 'Make a new webhook secret',
    description: 'Both sign for 24 hours.',
    answers: ROTATED,
    problems: ['not_found'],
  },
  'POST /v1/webhook/test': {
    id: 'testWebhook',
    summary: 'Send yourself a test event',
    answers: TESTED,
    problems: ['not_found', 'webhook_not_configured'],
  },
  'POST /v1/webhook/enable': {
    id: 'enableWebhook',
    summary: 'Let events flow again after a 410',
    answers: SETTINGS,
    problems: ['not_found', 'webhook_not_configured'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

export const OPERATOR = {
  'POST /v1/admin/trust_lists': {
    id: 'adminCreateTrustList',
    summary: 'Keep a list of trusted issuers',
    description: 'Whether it came, and why not, stands in `last_attempt`.',
    body: { json: 'CreateTrustList' },
    answers: { 201: LIST },
  },
  'GET /v1/admin/trust_lists': {
    id: 'adminListTrustLists',
    summary: 'List the lists of trusted issuers',
    answers: { 200: { description: 'Their names.', json: ['TrustLists'] } },
  },
  'GET /v1/admin/trust_lists/:list': {
    id: 'adminReadTrustList',
    summary: 'Read a list of trusted issuers',
    answers: { 200: LIST },
  },
  'DELETE /v1/admin/trust_lists/:list': {
    id: 'adminDeleteTrustList',
    summary: 'Keep a list no longer',
    answers: { 204: { description: 'Who subscribed to it has its anchors no more.' } },
  },
  'POST /v1/admin/trust_lists/:list/refresh': {
    id: 'adminRefreshTrustList',
    summary: 'Get a list now',
    answers: { 200: LIST },
  },
  'POST /v1/admin/relying_parties': {
    id: 'adminCreateRelyingParty',
    summary: 'Create a relying party',
    description: 'Body: 128 KiB at most.',
    body: { json: 'CreateRelyingParty' },
    answers: {
      201: { description: 'Its settings and secrets, shown this once.', json: ['CreatedRelyingParty'] },
    },
  },
  'GET /v1/admin/relying_parties': {
    id: 'adminListRelyingParties',
    summary: 'List relying parties',
    query: directoryQuery,
    answers: { 200: { description: 'In the order of creation.', json: ['RelyingPartyPage'] } },
  },
  'GET /v1/admin/relying_parties/:rp': {
    id: 'adminReadRelyingParty',
    summary: "Read a relying party's settings",
    answers: SETTINGS,
  },
  'PATCH /v1/admin/relying_parties/:rp': {
    id: 'adminChangeRelyingParty',
    summary: "Change a relying party's settings",
    body: { json: 'ChangeRelyingParty' },
    answers: SETTINGS,
  },
  'DELETE /v1/admin/relying_parties/:rp': {
    id: 'adminDeleteRelyingParty',
    summary: 'Delete a relying party',
    answers: GONE,
  },
  'POST /v1/admin/relying_parties/:rp/api_keys': {
    id: 'adminCreateApiKey',
    summary: 'Create an API key',
    body: { json: 'CreateApiKey' },
    answers: CREATED_KEY,
  },
  'DELETE /v1/admin/relying_parties/:rp/api_keys/:key': {
    id: 'adminDeleteApiKey',
    summary: 'Delete an API key',
    answers: GONE,
  },
  'POST /v1/admin/relying_parties/:rp/webhook/rotate_secret': {
    id: 'adminRotateWebhookSecret',
    summary: 'Make a new webhook secret',
    answers: ROTATED,
  },
  'POST /v1/admin/relying_parties/:rp/webhook/test': {
    id: 'adminTestWebhook',
    summary: 'Send a test event',
    answers: TESTED,
    problems: ['webhook_not_configured'],
  },
  'POST /v1/admin/relying_parties/:rp/webhook/enable': {
    id: 'adminEnableWebhook',
    summary: 'Let events flow again after a 410',
    answers: SETTINGS,
    problems: ['webhook_not_configured'],
  },
  'GET /metrics': {
    id: 'adminReadMetrics',
    summary: 'What the service counted of itself',
    description:
      'OpenMetrics 1.0, where the service runs as one process. On Cloudflare it is 404: Analytics Engine counts there.',
    answers: {
      200: {
        description: 'Counters since the process began.',
        other: {
          'application/openmetrics-text':
            '# TYPE wallet_verifier_sessions counter\n# HELP wallet_verifier_sessions Sessions created.\nwallet_verifier_sessions_total{protocol="openid4vp-1.0",mode="live"} 3\n# EOF\n',
        },
      },
    },
  },
} as const satisfies { readonly [name in RouteName]?: Operation }
