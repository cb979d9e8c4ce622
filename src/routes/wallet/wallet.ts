// Routes of wallets: the Request Object (OpenID4VP 1.0 §5.10) and the Response URI (§8.2). An unguessable
// address is the authorization. Every response is the Request Object or non-empty JSON, and never a redirect.
// Pages of any origin can read it.

import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { encodeBase64url } from '../../codec/base64url.ts'
import { sha256 } from '../../crypto/digest.ts'
import { isWalletNonce } from '../../openid4vp/request/request-object.ts'
import { parseWalletMetadata } from '../../openid4vp/request/wallet-metadata.ts'
import { ID_LENGTH } from '../../relying-party/document/identifier.ts'
import { sessionStub } from '../../relying-party/document/session-stub.ts'
import type { RequestingWallet } from '../../session/request/fetching.ts'
import { HANDLE_LENGTH } from '../../session/request/handles.ts'
import { isAdmitted, isDraining } from '../edge/admission.ts'
import type { AppEnv } from '../edge/context.ts'
import { logError } from '../edge/edge.ts'
import { readForm } from '../edge/form.ts'
import { takeWalletCall } from '../edge/rate-limit.ts'
import { type WalletRefusal, walletError } from './wallet-errors.ts'

type WalletContext = Context<AppEnv>

const CALLBACK_LIMIT = 1024 * 1024
const FETCH_LIMIT = 16 * 1024

/** Builds the routes. */
export function walletRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/r/:capability', (c) =>
      c.req.method === 'HEAD'
        ? refuseRequestMethod(c)
        : guarded(c, () => sendRequest(c, { nonce: null, metadata: null })),
    )
    .post('/r/:capability', (c) => guarded(c, () => postRequest(c)))
    .all('/r/:capability', refuseRequestMethod)
    .all('/r/*', (c) => refuse(c, 'unknown_request'))
    .post('/v1/verify/:id/callback', (c) => guarded(c, () => present(c)))
    .all('/v1/verify/:id/callback', (c) => refuse(c, 'method_not_allowed', { Allow: 'POST' }))
}

/**
 * Refuses a method with 405. HEAD is refused too, because it must have no effect (api/access). Hono would
 * pass HEAD to the handler of GET, which returns the request.
 */
function refuseRequestMethod(c: WalletContext): Promise<Response> {
  return refuse(c, 'method_not_allowed', { Allow: 'GET, POST' })
}

/**
 * Handles the POST of a wallet that supports `request_uri_method=post` (§5.10). The wallet posts a nonce and
 * its metadata.
 */
async function postRequest(c: WalletContext): Promise<Response> {
  const form = await readForm(c.req.raw, FETCH_LIMIT)
  if (!form.ok) return refuse(c, form.error)
  const { parameters } = form.value
  const text = parameters.get('wallet_metadata')
  const metadata = text === undefined ? undefined : parseWalletMetadata(text)
  if (metadata?.ok === false) return refuse(c, 'wallet_metadata_invalid')
  const nonce = parameters.get('wallet_nonce')
  if (nonce !== undefined && !isWalletNonce(nonce)) return refuse(c, 'wallet_nonce_invalid')
  return sendRequest(c, { nonce: nonce ?? null, metadata: metadata?.value ?? null })
}

async function sendRequest(c: WalletContext, wallet: RequestingWallet): Promise<Response> {
  const capability = c.req.param('capability') ?? ''
  const session = sessionStub(c.env, `v_${capability.slice(0, ID_LENGTH)}`)
  if (session === undefined || capability.length !== ID_LENGTH + HANDLE_LENGTH)
    return refuse(c, 'unknown_request')
  const isSandbox = c.req.header('sandbox-wallet') !== undefined
  const result = await session.fetchRequest(capability.slice(ID_LENGTH), { ...wallet, isSandbox })
  if (!result.ok) return refuse(c, result.error)
  return respond(200, result.value, 'application/oauth-authz-req+jwt')
}

/** Handles the authorization response (§8.2). Form, size and type are checked before the object is called. */
async function present(c: WalletContext): Promise<Response> {
  const session = sessionStub(c.env, c.req.param('id') ?? '')
  if (session === undefined) return refuse(c, 'session_not_found')
  const form = await readForm(c.req.raw, CALLBACK_LIMIT)
  if (!form.ok) return refuse(c, form.error)
  const digest = encodeBase64url(await sha256(form.value.bytes))
  const result = await session.processResponse({ parameters: [...form.value.parameters], digest })
  if (!result.ok) return refuse(c, result.error)
  return respond(200, JSON.stringify({ redirect_uri: result.value }), 'application/json')
}

/**
 * Refuses new calls while the process ends or has no capacity, and applies the rate limit by IP address.
 * Sends 503 if an object is unreachable, and 500 for any other thrown error. All errors are OAuth errors.
 */
async function guarded(c: WalletContext, handle: () => Promise<Response>): Promise<Response> {
  if (isDraining()) return refuse(c, 'service_unavailable')
  if (!(await takeWalletCall(c))) return refuse(c, 'rate_limited')
  if (!(await isAdmitted('begun'))) return refuse(c, 'service_unavailable')
  try {
    return await handle()
  } catch (error) {
    return refuse(c, logError(error, c) === 'unreachable' ? 'service_unavailable' : 'service_failed')
  }
}

async function refuse(
  c: WalletContext,
  refusal: WalletRefusal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { status, error, description } = await walletError(c, refusal)
  const response = respond(
    status,
    JSON.stringify({ error, error_description: description }),
    'application/json',
  )
  if (status === 429 || status === 503) response.headers.set('Retry-After', '2')
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

function respond(status: number, body: string, contentType: string): Response {
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
  }
  return new Response(body, { status, headers })
}
