// What a person's browser opens (CONTRACT 1, 5): the hosted session page, its script, the socket it listens to, and the page
// a wallet sends people back to. The page is opened by the session's `client_token`, never by the id alone.

import { Hono } from 'hono'
import { encodeBase64url } from '../codec/base64url.ts'
import { utf8 } from '../codec/bytes.ts'
import { sha256 } from '../crypto/digest.ts'
import { configOf } from '../env.ts'
import { renderQr } from '../qr/render.ts'
import { QR_SIZE } from '../qr/symbol.ts'
import { settingsOf } from '../relying-party/settings-cache.ts'
import { sessionIdOf } from '../session/identifier.ts'
import type { VerificationSession } from '../session/verification-session.ts'
import { authenticateForSession } from './authenticate.ts'
import { isClientTokenOf } from './client-token.ts'
import type { AppContext, AppEnv } from './context.ts'
import { isUnreachableObject } from './edge.ts'
import { sendMessage, sendPage } from './page/document.ts'
import { SCRIPT } from './page/script.ts'
import { sessionBody } from './page/session-body.ts'
import { textsFor } from './page/texts.ts'
import { problem } from './problems.ts'

/** The routes of a person's browser. */
export function sessionPageRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/s/:id', guarded)
    .get(SCRIPT_PATH, sendScript)
    .get('/v1/verify/:id/watch', watch)
    .get('/v1/verify/:id/return', sendReturnPage)
}

const SCRIPT_PATH = '/assets/session-page.js'

type Stub = DurableObjectStub<VerificationSession>

/** An object that cannot be reached is a page that asks for patience. */
async function guarded(c: AppContext): Promise<Response> {
  try {
    return await openPage(c)
  } catch (error) {
    if (isUnreachableObject(error)) return sendUnavailable(c)
    throw error
  }
}

async function openPage(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const session = stubOf(c, id)
  const opens = await isClientTokenOf(configOf(c.env), id, c.req.query('token') ?? '')
  if (session === undefined || !opens) return sendNotFound(c)
  // As on `/qr`: a page that nobody looks at yet draws nothing, and is fetched again once somebody does.
  if (/\bprefetch\b/.test(c.req.header('Sec-Purpose') ?? '')) return sendUnavailable(c)
  return sendSession(c, id, session)
}

async function sendSession(c: AppContext, id: string, session: Stub): Promise<Response> {
  // The QR first: whatever happens meanwhile, the state that the page is written from is the later one.
  const render = await session.render(null)
  const found = await session.page()
  if (!found.ok) return sendNotFound(c)
  const page = found.value
  const settings = await settingsOf(c.env, page.relying_party_id, Date.now())
  if (!settings.ok) return settings.error === 'unavailable' ? sendUnavailable(c) : sendNotFound(c)
  const texts = textsFor(page.locale)
  const shown = {
    page,
    name: settings.value.name,
    qr: render.ok ? drawQr(render.value.uri) : null,
    api: `/v1/verify/${id}`,
    now: Date.now(),
  }
  const { title, body, live } = sessionBody(shown, texts)
  return sendPage(c, 200, { texts, title, body, ...(live && { script: await scriptAddress() }) })
}

/** The picture as an address, for an `<img>`: an image can hold no script and no style of the page's. */
function drawQr(uri: string): string {
  const picture = renderQr(uri, { size: QR_SIZE.standard, type: 'image/svg+xml' })
  if (!picture.ok) throw new Error('a wallet request does not fit a QR')
  return `data:image/svg+xml,${encodeURIComponent(new TextDecoder().decode(picture.value))}`
}

/** The script never changes under its address with `v`, which is a hash of it. */
async function sendScript(c: AppContext): Promise<Response> {
  const current = c.req.query('v') === (await scriptHash())
  return c.body(SCRIPT, 200, {
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  })
}

async function scriptAddress(): Promise<string> {
  return `${SCRIPT_PATH}?v=${await scriptHash()}`
}

async function scriptHash(): Promise<string> {
  knownHash ??= encodeBase64url(await sha256(utf8(SCRIPT))).slice(0, 16)
  return knownHash
}

let knownHash: string | undefined

/** Status as it changes, over a socket that hibernates with the object. A relying party's server may listen too. */
async function watch(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const caller = await authenticateForSession(c, id, 'verify:read')
  if (!caller.ok) return caller.error
  if (c.req.header('Upgrade')?.toLowerCase() !== 'websocket') {
    return problem(c, 'invalid_request', {
      detail: 'This address speaks WebSocket only.',
      errors: [{ pointer: '/Upgrade', code: 'invalid', message: 'must be websocket' }],
    })
  }
  const session = stubOf(c, id)
  if (session === undefined) return problem(c, 'verification_not_found')
  if (caller.value.kind === 'relying_party') {
    const owned = await session.read(caller.value.caller.settings.relying_party_id, '')
    if (!owned.ok) return problem(c, 'verification_not_found')
  }
  // A request of our own: the object has no use for the token.
  const accepted = await session.fetch('https://session/watch', { headers: { Upgrade: 'websocket' } })
  return accepted.status === 101 ? accepted : problem(c, 'verification_not_found')
}

/** Where a wallet sends people back to (OpenID4VP 1.0 §8.2). It knows nothing, asks nothing and is the same for every id. */
function sendReturnPage(c: AppContext): Promise<Response> {
  const texts = textsFor(null)
  return sendMessage(c, 200, texts, texts.returned)
}

/** An unknown id, a wrong token, an erased session: not told apart. */
function sendNotFound(c: AppContext): Promise<Response> {
  const texts = textsFor(null)
  return sendMessage(c, 404, texts, texts.notFound)
}

function sendUnavailable(c: AppContext): Promise<Response> {
  const texts = textsFor(null)
  return sendMessage(c, 503, texts, texts.unavailable)
}

function stubOf(c: AppContext, verificationId: string): Stub | undefined {
  const namespace = c.env.VERIFICATION_SESSION
  const id = sessionIdOf(namespace, verificationId)
  return id === undefined ? undefined : namespace.get(id)
}
