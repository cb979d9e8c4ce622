// Operations on settings: by a relying party on its own, by the operator on all (api/settings).

import { auditQuery, directoryQuery } from '../../src/api/requests.ts'
import type { RouteName } from '../../src/routes/edge/access.ts'
import type { Operation } from '../operation.ts'

const SETTINGS = { 200: { description: 'The settings.', json: ['RelyingParty'] } } as const
const CREATED_KEY = {
  201: { description: 'The key. Only this response contains it.', json: ['CreatedApiKey'] },
} as const
const DELETED = { 204: { description: 'Deleted. Caches expire within 60 seconds.' } } as const
const ROTATED = {
  200: { description: 'The new secret. Only this response contains it.', json: ['RotatedSecret'] },
} as const
const LIST = { description: 'The list as it was created, and its state.', json: ['TrustList'] } as const
const TESTED = { 200: { description: 'The result of the attempt.', json: ['WebhookTest'] } } as const

export const OWN_SETTINGS = {
  'GET /v1/audit': {
    id: 'listAudit',
    summary: 'Read the audit log',
    description:
      'Newest first, for 400 days: changes of settings, keys and clients, sign-ins to the console, and changes of verifications in the console. It has names of members, and no value of a setting. `actor` is the id, name or email of the actor.',
    query: auditQuery,
    responses: { 200: { description: 'A page of entries.', json: ['AuditPage'] } },
    problems: ['not_found'],
  },
  'GET /v1/relying_party': {
    id: 'readSettings',
    summary: 'Read your settings',
    responses: SETTINGS,
    problems: ['not_found'],
  },
  'PATCH /v1/relying_party': {
    id: 'changeSettings',
    summary: 'Change your settings',
    description:
      'Each member that you send replaces the stored one as a whole. Keys, certificates and names of trust lists are checked, and members must fit together. Body: at most 128 KiB.',
    body: { json: 'ChangeRelyingParty' },
    responses: SETTINGS,
    problems: ['not_found', 'time_stamp_not_configured'],
  },
  'GET /v1/api_keys': {
    id: 'listApiKeys',
    summary: 'List your API keys',
    responses: { 200: { description: 'The keys, without their secret part.', json: ['ApiKeyList'] } },
    problems: ['not_found'],
  },
  'POST /v1/api_keys': {
    id: 'createApiKey',
    summary: 'Create an API key',
    description:
      'It cannot have more scopes or a later expiry than the key of this call, and its expiry is in the future.',
    body: { json: 'CreateApiKey' },
    responses: CREATED_KEY,
    problems: ['not_found'],
  },
  'DELETE /v1/api_keys/:key': {
    id: 'deleteApiKey',
    summary: 'Delete an API key',
    responses: DELETED,
    problems: ['not_found'],
  },
  'POST /v1/webhook/rotate_secret': {
    id: 'rotateWebhookSecret',
    summary: 'Create a new webhook secret',
    description: 'Events are signed with both secrets for 24 hours.',
    responses: ROTATED,
    problems: ['not_found'],
  },
  'POST /v1/webhook/test': {
    id: 'testWebhook',
    summary: 'Send a test event to your webhook',
    responses: TESTED,
    problems: ['not_found', 'webhook_not_configured'],
  },
  'POST /v1/webhook/enable': {
    id: 'enableWebhook',
    summary: 'Enable the webhook again after a 410',
    responses: SETTINGS,
    problems: ['not_found', 'webhook_not_configured'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

export const OPERATOR = {
  'POST /v1/admin/trust_lists': {
    id: 'adminCreateTrustList',
    summary: 'Add a list of trusted issuers',
    description: 'Fetches the list at once. `last_attempt` has the result.',
    body: { json: 'CreateTrustList' },
    responses: { 201: LIST },
  },
  'GET /v1/admin/trust_lists': {
    id: 'adminListTrustLists',
    summary: 'Show all lists of trusted issuers',
    responses: { 200: { description: 'Their names.', json: ['TrustLists'] } },
  },
  'GET /v1/admin/trust_lists/:list': {
    id: 'adminReadTrustList',
    summary: 'Read a list of trusted issuers',
    responses: { 200: LIST },
  },
  'DELETE /v1/admin/trust_lists/:list': {
    id: 'adminDeleteTrustList',
    summary: 'Delete a list of trusted issuers',
    responses: { 204: { description: 'Deleted. Its anchors no longer count for any relying party.' } },
  },
  'POST /v1/admin/trust_lists/:list/refresh': {
    id: 'adminRefreshTrustList',
    summary: 'Fetch a list of trusted issuers now',
    responses: { 200: LIST },
  },
  'POST /v1/admin/relying_parties': {
    id: 'adminCreateRelyingParty',
    summary: 'Create a relying party',
    description: 'Body: at most 128 KiB.',
    body: { json: 'CreateRelyingParty' },
    responses: {
      201: {
        description: 'The settings, with secrets that only this response contains.',
        json: ['CreatedRelyingParty'],
      },
    },
    problems: ['time_stamp_not_configured'],
  },
  'GET /v1/admin/relying_parties': {
    id: 'adminListRelyingParties',
    summary: 'List relying parties',
    query: directoryQuery,
    responses: { 200: { description: 'In the order of creation.', json: ['RelyingPartyPage'] } },
  },
  'GET /v1/admin/relying_parties/:rp': {
    id: 'adminReadRelyingParty',
    summary: "Read a relying party's settings",
    responses: SETTINGS,
  },
  'PATCH /v1/admin/relying_parties/:rp': {
    id: 'adminChangeRelyingParty',
    summary: "Change a relying party's settings",
    body: { json: 'ChangeRelyingParty' },
    responses: SETTINGS,
    problems: ['time_stamp_not_configured'],
  },
  'DELETE /v1/admin/relying_parties/:rp': {
    id: 'adminDeleteRelyingParty',
    summary: 'Delete a relying party',
    responses: DELETED,
  },
  'POST /v1/admin/relying_parties/:rp/api_keys': {
    id: 'adminCreateApiKey',
    summary: 'Create an API key',
    body: { json: 'CreateApiKey' },
    responses: CREATED_KEY,
  },
  'DELETE /v1/admin/relying_parties/:rp/api_keys/:key': {
    id: 'adminDeleteApiKey',
    summary: 'Delete an API key',
    responses: DELETED,
  },
  'POST /v1/admin/relying_parties/:rp/webhook/rotate_secret': {
    id: 'adminRotateWebhookSecret',
    summary: 'Create a new webhook secret',
    responses: ROTATED,
  },
  'POST /v1/admin/relying_parties/:rp/webhook/test': {
    id: 'adminTestWebhook',
    summary: 'Send a test event to the webhook',
    responses: TESTED,
    problems: ['webhook_not_configured'],
  },
  'POST /v1/admin/relying_parties/:rp/webhook/enable': {
    id: 'adminEnableWebhook',
    summary: 'Enable the webhook again after a 410',
    responses: SETTINGS,
    problems: ['webhook_not_configured'],
  },
  'GET /v1/admin/verifications/:id': {
    id: 'adminReadVerification',
    summary: 'Read the course of a verification',
    description:
      'Status, refused responses and webhook attempts, for support. It has no check, no claim, no issuer and no metadata.',
    responses: { 200: { description: 'The course of the verification.', json: ['OperatorVerification'] } },
  },
  'GET /metrics': {
    id: 'adminReadMetrics',
    summary: 'Read the metrics of the service',
    description:
      'OpenMetrics 1.0, or the text format 0.0.4 of Prometheus where `Accept` prefers it. 404 on Cloudflare, where Analytics Engine has the metrics.',
    responses: {
      200: {
        description: 'Counters since the start of the process, and gauges.',
        other: {
          'application/openmetrics-text':
            '# TYPE wallet_verifier_sessions counter\n# HELP wallet_verifier_sessions Sessions created.\nwallet_verifier_sessions_total{protocol="openid4vp-1.0",mode="live"} 3\n# EOF\n',
          'text/plain':
            '# HELP wallet_verifier_sessions_total Sessions created.\n# TYPE wallet_verifier_sessions_total counter\nwallet_verifier_sessions_total{protocol="openid4vp-1.0",mode="live"} 3\n',
        },
      },
    },
  },
} as const satisfies { readonly [name in RouteName]?: Operation }
