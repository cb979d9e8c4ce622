// Operations of relying parties on their verifications (api/creation, api/result, api/webhooks).

import { eventsQuery, evidenceQuery, qrQuery, waitQuery } from '../../src/api/requests.ts'
import type { RouteName } from '../../src/routes/edge/access.ts'
import type { Operation } from '../operation.ts'

const CREATE_PROBLEMS = [
  'unsupported_credential_type',
  'unsupported_scope',
  'idempotency_conflict',
  'verification_ended',
  'policy_unsatisfiable',
  'evidence_not_configured',
  'intent_to_retain_required',
  'rate_limited',
] as const

export const VERIFICATIONS = {
  'POST /v1/verify': {
    id: 'createVerification',
    summary: 'Create a verification',
    description:
      'Send what must be proven: `credential_types` with `scope`, or a `dcql_query`. Then open `session_url` for the person, or show the QR code. Names of types and scopes, addresses and wallets must be known to the service or to your settings. The ids in a `dcql_query` refer to each other. Body: at most 16 KiB.',
    parameters: ['idempotencyKey'],
    body: { json: 'CreateVerification' },
    responses: {
      201: {
        description: 'The verification is created and pending.',
        json: ['CreatedVerification'],
        headers: ['Location', 'Idempotent-Replayed'],
      },
    },
    problems: CREATE_PROBLEMS,
  },
  'GET /v1/verify/:id': {
    id: 'readVerification',
    summary: 'Read a verification, or wait for a change',
    description: 'With a `client_token` the response is the state only.',
    query: waitQuery,
    responses: {
      200: { description: 'The verification.', json: ['Verification', 'VerificationState'] },
    },
  },
  'GET /v1/verify/:id/receipt': {
    id: 'readReceipt',
    summary: 'Read the receipt of a finished verification',
    description:
      'A JWS without personal data, for auditors. The published keys of the service verify it permanently.',
    responses: {
      200: {
        description: 'The receipt.',
        other: { 'application/verification-receipt+jwt': 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIuLi4ifQ.c2ln' },
      },
    },
    problems: ['verification_pending'],
  },
  'GET /v1/verify/:id/evidence': {
    id: 'readEvidence',
    summary: 'Read the sealed evidence of a finished verification',
    description:
      'A container that is encrypted to your keys. Fetch it before the retention of the verification ends. No event and no other response contains it. With `wait`, the response comes once an owed time stamp is present or has failed, after at most so many seconds.',
    query: evidenceQuery,
    responses: { 200: { description: 'The evidence.', json: ['Evidence'] } },
    problems: ['no_evidence', 'verification_pending', 'evidence_erased'],
  },
  'DELETE /v1/verify/:id/evidence': {
    id: 'eraseEvidence',
    summary: 'Erase the evidence of a verification here',
    description: 'Call it when you have stored the evidence. Its digest stays in the receipt.',
    responses: { 204: { description: 'The evidence is erased.' } },
    problems: ['no_evidence', 'verification_pending'],
  },
  'GET /v1/evidence/materials/:sha256': {
    id: 'readEvidenceMaterial',
    summary: 'Read a list that evidence names',
    description:
      'A status list, a revocation list or a trust list, as fetched. Kept 35 days after your last evidence that names it.',
    responses: { 200: { description: 'The material.', other: { 'application/octet-stream': null } } },
    problems: ['not_found'],
  },
  'POST /v1/verify/:id/cancel': {
    id: 'cancelVerification',
    summary: 'Cancel a verification',
    description: 'A repeated call returns the same response.',
    responses: { 200: { description: 'The verification is canceled.', json: ['Verification'] } },
    problems: ['verification_already_terminal'],
  },
  'DELETE /v1/verify/:id': {
    id: 'eraseVerification',
    summary: 'Erase a verification',
    description: 'Deletes all data of the verification. Pending events are deleted, and no event is sent.',
    responses: { 204: { description: 'The verification is erased.' } },
  },
  'GET /v1/verify/:id/openid4vp': {
    id: 'readAuthorizationRequest',
    summary: 'Read the authorization request',
    responses: {
      200: { description: 'The request of the most recent QR code.', json: ['AuthorizationRequest'] },
    },
    problems: ['binding_excludes_qr', 'redirect_not_offered', 'verification_ended'],
  },
  'GET /v1/verify/:id/qr': {
    id: 'drawQr',
    summary: 'Draw a new QR code',
    description:
      'Each call makes a new request for the wallet. The response is never cached, and prefetch requests are rejected.',
    query: qrQuery,
    parameters: ['size'],
    responses: {
      200: {
        description: 'The image, `size` × `size` pixels.',
        other: {
          'image/png': null,
          'image/svg+xml':
            '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox="0 0 320 320" shape-rendering="crispEdges">…</svg>',
        },
        headers: ['X-QR-Expires-At'],
      },
    },
    problems: [
      'invalid_qr_size',
      'not_acceptable',
      'binding_excludes_qr',
      'redirect_not_offered',
      'policy_unsatisfiable',
      'verification_ended',
      'render_limit_reached',
    ],
  },
  'POST /v1/verify/:id/return': {
    id: 'redeemReturnCode',
    summary: 'Redeem the return code of a browser',
    description:
      'A code is valid for five minutes; until then the same code gets the same response again. Redeem it only for the user whose session at your site started this verification.',
    body: { json: 'Redemption' },
    responses: { 200: { description: 'The verification.', json: ['Verification'] } },
    problems: ['invalid_code'],
  },
  'POST /v1/verify/:id/dc-api/request': {
    id: 'requestByDcApi',
    summary: 'Create a request for the Digital Credentials API',
    description:
      'For your own page at one of your `origins`. The hosted page calls it with its `client_token`.',
    body: { json: 'DcApiRequestOptions' },
    responses: {
      200: { description: 'The argument of `navigator.credentials.get`.', json: ['DcApiRequests'] },
    },
    problems: [
      'cross_site_request',
      'dc_api_not_offered',
      'policy_unsatisfiable',
      'verification_ended',
      'rate_limited',
    ],
  },
  'POST /v1/verify/:id/dc-api': {
    id: 'presentByDcApi',
    summary: 'Send the response of the Digital Credentials API',
    description: 'Body: at most 1 MiB. The hosted page receives the address to continue at.',
    body: { json: 'DcApiResponse' },
    responses: {
      200: { description: 'The verification.', json: ['Verification', 'BrowserReturnResult'] },
    },
    problems: ['cross_site_request', 'presentation_refused', 'verification_already_terminal'],
  },
  'POST /v1/test/verify/:id/outcome': {
    id: 'produceOutcome',
    summary: 'Produce an outcome with the test wallet',
    description:
      'Test mode only. Name `verified` or any reason code: the sandbox does what causes it. 422 if this verification cannot end so.',
    body: { json: 'OutcomeRequest' },
    responses: {
      200: {
        description: 'What the service returned to the wallet, and the verification.',
        json: ['Outcome'],
      },
    },
    problems: [
      'verification_already_terminal',
      'redirect_not_offered',
      'policy_unsatisfiable',
      'render_limit_reached',
    ],
  },
  'GET /v1/events': {
    id: 'listEvents',
    summary: 'List the events of the last 30 days',
    description:
      'In the order in which they were stored, each once, whether or not the webhook accepted them. With `after=latest` the page is empty, and its `next` is the end of the log: only later events follow.',
    query: eventsQuery,
    responses: { 200: { description: 'A page of events.', json: ['EventPage'] } },
  },
  'POST /v1/webhook/redeliver': {
    id: 'redeliverRange',
    summary: 'Send the dead events of a time range again',
    description:
      'Looks at 25 events of the log, and starts an attempt for each dead event created from `from` to `to`. While `has_more` is true, call again with `after`. Events of erased verifications are only in the log.',
    body: { json: 'RedeliveryRange' },
    responses: { 202: { description: 'Attempts have started.', json: ['RedeliveryPage'] } },
    problems: ['webhook_not_configured'],
  },
  'GET /v1/verify/:id/deliveries': {
    id: 'listDeliveries',
    summary: 'Read the webhook log of a verification',
    responses: { 200: { description: 'Every attempt and its result.', json: ['DeliveryLog'] } },
  },
  'POST /v1/verify/:id/deliveries/:delivery/redeliver': {
    id: 'redeliver',
    summary: 'Send an event again',
    responses: {
      202: { description: 'An attempt has started. Read the log for its result.', json: ['DeliveryLog'] },
    },
    problems: ['webhook_not_configured', 'redelivery_limit_reached'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }
