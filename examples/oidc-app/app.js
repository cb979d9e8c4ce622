// An app that logs people in with their wallet, by OpenID Connect. See README.md.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import * as client from 'openid-client'
import { loggedIn, loggedOut } from './pages.js'
import { APP_URL, CALLBACK, PORT, REGISTRATION } from './settings.js'

const config = await discover(JSON.parse(readFileSync(REGISTRATION, 'utf8')))

/** Browser → the login that it began, then who it is. A real app stores this in its database. */
const sessions = new Map()

const ROUTES = { 'GET /': home, 'POST /login': login, 'GET /callback': callback, 'POST /logout': logout }

createServer(async (request, response) => {
  try {
    const { pathname } = new URL(request.url, APP_URL)
    const handle = ROUTES[`${request.method} ${pathname}`]
    if (handle === undefined) return response.writeHead(404).end('Not found')
    await handle(request, response)
  } catch (error) {
    console.error(error)
    response.writeHead(502).end('The login failed. Try again.')
  }
}).listen(PORT, '127.0.0.1', () => console.log(`The app is open: ${APP_URL}`))

/** Reads the metadata of the issuer, so that the app has no address of it but one. */
async function discover({ issuer, client_id, client_secret, decryption_jwk }) {
  const found = await client.discovery(
    new URL(issuer),
    client_id,
    { id_token_signed_response_alg: 'RS256' },
    client.ClientSecretBasic(client_secret),
    // http is for `npm start` on this machine only.
    { execute: new URL(issuer).hostname === 'localhost' ? [client.allowInsecureRequests] : [] },
  )
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const key = await crypto.subtle.importKey('jwk', decryption_jwk, algorithm, false, ['deriveBits'])
  client.enableDecryptingResponses(found, ['A256GCM'], { key, kid: 'app-1' })
  return found
}

async function home(request, response) {
  const claims = sessions.get(sessionId(request))?.claims
  send(response, claims === undefined ? loggedOut() : loggedIn(claims))
}

// 1. The browser goes to the wallet check, with a request that only this browser can finish.
async function login(_, response) {
  const begun = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  }
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid',
    state: begun.expectedState,
    nonce: begun.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(begun.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  redirect(response, address.href, startSession({ begun }))
}

// 2. The browser comes back. The library decrypts the ID token, and checks state, issuer, nonce, signature.
async function callback(request, response) {
  const id = sessionId(request)
  const begun = sessions.get(id)?.begun
  sessions.delete(id)
  if (begun === undefined) return redirect(response, '/')
  try {
    const tokens = await client.authorizationCodeGrant(config, new URL(request.url, APP_URL), {
      ...begun,
      idTokenExpected: true,
    })
    // A new session id, which was in no request before the login.
    redirect(response, '/', startSession({ claims: tokens.claims() }))
  } catch (error) {
    if (!(error instanceof client.AuthorizationResponseError)) throw error
    // `error_description` is the reason code: the person declined, was rejected, or took too long.
    send(response, loggedOut(`You are not logged in: ${error.error} (${error.error_description}).`))
  }
}

async function logout(request, response) {
  sessions.delete(sessionId(request))
  redirect(response, '/')
}

function startSession(session) {
  const id = randomUUID()
  sessions.set(id, session)
  return id
}

/** `Lax`: the browser sends the cookie when it comes back from the wallet check. */
function redirect(response, location, id) {
  const secure = APP_URL.startsWith('https') ? '; Secure' : ''
  const cookie = id && { 'Set-Cookie': `session=${id}; Path=/; HttpOnly; SameSite=Lax${secure}` }
  response.writeHead(303, { Location: location, ...cookie }).end()
}

function sessionId(request) {
  return /(?:^|; )session=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1]
}

function send(response, html) {
  response
    .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' })
    .end(html)
}
