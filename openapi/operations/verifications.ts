// The routes of relying parties about their verifications (CONTRACT 2 to 7).

import type { RouteName } from '../../src/routes/edge/access.ts'
import { eventsQuery, waitQuery } from '../../src/routes/verifications/schemas.ts'
import type { Operation } from '../operation.ts'

const CREATE_PROBLEMS = [
  'unsupported_credential_type',
  'unsupported_scope',
  'idempotency_conflict',
  'verification_ended',
  'policy_unsatisfiable',
  'rate_limited',
] as const

export const VERIFICATIONS = {
  'POST /v1/verify': {
    id: 'createVerification',
    summary: 'Create a verification',
    description:
      'Say what must be proven; show the person `session_url` or the QR. Either `credential_types` with `scope`, or `dcql_query`. Body: 16 KiB at most.',
    parameters: ['idempotencyKey'],
    body: { json: 'CreateVerification' },
    answers: {
      201: {
        description: 'The verification, pending.',
        json: ['CreatedVerification'],
        headers: ['Location', 'Idempotent-Replayed'],
      },
    },
    problems: CREATE_PROBLEMS,
  },
  'GET /v1/verify/:id': {
    id: 'readVerification',
    summary: 'Read a verification, or wait for news of it',
    description: 'A `client_token` is shown the state alone.',
    query: waitQuery,
    answers: {
      200: { description: 'The verification.', json: ['Verification', 'VerificationState'] },
    },
  },
  'GET /v1/verify/:id/receipt': {
    id: 'readReceipt',
    summary: 'Read the receipt of a finished verification',
    description: 'A JWS without personal data, for auditors: it verifies by the service’s keys for ever.',
    answers: {
      200: {
        description: 'The receipt.',
        other: { 'application/verification-receipt+jwt': 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIuLi4ifQ.c2ln' },
      },
    },
    problems: ['verification_pending'],
  },
  'POST /v1/verify/:id/cancel': {
    id: 'cancelVerification',
    summary: 'Cancel a verification',
    description: 'Again and again the same answer.',
    answers: { 200: { description: 'The verification, canceled.', json: ['Verification'] } },
    problems: ['verification_already_terminal'],
  },
  'DELETE /v1/verify/:id': {
    id: 'eraseVerification',
    summary: 'Erase a verification',
    description: 'No event is sent, and those owed are dropped.',
    answers: { 204: { description: 'Nothing of it is left.' } },
  },
  'GET /v1/verify/:id/openid4vp': {
    id: 'readAuthorizationRequest',
    summary: 'Read the authorization request',
    answers: { 200: { description: 'The request of the newest QR.', json: ['AuthorizationRequest'] } },
    problems: ['binding_excludes_qr', 'verification_ended'],
  },
  'GET /v1/verify/:id/qr': {
    id: 'drawQr',
    summary: 'Draw a new QR',
    description: 'Each answer is a new request for the wallet. Never cached, and refused to prefetching.',
    parameters: ['size'],
    answers: {
      200: {
        description: 'The picture, `size` × `size` pixels.',
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
      'verification_ended',
      'render_limit_reached',
    ],
  },
  'POST /v1/verify/:id/return': {
    id: 'redeemReturnCode',
    summary: 'Redeem the code a browser came back with',
    description: 'Once, and only for the user whose session at your site began this verification.',
    body: { json: 'Redemption' },
    answers: { 200: { description: 'The verification.', json: ['Verification'] } },
    problems: ['invalid_code'],
  },
  'POST /v1/verify/:id/dc-api/request': {
    id: 'requestByDcApi',
    summary: 'Make a request for the Digital Credentials API',
    description:
      'For a page of your own, at one of your `origins`. Our page calls it with its `client_token`.',
    body: { json: 'DcApiAsking' },
    answers: {
      200: { description: 'The argument of `navigator.credentials.get`.', json: ['DcApiRequests'] },
    },
    problems: ['cross_site_request', 'dc_api_not_offered', 'verification_ended'],
  },
  'POST /v1/verify/:id/dc-api': {
    id: 'presentByDcApi',
    summary: 'Hand in what the Digital Credentials API answered',
    description: 'Body: 1 MiB at most. Our page is told where to go on to.',
    body: { json: 'DcApiAnswer' },
    answers: { 200: { description: 'The verification.', json: ['Verification', 'CameBack'] } },
    problems: ['cross_site_request', 'presentation_refused', 'verification_already_terminal'],
  },
  'POST /v1/test/verify/:id/outcome': {
    id: 'produceOutcome',
    summary: 'Have the test wallet answer',
    description:
      'Test mode alone. `verified`, or any reason code: the sandbox does what leads to it. Where the session does not allow that, 422.',
    body: { json: 'OutcomeRequest' },
    answers: { 200: { description: 'What the wallet was told, and the verification.', json: ['Outcome'] } },
    problems: ['verification_already_terminal', 'policy_unsatisfiable', 'render_limit_reached'],
  },
  'GET /v1/events': {
    id: 'listEvents',
    summary: 'Read every event of the last 30 days',
    description: 'In the order of arrival, each once, whatever the webhook took.',
    query: eventsQuery,
    answers: { 200: { description: 'A page of events.', json: ['EventPage'] } },
  },
  'GET /v1/verify/:id/deliveries': {
    id: 'listDeliveries',
    summary: 'Read the webhook log of a verification',
    answers: { 200: { description: 'Every attempt, and what came of it.', json: ['DeliveryLog'] } },
  },
  'POST /v1/verify/:id/deliveries/:delivery/redeliver': {
    id: 'redeliver',
    summary: 'Send an event once more',
    answers: { 202: { description: 'An attempt has begun: see the log.', json: ['DeliveryLog'] } },
    problems: ['webhook_not_configured', 'redelivery_limit_reached'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }
