// Routes of a person's browser (api/access, api/binding): session page, scripts, socket, return page. The
// session page requires the session's `client_token`. The id without this token opens no page.

import { Hono } from 'hono/tiny'
import { loadConfig } from '../../config.ts'
import { renderQr } from '../../qr/render.ts'
import { QR_SIZE } from '../../qr/symbol.ts'
import { type SessionStub, sessionStub } from '../../relying-party/document/session-stub.ts'
import type { Settings } from '../../relying-party/document/settings.ts'
import { loadSettings } from '../../relying-party/settings/settings-cache.ts'
import { type SessionAccess, watchAddress } from '../../session/access.ts'
import { verifyClientToken } from '../../session/request/client-token.ts'
import { offeredWallets, type PageView } from '../../session/views/page-view.ts'
import { authenticateForSession, readLoginCookie, toAccess } from '../edge/authenticate.ts'
import type { AppContext, AppEnv } from '../edge/context.ts'
import { isUnreachableObject } from '../edge/edge.ts'
import { problem } from '../edge/problems.ts'
import { aboutSettings } from './page/about.ts'
import { type ScriptName, scriptAddress, sendScript } from './page/assets.ts'
import { brandStyle } from './page/brand.ts'
import { sendMessage, sendPage } from './page/document.ts'
import { chooseLanguage } from './page/language.ts'
import { returnBody } from './page/return-body.ts'
import { backAddress, goesBack, type SessionPage, sessionBody } from './page/session-body.ts'
import { type Texts, textsIn } from './page/texts.ts'
import { answersOnIphone, chosenProfile, parseDevice } from './page/wallets.ts'
import { hasQr, listWays } from './page/ways.ts'

/** Builds the routes that a person's browser opens by GET. */
export function sessionPageRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/s/:id', openPage)
    .get('/assets/:name', sendScript)
    .get('/v1/verify/:id/watch', watch)
    .get('/v1/verify/:id/return', sendReturnPage)
}

/** Sends the session page. If a Durable Object cannot be reached, sends a page that asks for a reload. */
async function openPage(c: AppContext): Promise<Response> {
  try {
    return await authorizePage(c)
  } catch (error) {
    if (isUnreachableObject(error)) return sendUnavailable(c)
    throw error
  }
}

async function authorizePage(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const session = sessionStub(c.env, id)
  const createdAt = await verifyClientToken(loadConfig(c.env), id, c.req.query('token') ?? '')
  if (session === undefined || createdAt === undefined) return sendNotFound(c)
  // The page creates a request for its QR code, which a prefetch must not do. The browser fetches the page
  // again when the person opens it.
  if (/\bprefetch\b/.test(c.req.header('Sec-Purpose') ?? '')) return sendUnavailable(c)
  return sendSession(c, id, session, { createdAt, login: (await readLoginCookie(c, id))?.browser })
}

async function sendSession(
  c: AppContext,
  id: string,
  session: SessionStub,
  by: SessionAccess,
): Promise<Response> {
  // The QR code is rendered before the state is read. So the state on the page is never older than the
  // request in the QR code.
  const asked = namedWallet(c)
  const first = await session.render(by, asked)
  const isIgnored = !first.ok && (first.error === 'wallet_unknown' || first.error === 'wallet_cannot')
  const named = isIgnored ? null : asked
  const render = isIgnored ? await session.render(by, named) : first
  const mayLower = render.ok || render.error !== 'render_limit_reached'
  const page = await session.readPage(by, { named, mayLower })
  if (!page.ok) return sendNotFound(c)
  const view = page.value
  const settings = await loadSettings(c.env, view.relying_party_id, Date.now())
  if (!settings.ok) return settings.error === 'unavailable' ? sendUnavailable(c) : sendNotFound(c)
  const uri = render.ok ? render.value.uri : null
  return sendSessionPage(c, id, { view, settings: settings.value, named, uri, mayLower })
}

/** Returns the wallet that the address of the page names; null if it names none. */
export function namedWallet(c: AppContext): string | null {
  return c.req.query('wallet')?.slice(0, WALLET_CHARACTERS) ?? null
}

/** Number of characters of a wallet id that are read. */
const WALLET_CHARACTERS = 40

/** Content of a session page. */
type Shown = {
  readonly view: PageView
  readonly settings: Settings
  /** Wallet in the address of the page: an id, `any`, or null. */
  readonly named: string | null
  /** URI of the QR code; null without a QR code. */
  readonly uri: string | null
  /** False if the render limit is reached. The page then offers no other wallet. */
  readonly mayLower?: boolean
  /** False for a login whose session does not exist yet. */
  readonly isBegun?: boolean
}

/** Sends the page of a session, or of a login that has no session yet. */
export async function sendSessionPage(
  c: AppContext,
  id: string,
  { view, settings, named, uri, mayLower = true, isBegun = true }: Shown,
): Promise<Response> {
  const texts = await textsFor(c, view.locale)
  const { name, branding, origins } = settings
  // A login is never shown in a frame: the page around it could hide which client the login is for.
  const embedders = view.login === null ? origins : []
  const embedder = embedders.find((origin) => origin === c.req.query('embed'))
  const life = { now: Math.floor(Date.now() / 1000), expiresAt: Math.floor(view.expires_at / 1000) }
  const wallets = mayLower ? await offeredWallets(view, { config: loadConfig(c.env), settings, ...life }) : []
  const page = {
    view,
    name,
    about: aboutSettings(settings, Date.now(), view.intended_use ?? undefined),
    branding,
    transactionTypes: settings.transaction_data_types,
    isBegun,
    id,
    qr: uri === null ? null : drawQr(uri),
    testWallet:
      view.livemode || c.env.SANDBOX === undefined ? null : uri === null ? '' : testWalletAddress(uri),
    walletName: chosenProfile({ view })?.name ?? null,
    named,
    wallets,
    answersOnIphone: answersOnIphone({ view, wallets }, mayLower),
    alternative: view.login === null ? (view.alternative_url ?? settings.alternative_url ?? null) : null,
    device: parseDevice(c.req.header('User-Agent'), c.req.header('Accept-Language'), view.locale),
    api: `/v1/verify/${id}`,
    token: c.req.query('token') ?? '',
    seen: parseSeen(c.req.query('seen')),
    isFramed: /^i?frame$/.test(c.req.header('Sec-Fetch-Dest') ?? ''),
    embedder,
    now: Date.now(),
  }
  const { title, body, live } = sessionBody(page, texts)
  const scripts = await loadAddresses(c, live ? listScripts(page) : listReports(page))
  const style = branding?.color ? brandStyle(branding.color) : ''
  const next = nextAddress(c, page)
  // Without a QR code, a page can do nothing before its scripts have chosen the buttons. Buttons that appear
  // later would move its content.
  const isDrawnAfterScripts = live && !hasQr(page)
  const document = { texts, title, body, scripts, isDrawnAfterScripts, style, embedders, next }
  return sendPage(c, 200, { ...document, hasOwnForm: live })
}

/** Query parameter in the address of the page. It is present after a person pressed *Do not share*. */
export const LEAVE = 'leave'

/**
 * Returns the address that the browser opens after the person pressed *Do not share*; `undefined` otherwise.
 * A page in a frame stays open, because the page around it gets the status.
 */
function nextAddress(c: AppContext, page: SessionPage): string | undefined {
  const { view, isFramed } = page
  const leaves = c.req.query(LEAVE) !== undefined && view.status === 'declined' && !isFramed
  return leaves ? backAddress(page) : undefined
}

/** Returns the texts in the session's language, or in the browser's language. */
export function textsFor(c: AppContext, locale: string | null): Promise<Texts> {
  return textsIn(c.env.ASSETS, chooseLanguage(locale, c.req.header('Accept-Language')))
}

function loadAddresses(c: AppContext, names: readonly ScriptName[]): Promise<readonly string[]> {
  return Promise.all(names.map((name) => scriptAddress(c.env.ASSETS, name)))
}

/**
 * Returns the scripts of the page. The page's own script comes last, after the other scripts have shown their
 * ways to a wallet.
 */
function listScripts(page: SessionPage): readonly ScriptName[] {
  const scripts = listWays(page).map(({ script }) => script)
  const back = goesBack(page) ? (['go-back.js'] as const) : []
  return [...listReports(page), ...scripts.filter((script) => script !== null), ...back, 'session-page.js']
}

/**
 * Returns the script that reports the status to the page around this page; empty without such a page. The
 * status of an ended session is reported, too.
 */
function listReports({ embedder }: SessionPage): readonly ScriptName[] {
  return embedder === undefined ? [] : ['embed.js']
}

/** Returns the number in the parameter `seen`; 0 for any other text. */
function parseSeen(text = ''): number {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0
}

/**
 * Returns the QR code as an address for `<img>`. A picture in `<img>` runs no script and changes no style.
 */
function drawQr(uri: string): string {
  const picture = renderQr(uri, { size: QR_SIZE.standard, type: 'image/svg+xml' })
  if (!picture.ok) throw new Error('a wallet request does not fit into a QR code')
  return `data:image/svg+xml,${encodeURIComponent(new TextDecoder().decode(picture.value))}`
}

function testWalletAddress(uri: string): string {
  return `/test/wallet?uri=${encodeURIComponent(uri)}`
}

/** Sends each new status over a socket, to the page or to the relying party's server. */
async function watch(c: AppContext): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const caller = await authenticateForSession(c, id, 'verify:read')
  if (!caller.ok) return caller.error
  if (c.req.header('Upgrade')?.toLowerCase() !== 'websocket') {
    return problem(c, 'upgrade_required', { headers: { Upgrade: 'websocket' } }) // RFC 9110 §15.5.22
  }
  const session = sessionStub(c.env, id)
  if (session === undefined) return problem(c, 'verification_not_found')
  const address = watchAddress(toAccess(caller.value))
  const accepted = await session.fetch(address, { headers: { Upgrade: 'websocket' } })
  if (accepted.status === 101) return accepted
  return problem(c, accepted.status === 503 ? 'temporarily_unavailable' : 'verification_not_found')
}

/**
 * Sends the page that a wallet returns people to (OpenID4VP 1.0 §8.2). The page is the same for every id. The
 * call changes nothing.
 */
async function sendReturnPage(c: AppContext): Promise<Response> {
  const texts = await textsFor(c, null)
  const scripts = await loadAddresses(c, ['return-page.js'])
  return sendPage(c, 200, { texts, ...returnBody(texts), scripts })
}

/** Sends the same page for an unknown id, a wrong token and an erased session. */
async function sendNotFound(c: AppContext): Promise<Response> {
  return sendMessage(c, 404, await textsFor(c, null), 'notFound')
}

async function sendUnavailable(c: AppContext): Promise<Response> {
  return sendMessage(c, 503, await textsFor(c, null), 'unavailable')
}
