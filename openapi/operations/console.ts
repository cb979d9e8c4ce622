// Operations of the console: its page and its sign-in. Its calls are those of the API, below `/console/api`.

import type { RouteName } from '../../src/routes/edge/access.ts'
import type { Operation } from '../operation.ts'

/** Problems of a body, and of a page of another origin. */
const BODY = [
  ...(['invalid_json', 'invalid_request', 'cross_site_request'] as const),
  ...(['not_found', 'request_timeout', 'payload_too_large', 'unsupported_media_type'] as const),
  ...(['rate_limited', 'internal_error', 'temporarily_unavailable'] as const),
] as const

/** Problems of a sign-in. */
const SIGN_IN = [
  ...BODY,
  ...(['invalid_token', 'expired_token', 'sign_in_refused', 'role_missing'] as const),
  ...(['people_not_enabled', 'sign_in_provider_failed'] as const),
] as const

export const CONSOLE = {
  'GET /console': {
    id: 'openConsole',
    summary: 'Open the console',
    description:
      '404 unless the service is configured with `CONSOLE=1`. Over http on loopback, the page is at the host name `console.localhost`, and other names lead there by 307.',
    responses: {
      200: { description: 'The page.', other: { 'text/html': '<!doctype html><html lang="en">…</html>' } },
    },
    problems: ['not_found', 'internal_error', 'temporarily_unavailable'],
  },
  'GET /console/assets/:name': {
    id: 'readConsoleFile',
    summary: 'Read a script, a style sheet or a text of the console',
    responses: {
      200: {
        description: 'The file.',
        other: { 'text/javascript': '(() => { … })()', 'text/css': 'body { … }', 'application/json': {} },
      },
    },
    problems: ['not_found', 'internal_error', 'temporarily_unavailable'],
  },
  'GET /console/people/:rp': {
    id: 'openConsoleOfPeople',
    summary: "Open the console's sign-in for people of a relying party",
    description:
      'Also the redirect URI of `console_sign_in`: the page sends the parameters of the response to `POST /console/session`.',
    responses: {
      200: { description: 'The page.', other: { 'text/html': '<!doctype html><html lang="en">…</html>' } },
    },
    problems: ['not_found', 'internal_error', 'temporarily_unavailable'],
  },
  'POST /console/people': {
    id: 'startPersonSignIn',
    summary: 'Start the sign-in of a person',
    description:
      'Sets a cookie for ten minutes. Open `authorization_url` in the same browser. From the page of the console only.',
    body: { json: 'ConsoleStartRequest' },
    responses: { 201: { description: "The address of the person's provider.", json: ['ConsoleStart'] } },
    problems: [...BODY, 'people_not_enabled', 'sign_in_provider_failed'],
  },
  'POST /console/session': {
    id: 'signIn',
    summary: 'Sign in to the console',
    description:
      "With an API key, the value of `ADMIN_TOKEN`, a code, or the response of a person's provider. Sets a cookie for 12 hours, which opens `/console/api` only, with `change_token` in the header `Console-Token`. No other response has `change_token`. From the page of the console only.",
    body: { json: 'SignIn' },
    responses: { 201: { description: 'Signed in.', json: ['ConsoleSignIn'] } },
    problems: SIGN_IN,
  },
  'GET /console/session': {
    id: 'readConsoleSession',
    summary: 'Read who is signed in to the console',
    description: 'With `change_token` in the header `Console-Token`.',
    responses: { 200: { description: 'The owner of the cookie.', json: ['ConsoleSession'] } },
    problems: [
      ...(['missing_token', 'invalid_token', 'expired_token', 'cross_site_request', 'not_found'] as const),
      ...(['internal_error', 'temporarily_unavailable'] as const),
    ],
  },
  'DELETE /console/session': {
    id: 'signOut',
    summary: 'Sign out of the console',
    description:
      'With `change_token` in the header `Console-Token`. A token of another sign-in is `cross_site_request`; without a valid cookie none is needed.',
    responses: {
      200: {
        description: 'The sign-in of a person has ended. They can also sign out of their provider.',
        json: ['ConsoleSignOut'],
      },
      204: { description: 'The sign-in has ended, and the cookie is removed.' },
    },
    problems: ['cross_site_request', 'not_found', 'internal_error', 'temporarily_unavailable'],
  },
  'POST /console/session/activity': {
    id: 'renewConsoleSession',
    summary: 'Renew the sign-in after activity of a person',
    description:
      'With `change_token` in the header `Console-Token`. A sign-in ends after an hour without this call, and after 12 hours.',
    responses: { 204: { description: 'The cookie is renewed.' } },
    problems: [
      ...(['missing_token', 'cross_site_request', 'not_found'] as const),
      ...(['internal_error', 'temporarily_unavailable'] as const),
    ],
  },
  'POST /console/codes': {
    id: 'createConsoleCode',
    summary: 'Create a code that opens the console of an API key',
    description: 'Once, within five minutes. Only where the service runs on the same machine.',
    body: { json: 'ConsoleCodeRequest' },
    responses: { 201: { description: 'The code.', json: ['ConsoleCode'] } },
  },
} as const satisfies { readonly [name in RouteName]?: Operation }
