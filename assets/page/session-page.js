// Follows one verification session: shows each new state, replaces the QR code and counts down.
// It writes text and the address of one picture, never markup.

/** @typedef {import('../../src/routes/browser/page/script-data.ts').ScriptData} ScriptData */
/** @typedef {keyof ScriptData['states']} PageState */
/** @typedef {{ readonly number: number, readonly kind: string, readonly family: string | null }} Activity */
/**
 * @typedef {{
 *   readonly version: number, readonly status: string, readonly stage: string,
 *   readonly wallet_activity: Activity | null, readonly family: string | null
 * }} SessionView
 */

const RENEW_MS = 30000 // a QR code is replaced after this time
const RETRY_MS = 2000 // the same while no QR code is visible
const READ_MS = 60000 // the state is read this often: a broken socket may never report an error
const LATE_READ_MS = 5000 // the same after the session's time is up
const OPENING_MS = 10000 // a socket that opens slower than this is closed
const WAITING_FOR_WALLET_MS = 30000 // after this time without a response a new code is offered
const BACKOFF_MS = [500, 1000, 2000, 5000, 10000, 20000]

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const main = /** @type {HTMLElement} */ (document.querySelector('main'))
// Null where the session offers no QR code.
const picture = /** @type {HTMLImageElement | null} */ (document.getElementById('qr'))
const [time, lost] = [element('time'), element('lost')]
const newCode = /** @type {HTMLAnchorElement | null} */ (document.getElementById('new-code'))
const page = /** @type {ScriptData} */ (JSON.parse(main.dataset.page ?? ''))
const token = new URLSearchParams(location.search).get('token') ?? ''

const start = Date.now()
const deadline = start + page.expires_in
let state = /** @type {PageState} */ (main.dataset.state)
let version = page.version
let nextDraw = start + drawingPause()
let nextRead = Math.min(start + READ_MS, deadline)
let openings = 0 // sockets opened since the last message
let failures = 0 // failed reads since the last response
const refusedText = page.states.refused.text // for a family without a text
let seen = page.seen
let activity = page.activity?.number ?? 0
let activeAt = start - (page.activity?.ago ?? 0)

let begun = page.begun // a login has no session before its first POST

const isOpen = () => ['waiting', 'scanned', 'refused', 'returning'].includes(state)

if (isOpen()) {
  showWallets()
  if (state === 'waiting') writeTexts()
  newCode?.addEventListener('click', showNewCode)
  time.hidden = false
  const clock = setInterval(() => (isOpen() ? tick() : clearInterval(clock)), 1000)
  document.addEventListener('visibilitychange', refresh)
  addEventListener('online', refresh)
  tick()
  if (begun) connect()
  else main.addEventListener('begun', begin, { once: true })
}

/** Follows the session that another script of this page has created. */
function begin() {
  begun = true
  connect()
}

/** Shows the wallets of the list that only this browser's API reaches. A frame has no such API. */
function showWallets() {
  const api = self.DigitalCredential
  if (api === undefined || self !== top) return
  for (const entry of document.querySelectorAll('[data-exchanges]')) {
    const exchanges = /** @type {HTMLElement} */ (entry).dataset.exchanges?.split(' ') ?? []
    const isAllowed = exchanges.some((name) => api.userAgentAllowsProtocol?.(name) ?? true)
    if (isAllowed) entry.removeAttribute('hidden')
  }
}

/** Runs once a second: writes the countdown, and does what is due. */
function tick() {
  const now = Date.now()
  time.textContent = page.time_left.replace('{time}', clockTime(Math.max(0, deadline - now)))
  if (now >= nextRead) read()
  if (!begun && now >= deadline) show('expired')
  offerNewCode(now)
  if (state === 'waiting' && !document.hidden && now >= nextDraw && now < deadline) draw()
}

/** Reads the state when the page becomes visible or the network returns. */
function refresh() {
  if (document.hidden || !isOpen()) return
  read()
  tick()
}

/** Opens the socket. It sends the state at once, and again after each change. */
function connect() {
  const address = new URL(`${page.api}/watch?token=${encodeURIComponent(token)}`, location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  const socket = new WebSocket(address)
  const opening = setTimeout(() => socket.close(), OPENING_MS)
  socket.onmessage = ({ data }) => {
    clearTimeout(opening)
    openings = 0
    apply(JSON.parse(data))
    if (!isOpen()) socket.close()
  }
  socket.onclose = ({ reason }) => {
    clearTimeout(opening)
    if (reason === 'erased') show('gone')
    if (!isOpen()) return
    const pause = BACKOFF_MS[Math.min(openings, BACKOFF_MS.length - 1)] ?? 0
    openings += 1
    setTimeout(reconnect, pause * (1 + Math.random() / 2))
  }
}

/** Reads the state before each new socket: some networks block sockets. */
async function reconnect() {
  await read()
  if (isOpen()) connect()
}

/** Reads the state once. */
async function read() {
  if (!begun) return
  const now = Date.now()
  nextRead = now < deadline ? Math.min(now + READ_MS, deadline) : now + LATE_READ_MS
  try {
    const response = await request('', 'application/json')
    if (response.status === 404) return show('gone')
    if (response.ok) return apply(await response.json())
    countFailure()
  } catch {
    countFailure()
  }
}

/** Returns the time until the next drawing. */
function drawingPause() {
  return picture?.hidden ? RETRY_MS : RENEW_MS
}

/** Replaces the QR code. The old one remains valid until a new one is fetched. */
async function draw() {
  if (!picture) return
  nextDraw = Date.now() + drawingPause()
  try {
    const query = page.wallet === null ? '' : `?wallet=${page.wallet}`
    const response = await request(`/qr${query}`, 'image/svg+xml')
    if (response.status === 404 || response.status === 410) return read()
    if (!response.ok) return
    const svg = await response.text()
    if (!isOpen()) return
    picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`
    picture.hidden = false
    nextDraw = Date.now() + RENEW_MS
  } catch {
    countFailure()
  }
}

/**
 * @param {string} path
 * @param {string} type
 */
function request(path, type) {
  const headers = { Authorization: `Bearer ${token}`, Accept: type }
  return fetch(page.api + path, { headers, cache: 'no-store', signal: AbortSignal.timeout(15000) })
}

/**
 * Shows a state. Ignores one that is older than the page.
 * @param {SessionView} view
 */
function apply(view) {
  failures = 0
  lost.hidden = true
  if (view.version < version) return
  version = view.version
  const last = view.wallet_activity ?? null
  const isNew = last !== null && last.number > activity
  if (isNew) [activity, activeAt] = [last.number, Date.now()]
  if (view.status !== 'pending') showEnd(view)
  else if (view.stage === 'awaiting_return') show('returning')
  else if (last === null ? view.stage === 'created' : last.number <= seen) show('waiting')
  else if (last?.kind === 'response_refused') showRefusal(last, isNew)
  else show('scanned')
}

/**
 * Shows the end, with the text of its family if there is one.
 * @param {SessionView} view
 */
function showEnd({ status, family }) {
  const text = page.ends[family ?? '']
  if (text && isPageState(status)) page.states[status] = { ...page.states[status], text }
  show(status)
}

/** @param {string} next */
function show(next) {
  if (next === state || !isOpen() || !isPageState(next)) return
  // The page that the wallet returned to goes on with that success.
  const isElsewhere = state === 'returning' && next === 'verified'
  state = next
  main.dataset.state = next
  writeTexts()
  if (isOpen()) return offerNewCode(Date.now())
  end(page.follows && !isElsewhere)
  if (!isElsewhere && next !== 'gone') main.dispatchEvent(new Event('ended'))
}

/**
 * Shows a refused response. Its text stays until the next activity.
 * @param {Activity} refused
 * @param {boolean} isNew
 */
function showRefusal({ family }, isNew) {
  if (state === 'refused' && !isNew) return
  const { title } = page.states.refused
  page.states.refused = { title, text: page.refusals[family ?? ''] ?? refusedText }
  if (state !== 'refused') return show('refused')
  writeTexts()
  offerNewCode(Date.now())
}

/**
 * Offers the way on: at once after a refused response, later after a request that nothing followed.
 * @param {number} now
 */
function offerNewCode(now) {
  if (!newCode) return
  newCode.hidden = !(state === 'refused' || (state === 'scanned' && now - activeAt >= WAITING_FOR_WALLET_MS))
  const query = new URLSearchParams({ token, seen: String(activity) })
  if (page.wallet !== null) query.set('wallet', page.wallet)
  if (!newCode.hidden) newCode.href = `?${query}`
}

/**
 * Shows the ways to a wallet again, with a new code. The address keeps that for a reload.
 * @param {Event} event
 */
function showNewCode(event) {
  event.preventDefault()
  seen = activity
  history.replaceState(null, '', newCode?.href)
  element('link-note').textContent = ''
  if (picture) picture.hidden = true
  show('waiting')
  draw()
  element('title').focus()
}

/**
 * @param {string} name
 * @returns {name is PageState}
 */
function isPageState(name) {
  return Object.hasOwn(page.states, name)
}

function writeTexts() {
  const first = page.ways.find(({ id, opening }) => opening && isVisible(id))
  const { title, text } = (state === 'waiting' && first?.opening) || page.states[state]
  document.title = title
  element('title').textContent = title
  element('text').textContent = text
}

/** @param {string} id */
function isVisible(id) {
  return (document.getElementById(id)?.offsetParent ?? null) !== null
}

/**
 * Removes the ways to a wallet. A focus on one of them moves to the outcome.
 * @param {boolean} follows
 */
function end(follows) {
  const [ways, help] = [element('live'), element('help')]
  const back = /** @type {HTMLAnchorElement | null} */ (document.getElementById('back'))
  const focused = document.activeElement
  const hadFocus = ways.contains(focused) || help.contains(focused) || focused === newCode
  element('asks').textContent = page.asked
  element('consent').remove()
  newCode?.remove()
  const address = page.back[state]
  if (back && address) back.href = address
  if (back) back.hidden = back.href === '' // the address of a session that is gone is not known
  ways.remove()
  help.remove()
  delete main.dataset.live
  if (hadFocus) element('title').focus()
  if (follows && back) location.replace(back.href)
}

/** Shows the warning after two failures in a row: a single one is often chance. */
function countFailure() {
  failures += 1
  lost.hidden = failures < 2
}

/**
 * 9:05, or 1:09:05.
 * @param {number} milliseconds
 */
function clockTime(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000)
  const twoDigits = (/** @type {number} */ count) => String(count).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return `${hours > 0 ? `${hours}:${twoDigits(minutes)}` : minutes}:${twoDigits(seconds % 60)}`
}
