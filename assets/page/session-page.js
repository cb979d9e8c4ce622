// Follows one verification session: shows each new state, replaces the QR code and counts down.
// It writes text and the address of one picture, never markup.

/** @typedef {import('../../src/routes/browser/page/script-data.ts').ScriptData} ScriptData */
/** @typedef {keyof ScriptData['states']} PageState */
/** @typedef {{ readonly version: number, readonly status: string, readonly stage: string }} SessionView */

const RENEW_MS = 30000 // a QR code is replaced after this time
const RETRY_MS = 2000 // the same while no QR code is visible
const READ_MS = 60000 // the state is read this often: a broken socket may never report an error
const LATE_READ_MS = 5000 // the same after the session's time is up
const OPENING_MS = 10000 // a socket that opens slower than this is closed
const BACKOFF_MS = [500, 1000, 2000, 5000, 10000, 20000]

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const picture = /** @type {HTMLImageElement} */ (document.getElementById('qr'))
const [time, lost] = [element('time'), element('lost')]
const page = /** @type {ScriptData} */ (JSON.parse(main.dataset.page ?? ''))
const token = new URLSearchParams(location.search).get('token') ?? ''

const start = Date.now()
const deadline = start + page.expires_in
let state = /** @type {PageState} */ (main.dataset.state)
let version = page.version
let nextDraw = start + (picture.hidden ? RETRY_MS : RENEW_MS)
let nextRead = Math.min(start + READ_MS, deadline)
let openings = 0 // sockets opened since the last message
let failures = 0 // failed reads since the last response

const isOpen = () => ['waiting', 'scanned', 'returning'].includes(state)

if (page.on_phone && matchMedia('(pointer: coarse)').matches) {
  page.states.waiting = page.on_phone
  if (state === 'waiting') writeTexts()
}
if (isOpen()) {
  time.hidden = false
  const clock = setInterval(() => (isOpen() ? tick() : clearInterval(clock)), 1000)
  document.addEventListener('visibilitychange', refresh)
  addEventListener('online', refresh)
  tick()
  connect()
}

/** Runs once a second: writes the countdown, and does what is due. */
function tick() {
  const now = Date.now()
  time.textContent = page.time_left.replace('{time}', clockTime(Math.max(0, deadline - now)))
  if (now >= nextRead) read()
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

/** Replaces the QR code. The old one remains valid until a new one is fetched. */
async function draw() {
  nextDraw = Date.now() + (picture.hidden ? RETRY_MS : RENEW_MS)
  try {
    const response = await request('/qr', 'image/svg+xml')
    if (response.status === 404 || response.status === 410) return read()
    if (response.status === 409) nextDraw = Number.POSITIVE_INFINITY // this session offers no QR code
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
  if (view.status !== 'pending') show(view.status)
  else if (view.stage === 'created') show('waiting')
  else show(view.stage === 'awaiting_return' ? 'returning' : 'scanned')
}

/** @param {string} next */
function show(next) {
  if (next === state || !isOpen() || !isPageState(next)) return
  state = next
  main.dataset.state = next
  writeTexts()
  if (!isOpen()) end()
}

/**
 * @param {string} name
 * @returns {name is PageState}
 */
function isPageState(name) {
  return Object.hasOwn(page.states, name)
}

function writeTexts() {
  const { title, text } = page.states[state]
  document.title = title
  element('title').textContent = title
  element('text').textContent = text
}

/** Removes the ways to a wallet. A focus on one of them moves to the outcome. */
function end() {
  const [ways, back] = [element('live'), document.getElementById('back')]
  const hadFocus = ways.contains(document.activeElement)
  element('asks').textContent = page.asked
  element('consent').remove()
  if (back) back.hidden = false
  ways.remove()
  if (hadFocus) element('title').focus()
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
