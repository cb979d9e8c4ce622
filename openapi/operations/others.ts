// Tokens, wallets, persons' browsers, and what anyone may read (CONTRACT 1, 5, 8).

import type { RouteName } from '../../src/routes/edge/access.ts'
import { TOKEN_ERRORS, type TokenRefusal } from '../../src/routes/settings/oauth-errors.ts'
import type { Operation } from '../operation.ts'

export const TOKENS = {
  'POST /oauth/token': {
    id: 'createAccessToken',
    summary: 'Get an access token for an API key',
    description:
      'RFC 6749 §4.4. `client_id` is the `relying_party_id`, `client_secret` an API key: by Basic, or in the form. Good for 15 minutes at most.',
    body: { form: 'TokenForm' },
    answers: { 200: { description: 'A JWT (RFC 9068).', json: ['Token'] } },
    tokenErrors: (Object.keys(TOKEN_ERRORS) as TokenRefusal[]).filter(
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
    description: 'OpenID4VP 1.0 §5. Repeatable: always the same nonce and key.',
    answers: REQUEST_OBJECT,
    walletErrors: ['unknown', 'gone', 'rate', 'failed', 'unavailable'],
  },
  'POST /r/:capability': {
    id: 'fetchRequestWithNonce',
    summary: "Fetch a Request Object with the wallet's own nonce",
    description: 'OpenID4VP 1.0 §5.10. Body: 16 KiB at most.',
    body: { form: 'RequestForm' },
    answers: REQUEST_OBJECT,
    walletErrors: [
      ...(['parameters', 'wallet_nonce', 'wallet_metadata'] as const),
      ...(['prefix', 'signing', 'response_mode', 'formats', 'request_encryption'] as const),
      ...(['unknown', 'gone', 'too_large', 'media_type', 'rate', 'failed', 'unavailable'] as const),
    ],
  },
  'POST /v1/verify/:id/callback': {
    id: 'answerRequest',
    summary: "Post the wallet's answer",
    description:
      'OpenID4VP 1.0 §8.2. Body: 1 MiB at most. An answer that is not heard costs the session nothing.',
    body: { form: 'AnswerForm' },
    answers: { 200: { description: 'Processed, whatever came of it.', json: ['Redirect'] } },
    walletErrors: [
      ...([
        'parameters',
        'form',
        'state',
        'superseded',
        'encryption',
        'query',
        'presentation',
        'transaction',
      ] as const),
      ...([
        'unknown',
        'ended',
        'awaited',
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
const SCRIPT = '(() => { … })()'
const STYLE = 'body { … }'

export const BROWSERS = {
  'GET /s/:id': {
    id: 'openPage',
    summary: 'The page a person is shown',
    answers: {
      200: { description: 'The page.', other: PAGE },
      404: { description: 'A page that says so.', other: PAGE },
      503: { description: 'A page that asks for patience.', other: PAGE, headers: ['Retry-After'] },
    },
    problems: ['internal_error'],
  },
  'GET /v1/verify/:id/return': {
    id: 'openReturnPage',
    summary: 'The page a wallet sends people back to',
    answers: { 200: { description: 'The page, the same for every id.', other: PAGE } },
    problems: ['internal_error'],
  },
  'GET /assets/:name': {
    id: 'readScript',
    summary: 'A script or a style of our pages',
    answers: { 200: { description: 'The file.', other: { 'text/javascript': SCRIPT, 'text/css': STYLE } } },
    problems: ['not_found', 'internal_error', 'temporarily_unavailable'],
  },
  'GET /test/:page': {
    id: 'openSandboxPage',
    summary: 'A page of the sandbox, such as the test wallet',
    description: 'Where the service has a sandbox. For test mode alone.',
    answers: {
      200: { description: 'The page.', other: PAGE },
      404: { description: 'No page.', other: PAGE },
    },
    problems: ['not_found', 'rate_limited', 'internal_error'],
  },
  'POST /test/:page': {
    id: 'useSandboxPage',
    summary: 'Use a page of the sandbox',
    description: 'A form that the page itself posts.',
    answers: {
      303: { description: 'Where the verifier sends the person on to.', headers: ['Location'] },
      404: { description: 'No page.', other: PAGE },
      422: { description: 'The page, and why there is no answer, or why it was not heard.', other: PAGE },
    },
    problems: ['not_found', 'rate_limited', 'internal_error'],
  },
  'GET /demo': {
    id: 'openShop',
    summary: 'Page of the demo shop',
    description:
      'A relying party that requests proof of age and shows the webhook. 404 without a configured shop.',
    answers: {
      200: { description: 'The page.', other: PAGE },
      302: { description: 'To the same page under the service’s own name.' },
      404: { description: 'No shop.', other: PAGE },
    },
    problems: ['not_found', 'internal_error'],
  },
  'GET /demo/:page': {
    id: 'readShop',
    summary: 'Files and state of the demo shop’s page, and its return URL',
    answers: {
      200: {
        description: 'Its script, its style sheet, or the state of the order.',
        other: { 'text/javascript': SCRIPT, 'text/css': STYLE, 'application/json': { mark: '3+' } },
      },
      303: { description: 'Back to the shop.' },
      404: { description: 'No such thing.', other: PAGE },
    },
    problems: ['not_found', 'internal_error'],
  },
  'POST /demo/:page': {
    id: 'useShop',
    summary: 'Order at the demo shop',
    description: 'Forms of its own page. `webhook` receives signed events.',
    answers: {
      204: { description: 'The event was received.' },
      303: { description: 'On to the next page.' },
      400: { description: 'The event is refused.', other: text('Webhook refused: wrong_signature.') },
      403: { description: 'From another site.', other: text('Cross-site request refused.') },
      404: { description: 'No such thing.', other: PAGE },
      413: { description: 'The event is too long.', other: text('The body is too long.') },
    },
    problems: ['not_found', 'internal_error'],
  },
  'POST /v1/verify/:id/link': {
    id: 'makeLink',
    summary: 'Make a request for this browser alone',
    description: 'From our own page. Its cookie knows the browser again.',
    answers: { 200: { description: 'Links that open a wallet.', json: ['Link'] } },
    problems: ['cross_site_request', 'verification_ended'],
  },
  'POST /v1/verify/:id/response_code': {
    id: 'comeBack',
    summary: 'Come back from the wallet',
    description: 'From our own page, with the code that the wallet was given for this browser.',
    body: { json: 'ComingBack' },
    answers: { 200: { description: 'Where to go on to.', json: ['CameBack'] } },
    problems: ['cross_site_request', 'invalid_code', 'other_browser'],
  },
  'GET /v1/verify/:id/watch': {
    id: 'watchVerification',
    summary: 'Listen to a verification',
    description: 'A WebSocket. Each message is a `VerificationState`, the first at once.',
    answers: { 101: { description: 'The socket is open.' } },
    problems: ['upgrade_required'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

const DID = {
  200: { description: 'The DID document.', json: ['DidDocument'], type: 'application/did+json' },
} as const

export const ANYONE = {
  'GET /openapi.json': {
    id: 'readDescription',
    summary: 'This description',
    answers: {
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
    summary: 'This description as a page',
    answers: { 200: { description: 'The page.', other: PAGE } },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /assets/api-reference.js': {
    id: 'readReferenceScript',
    summary: 'Read the script of the API reference',
    answers: { 200: { description: 'The script.', other: { 'text/javascript': SCRIPT } } },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /healthz': {
    id: 'readHealth',
    summary: 'Whether the service lives',
    answers: { 200: { description: 'It does.', json: ['Health'] } },
    problems: ['internal_error'],
  },
  'GET /readyz': {
    id: 'readReadiness',
    summary: 'Whether the service is configured and reaches its objects',
    answers: {
      200: { description: 'It is and does.', json: ['Readiness'] },
      503: {
        description: 'Its certificate is not valid, or as below.',
        json: ['Readiness'],
        headers: ['Retry-After'],
      },
    },
    problems: ['internal_error', 'temporarily_unavailable'],
  },
  'GET /problems/:code': {
    id: 'explainProblem',
    summary: 'What a problem means',
    answers: { 200: { description: 'A page.', other: PAGE } },
    problems: ['not_found', 'internal_error'],
  },
  'GET /.well-known/jwks.json': {
    id: 'readKeys',
    summary: 'Keys that verify access tokens, claims and receipts',
    answers: { 200: { description: 'A JWK Set.', json: ['KeySet'] } },
    problems: ['internal_error'],
  },
  'GET /.well-known/oauth-authorization-server': {
    id: 'readOAuthMetadata',
    summary: 'Metadata of the token endpoint',
    answers: { 200: { description: 'RFC 8414.', json: ['OAuthMetadata'] } },
    problems: ['internal_error'],
  },
  'GET /.well-known/did.json': {
    id: 'readDid',
    summary: 'Keys that sign requests to wallets',
    answers: DID,
    problems: ['not_found', 'internal_error'],
  },
  'GET /rp/:rp/did.json': {
    id: 'readRelyingPartyDid',
    summary: 'Keys of a relying party that sign requests to wallets',
    answers: DID,
    problems: ['not_found', 'rate_limited', 'internal_error', 'temporarily_unavailable'],
  },
} as const satisfies { readonly [name in RouteName]?: Operation }

function text(line: string) {
  return { 'text/plain': `${line}\n` } as const
}
