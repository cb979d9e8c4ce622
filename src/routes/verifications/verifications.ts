// Session routes of relying parties (api/access). Two of these routes also accept the session's
// `client_token`, which a kiosk may use.

import { Hono } from 'hono/tiny'
import { parseQrSize, qrQuery } from '../../api/requests.ts'
import { isoTime } from '../../codec/date-time.ts'
import { QR_MEDIA_TYPES, type QrMediaType, renderQr } from '../../qr/render.ts'
import type { AuditAction } from '../../relying-party/audit/audit-log.ts'
import { type SessionStub, sessionStub } from '../../relying-party/document/session-stub.ts'
import type { Scope } from '../../relying-party/document/settings.ts'
import { RECEIPT_TYPE } from '../../session/views/receipt.ts'
import { noteConsoleChange } from '../audit/origin.ts'
import { authenticate, authenticateForSession, toAccess } from '../edge/authenticate.ts'
import { readMessage } from '../edge/cloudflare.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { problem } from '../edge/problems.ts'
import { sendView, sessionProblem } from '../edge/session-view.ts'
import { readQuery } from '../edge/validate.ts'
import { createSession } from './creation/create-session.ts'
import { eraseEvidence, sendEvidence, sendMaterial } from './evidence.ts'
import { longPoll, readWait } from './wait.ts'

/** Builds the routes. */
export function relyingPartyRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .post('/v1/verify', createSession)
    .get('/v1/verify/:id', read)
    .delete('/v1/verify/:id', ofOwnSession('verify:create', erase, 'verification.erased'))
    .get('/v1/verify/:id/openid4vp', ofOwnSession('verify:request', readRequest))
    .get('/v1/verify/:id/qr', drawQr)
    .post('/v1/verify/:id/cancel', ofOwnSession('verify:create', cancel, 'verification.canceled'))
    .get('/v1/verify/:id/receipt', ofOwnSession('verify:read', receipt))
    .get('/v1/verify/:id/evidence', ofOwnSession('evidence:read', sendEvidence))
    .delete(
      '/v1/verify/:id/evidence',
      ofOwnSession('evidence:read', eraseEvidence, 'verification.evidence_erased'),
    )
    .get('/v1/evidence/materials/:sha256', sendMaterial)
    .get('/v1/verify/:id/timeline', ofOwnSession('verify:read', timeline))
    .get('/v1/verify/:id/deliveries', ofOwnSession('webhooks:manage', deliveries))
    .post(
      '/v1/verify/:id/deliveries/:delivery/redeliver',
      ofOwnSession('webhooks:manage', redeliver, 'verification.redelivered'),
    )
}

async function read(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const caller = await authenticateForSession(c, id, 'verify:read')
  if (!caller.ok) return caller.error
  // The query is checked before the id, so that the error of a bad query does not reveal if the id exists.
  const wait = readWait(c)
  if (!wait.ok) return wait.error
  const session = sessionStub(c.env, id)
  if (session === undefined) return problem(c, 'verification_not_found')
  const by = toAccess(caller.value)
  const look = () => ('createdAt' in by ? session.readPublic(by) : session.read(by.relyingPartyId))
  return sendView(c, await longPoll(look, wait.value, { session, by, request: c.req.raw }))
}

async function readRequest(c: AppContext, session: SessionStub, relyingPartyId: string): Promise<Response> {
  return sendView(c, await session.readRequest(relyingPartyId))
}

/**
 * Sends a QR code (api/qr). Each call creates a new request, which the QR code shows. So the picture must not
 * be cached or prefetched.
 */
async function drawQr(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const caller = await authenticateForSession(c, id, 'verify:request')
  if (!caller.ok) return caller.error
  if (/\bprefetch\b/.test(c.req.header('Sec-Purpose') ?? '')) {
    return problem(c, 'temporarily_unavailable', {
      detail: await readMessage(c.env.ASSETS, 'qr_prefetched'),
    })
  }
  const size = parseQrSize(c.req.queries('size'))
  if (size === undefined) return problem(c, 'invalid_qr_size')
  const query = readQuery(c, qrQuery)
  if (!query.ok) return query.error
  const type = acceptedType(c.req.header('Accept'))
  if (type === undefined) return problem(c, 'not_acceptable')
  const session = sessionStub(c.env, id)
  if (session === undefined) return problem(c, 'verification_not_found')
  const render = await session.render(toAccess(caller.value), query.value.wallet ?? null)
  if (!render.ok) return sessionProblem(c, render.error)
  const picture = renderQr(render.value.uri, { size, type })
  if (!picture.ok) {
    const detail =
      'The request is passed by value and needs more modules than this size has pixels: ask for a larger size.'
    return problem(c, 'invalid_qr_size', { detail })
  }
  return new Response(picture.value, {
    headers: {
      'Content-Type': type,
      'Cache-Control': 'no-store',
      'X-QR-Expires-At': isoTime(render.value.diesAt),
    },
  })
}

async function cancel(c: AppContext, session: SessionStub, relyingPartyId: string): Promise<Response> {
  const canceled = await session.cancel(relyingPartyId)
  if (!canceled.ok && canceled.error === 'ended') return problem(c, 'verification_already_terminal')
  return sendView(c, canceled)
}

async function erase(c: AppContext, session: SessionStub, relyingPartyId: string): Promise<Response> {
  const erased = await session.erase(relyingPartyId)
  if (!erased.ok && erased.error === 'unavailable') {
    return problem(c, 'temporarily_unavailable', { detail: await readMessage(c.env.ASSETS, 'entry_remains') })
  }
  return erased.ok ? c.body(null, 204) : sessionProblem(c, erased.error)
}

/** Sends the receipt (api/receipt): the JWS, with the media type of its `typ`. */
async function receipt(c: AppContext, session: SessionStub, relyingPartyId: string): Promise<Response> {
  const receipt = await session.readReceipt(relyingPartyId)
  if (!receipt.ok) return sessionProblem(c, receipt.error)
  const headers = { 'Content-Type': `application/${RECEIPT_TYPE}`, 'Cache-Control': 'no-store' }
  return c.body(receipt.value, 200, headers)
}

async function timeline(c: AppContext, session: SessionStub, relyingPartyId: string): Promise<Response> {
  return sendView(c, await session.readCourse(relyingPartyId, 'timeline'))
}

async function deliveries(c: AppContext, session: SessionStub, relyingPartyId: string): Promise<Response> {
  return sendView(c, await session.readCourse(relyingPartyId, 'deliveries'))
}

/** Starts one more delivery attempt. Sends 202 with the delivery log, which has the result later. */
async function redeliver(c: AppContext, session: SessionStub, relyingPartyId: string): Promise<Response> {
  const begun = await session.redeliver(relyingPartyId, c.req.param('delivery') ?? '')
  if (begun.ok) return sendView(c, await session.readCourse(relyingPartyId, 'deliveries'), 202)
  return problem(c, REDELIVERY_PROBLEMS[begun.error])
}

const REDELIVERY_PROBLEMS = {
  no_endpoint: 'webhook_not_configured',
  unavailable: 'temporarily_unavailable',
  limit_reached: 'redelivery_limit_reached',
  not_found: 'verification_not_found',
} as const

/**
 * Returns a handler that authenticates the relying party and finds the session. Foreign, forged and unknown
 * ids get the same 404 (api/access). `action`: entry in the audit log if the console makes this change.
 */
function ofOwnSession(
  scope: Scope,
  handler: (c: AppContext, session: SessionStub, relyingPartyId: string) => Promise<Response>,
  action?: AuditAction,
) {
  return async (c: AppContext): Promise<Response> => {
    const caller = await authenticate(c, scope)
    if (!caller.ok) return caller.error
    const id = c.req.param('id') ?? ''
    const session = sessionStub(c.env, id)
    if (session === undefined) return problem(c, 'verification_not_found')
    const { relying_party_id } = caller.value.settings
    const response = await handler(c, session, relying_party_id)
    if (response.ok && action) await noteConsoleChange(c, relying_party_id, { action, target: id })
    return response
  }
}

/**
 * Returns the media type of the picture: our first type with the highest quality in the header (RFC 9110
 * §12.5.1). Returns `undefined` if the header accepts none of our types.
 */
function acceptedType(accept: string | undefined): QrMediaType | undefined {
  if (accept === undefined || accept.trim() === '') return QR_MEDIA_TYPES[0]
  const ranges = accept.split(',').map(parseRange)
  const rated = QR_MEDIA_TYPES.map((type) => ({ type, quality: readQuality(type, ranges) }))
  const best = rated.reduce((a, b) => (b.quality > a.quality ? b : a))
  return best.quality > 0 ? best.type : undefined
}

type Range = { readonly range: string; readonly quality: number }

function parseRange(text: string): Range {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/**
 * Returns the quality of a type in the header: the quality of the most specific range that covers the type.
 * Returns 0 if no range covers the type.
 */
function readQuality(type: string, ranges: readonly Range[]): number {
  const candidates = [type, `${type.split('/')[0]}/*`, '*/*']
  const match = candidates.flatMap((candidate) => ranges.filter(({ range }) => range === candidate))[0]
  return match?.quality ?? 0
}
