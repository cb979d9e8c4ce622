// Operations of OAuth clients, wallets and browsers, and the public ones (api/access, api/protocols,
// api/settings).

import errors from '../../assets/oauth-errors.json' with { type: 'json' }
import type { RouteName } from '../../src/routes/edge/access.ts'
import type { Operation } from '../operation.ts'

export const TOKENS = {
  'POST /oauth/token': {
    id: 'createAccessToken',
    summary: 'Exchange an API key for an access token',
    description:
      'RFC 6749 §4.4. `client_id` is the `relying_party_id`, `client_secret` an API key: by HTTP Basic or in the form. Valid for at most 15 minutes.',
    body: { form: 'TokenForm' },
    responses: { 200: { description: 'A JWT (RFC 9068).', json: ['Token'] } },
    tokenErrors: (Object.keys(errors.token) as (keyof typeof errors.token)[]).filter(
      (name) => name !== 'method_not_allowed',
    ),
    problems: ['internal_error'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

const REQUEST_OBJECT = {
  200: {
    description: 'The signed Request Object (RFC 9101).',
    other: { 'application/oauth-authz-req+jwt': 'eyJ0eXAiOiJvYXV0aC1hdXRoei1yZXErand0In0.e30.c2ln' },
  },
} as const

export const WALLETS = {
  'GET /r/:capability': {
    id: 'fetchRequest',
    summary: 'Fetch a Request Object',
    description: 'OpenID4VP 1.0 §5. Each call returns the same nonce and encryption key.',
    responses: REQUEST_OBJECT,
    walletErrors: ['unknown', 'gone', 'rate', 'failed', 'unavailable'],
  },
  'POST /r/:capability': {
    id: 'fetchRequestWithNonce',
    summary: 'Fetch a Request Object with a wallet nonce',
    description: 'OpenID4VP 1.0 §5.10. Body: at most 16 KiB.',
    body: { form: 'RequestObjectForm' },
    responses: REQUEST_OBJECT,
    walletErrors: [
      ...(['parameters', 'wallet_nonce', 'wallet_metadata'] as const),
      ...(['prefix', 'signing', 'response_mode', 'formats', 'request_encryption'] as const),
      ...([
        'unknown',
        'gone',
        'timeout',
        'too_large',
        'media_type',
        'rate',
        'failed',
        'unavailable',
      ] as const),
    ],
  },
  'POST /v1/verify/:id/callback': {
    id: 'postResponse',
    summary: 'Send the authorization response of a wallet',
    description:
      'OpenID4VP 1.0 §8.2. Body: at most 1 MiB. A response that fails validation is recorded as an attempt. The session stays pending.',
    body: { form: 'ResponseForm' },
    responses: {
      200: {
        description: 'The response is processed. The status is not part of this body.',
        json: ['Redirect'],
      },
    },
    walletErrors: [
      ...([
        'parameters',
        'form',
        'state',
        'superseded',
        'encryption',
        'plain',
        'query',
        'presentation',
        'transaction',
      ] as const),
      ...([
        'unknown',
        'ended',
        'awaited',
        'timeout',
        'too_large',
        'media_type',
        'rate',
        'failed',
        'unavailable',
      ] as const),
    ],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

const PAGE = { 'text/html': '<!doctype html><html lang="en">…</html>' } as const
const TRY_LATER = {
  description: 'A page that asks the person to try again later.',
  other: PAGE,
  headers: ['Retry-After'],
} as const
const BUSY = {
  429: { description: 'A page that asks the person to wait.', other: PAGE },
  503: TRY_LATER,
} as const
const SCRIPT = '(() => { … })()'
const STYLE = 'body { … }'

/** Problems of a body that a page of another Worker receives. */
const PROXIED_BODY = ['request_timeout', 'payload_too_large', 'temporarily_unavailable'] as const

export const BROWSERS = {
  'GET /s/:id': {
    id: 'openPage',
    summary: 'Open the hosted page of a verification',
    responses: {
      200: { description: 'The page.', other: PAGE },
      404: { description: 'A page that reports an unknown verification.', other: PAGE },
      503: TRY_LATER,
    },
    problems: ['internal_error'],
  },
  'POST /s/:id': {
    id: 'beginLogin',
    summary: 'Create the session of a login, and open its page',
    description: 'The form of the page of a login by OpenID Connect sends it. It has no body.',
    responses: {
      303: { description: 'The page of the session.', headers: ['Location'] },
      404: {
        description: 'A page that reports a login of another browser, or one that is over.',
        other: PAGE,
      },
      ...BUSY,
    },
    problems: ['internal_error'],
  },
  'POST /s/:id/decline': {
    id: 'declineOnPage',
    summary: 'End a verification for the person who does not share',
    description:
      'The form of the hosted page sends it. It has no body. A pending verification ends as `declined` with the reason `declined_on_page`. A login without a session sends `access_denied` to its client.',
    responses: {
      200: { description: 'A page that goes on to the client of the login.', other: PAGE },
      303: { description: 'The page of the session. It has the outcome.', headers: ['Location'] },
      403: { description: 'A page for another browser than that of a bound session.', other: PAGE },
      404: {
        description: 'A page that reports an unknown verification, or a login that is over.',
        other: PAGE,
      },
      ...BUSY,
    },
    problems: ['cross_site_request', 'internal_error'],
  },
  'GET /v1/verify/:id/return': {
    id: 'openReturnPage',
    summary: 'Open the page to which a wallet returns',
    responses: { 200: { description: 'The page. It is the same for every id.', other: PAGE } },
    problems: ['internal_error'],
  },
  'GET /assets/:name': {
    id: 'readScript',
    summary: 'Read a script or a style sheet of the pages',
    responses: { 200: { description: 'The file.', other: { 'text/javascript': SCRIPT, 'text/css': STYLE } } },
    problems: ['not_found', 'internal_error', 'temporarily_unavailable'],
  },
  'GET /test/:page': {
    id: 'openSandboxPage',
    summary: 'Open a page of the sandbox, such as the test wallet',
    description: 'Test mode only, where the service has a sandbox.',
    responses: {
      200: { description: 'The page.', other: PAGE },
      404: { description: 'A page that reports an unknown address.', other: PAGE },
    },
    problems: ['not_found', 'rate_limited', 'internal_error'],
  },
  'POST /test/:page': {
    id: 'useSandboxPage',
    summary: 'Send a form of the sandbox',
    description: 'The pages of the sandbox send these forms.',
    responses: {
      303: { description: 'The verifier redirects the person.', headers: ['Location'] },
      404: { description: 'A page that reports an unknown address.', other: PAGE },
      422: {
        description: 'The page, with the reason for which there is no response or a response failed.',
        other: PAGE,
      },
    },
    problems: ['not_found', 'rate_limited', ...PROXIED_BODY, 'internal_error'],
  },
  'GET /demo': {
    id: 'openShop',
    summary: 'Open the demo shop',
    description:
      'A relying party that requests proof of age and shows the webhook. 404 without a configured shop.',
    responses: {
      200: { description: 'The page.', other: PAGE },
      302: { description: 'Redirects to the same page at the address of the service.' },
      404: { description: 'A page that reports a missing shop.', other: PAGE },
    },
    problems: ['not_found', 'internal_error'],
  },
  'GET /demo/:page': {
    id: 'readShop',
    summary: 'Read a file or the state of the demo shop, or return to it',
    responses: {
      200: {
        description: 'The script, the style sheet, or the state of the order.',
        other: { 'text/javascript': SCRIPT, 'text/css': STYLE, 'application/json': { mark: '3+' } },
      },
      303: { description: 'Redirects to the shop.' },
      404: { description: 'Unknown address.', other: PAGE },
    },
    problems: ['not_found', 'internal_error'],
  },
  'POST /demo/:page': {
    id: 'useShop',
    summary: 'Send a form or an event to the demo shop',
    description: 'The page of the shop sends the forms. The service sends signed events to `webhook`.',
    responses: {
      204: { description: 'The event is accepted.' },
      303: { description: 'Redirects to the next page.' },
      400: {
        description: 'The event is refused.',
        other: text('Webhook refused: wrong_signature.'),
      },
      403: {
        description: 'The form was sent by another site.',
        other: text('Cross-site request refused.'),
      },
      404: { description: 'Unknown address.', other: PAGE },
      413: { description: 'The event is too large.', other: text('The body is too long.') },
    },
    problems: ['not_found', 'rate_limited', ...PROXIED_BODY, 'internal_error'],
  },
  'POST /v1/verify/:id/link': {
    id: 'makeLink',
    summary: 'Create a request that is bound to this browser',
    description: 'The hosted page calls it. A cookie identifies the browser.',
    body: { json: 'LinkOptions', optional: true },
    responses: { 200: { description: 'Links that open a wallet.', json: ['Link'] } },
    problems: [
      'cross_site_request',
      'redirect_not_offered',
      'policy_unsatisfiable',
      'verification_ended',
      'rate_limited',
    ],
  },
  'POST /v1/verify/:id/response_code': {
    id: 'completeReturn',
    summary: 'Complete the return from a wallet',
    description: 'The hosted page calls it, with the code that the wallet received for this browser.',
    body: { json: 'BrowserReturnRequest' },
    responses: { 200: { description: 'The address to continue at.', json: ['BrowserReturnResult'] } },
    problems: ['cross_site_request', 'invalid_code', 'other_browser'],
  },
  'GET /v1/verify/:id/watch': {
    id: 'watchVerification',
    summary: 'Subscribe to the state of a verification',
    description: 'A WebSocket. Each message is a `VerificationState`; the first arrives at once.',
    responses: { 101: { description: 'The WebSocket is open.' } },
    problems: ['upgrade_required'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

const DID = {
  200: { description: 'The DID document.', json: ['DidDocument'], type: 'application/did+json' },
} as const

export const PUBLIC = {
  'GET /openapi.json': {
    id: 'readDescription',
    summary: 'Read this description',
    responses: {
      200: {
        description: 'OpenAPI 3.1.',
        other: {
          'application/json': {
            openapi: '3.1.1',
            info: { title: 'Wallet verifier', version: 'v1' },
            paths: {},
          },
        },
      },
    },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /docs': {
    id: 'readDocumentation',
    summary: 'Open the API reference',
    responses: { 200: { description: 'The page.', other: PAGE } },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /inspect': {
    id: 'readInspector',
    summary: 'Open the inspector of wallet messages',
    responses: { 200: { description: 'The page.', other: PAGE } },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /assets/api-reference.js': {
    id: 'readReferenceScript',
    summary: 'Read the script of the API reference',
    responses: { 200: { description: 'The script.', other: { 'text/javascript': SCRIPT } } },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /healthz': {
    id: 'readHealth',
    summary: 'Check that the service is running (liveness probe)',
    responses: { 200: { description: 'The service is running.', json: ['Health'] } },
    problems: ['internal_error'],
  },
  'GET /readyz': {
    id: 'readReadiness',
    summary: 'Check that the service is ready to serve (readiness probe)',
    responses: {
      200: { description: 'The service is ready to serve.', json: ['Readiness'] },
      503: {
        description:
          'The service is not ready: its certificate is not valid, its configuration is wrong, or storage can neither be written nor read.',
        json: ['Readiness'],
        headers: ['Retry-After'],
      },
    },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /': {
    id: 'openStartPage',
    summary: 'Open the start page of the service',
    description: 'For browsers: 404 where `Accept` does not have `text/html`.',
    responses: { 200: { description: 'The page, with links.', other: PAGE } },
    problems: ['not_found', 'internal_error', 'temporarily_unavailable'],
  },
  'GET /problems': {
    id: 'listProblems',
    summary: 'Read the list of problems and reasons',
    responses: { 200: { description: 'The page.', other: PAGE } },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /problems/:code': {
    id: 'explainProblem',
    summary: 'Read the explanation of a problem or a reason',
    responses: { 200: { description: 'The page.', other: PAGE } },
    problems: ['not_found', 'internal_error', 'temporarily_unavailable'],
  },
  'GET /.well-known/jwks.json': {
    id: 'readKeys',
    summary: 'Read the keys that verify access tokens, claims and receipts',
    responses: { 200: { description: 'A JWK Set.', json: ['KeySet'] } },
    problems: ['internal_error'],
  },
  'GET /.well-known/oauth-authorization-server': {
    id: 'readOAuthMetadata',
    summary: 'Read the metadata of the token endpoint',
    responses: { 200: { description: 'Metadata (RFC 8414).', json: ['OAuthMetadata'] } },
    problems: ['internal_error'],
  },
  'GET /.well-known/did.json': {
    id: 'readDid',
    summary: 'Read the keys that sign requests to wallets',
    responses: DID,
    problems: ['not_found', 'internal_error'],
  },
  'GET /rp/:rp/did.json': {
    id: 'readRelyingPartyDid',
    summary: 'Read the keys of a relying party that sign requests to wallets',
    responses: DID,
    problems: ['not_found', 'rate_limited', 'internal_error', 'temporarily_unavailable'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

function text(line: string) {
  return { 'text/plain': `${line}\n` } as const
}
