// The page's script: it follows the session over a WebSocket, renews the QR and counts down. Plain JavaScript as text, for
// it runs in the browser and is served as a file of its own. It writes text and one picture's address, never markup.

/** Content of `/assets/session-page.js`. It may hold no backquote, no backslash and no `${`. */
export const SCRIPT = `// Follows one verification session.

const RENEW_MS = 30000 // a QR is drawn anew after this long
const RETRY_MS = 2000 // or after this, while there is none to see
const LOOK_MS = 60000 // the state is asked for this often besides: a socket can be dead without knowing
const LATE_MS = 5000 // and this often past the end
const OPENING_MS = 10000 // a socket that has not opened by then never will
const BACKOFF_MS = [500, 1000, 2000, 5000, 10000, 20000]

const main = document.querySelector('main')
const part = (id) => document.getElementById(id)
const [picture, time, lost] = [part('qr'), part('time'), part('lost')]
const page = JSON.parse(main.dataset.page)
const token = new URLSearchParams(location.search).get('token')

const start = Date.now()
const deadline = start + page.expires_in
let state = main.dataset.state
let version = page.version
let nextDraw = start + (picture.hidden ? RETRY_MS : RENEW_MS)
let nextLook = Math.min(start + LOOK_MS, deadline)
let tries = 0 // to open a socket, since the last that spoke
let silences = 0 // questions without an answer, since the service was last heard

const isOpen = () => ['waiting', 'scanned', 'returning'].includes(state)

if (page.on_phone && matchMedia('(pointer: coarse)').matches) {
  page.states.waiting = page.on_phone
  if (state === 'waiting') say()
}
if (isOpen()) {
  time.hidden = false
  const clock = setInterval(() => (isOpen() ? tick() : clearInterval(clock)), 1000)
  document.addEventListener('visibilitychange', look)
  addEventListener('online', look)
  tick()
  connect()
}

/** Once a second: the countdown, and what is due. */
function tick() {
  const now = Date.now()
  time.textContent = page.time_left.replace('{time}', clockTime(Math.max(0, deadline - now)))
  if (now >= nextLook) read()
  if (state === 'waiting' && !document.hidden && now >= nextDraw && now < deadline) draw()
}

/** Somebody looks again, or the network is back: what was missed is read. */
function look() {
  if (document.hidden || !isOpen()) return
  read()
  tick()
}

/** The socket tells the state when it opens, and each change after that. */
function connect() {
  const address = new URL(page.api + '/watch?token=' + encodeURIComponent(token), location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  const socket = new WebSocket(address)
  const opening = setTimeout(() => socket.close(), OPENING_MS)
  socket.onmessage = ({ data }) => {
    clearTimeout(opening)
    tries = 0
    hear(JSON.parse(data))
    if (!isOpen()) socket.close()
  }
  socket.onclose = ({ reason }) => {
    clearTimeout(opening)
    if (reason === 'erased') show('gone')
    if (!isOpen()) return
    const pause = BACKOFF_MS[Math.min(tries, BACKOFF_MS.length - 1)]
    tries += 1
    setTimeout(reconnect, pause * (1 + Math.random() / 2))
  }
}

/** Where sockets do not pass, asking before each try is what keeps the page true. */
async function reconnect() {
  await read()
  if (isOpen()) connect()
}

/** Reads the state once. */
async function read() {
  const now = Date.now()
  nextLook = now < deadline ? Math.min(now + LOOK_MS, deadline) : now + LATE_MS
  try {
    const response = await ask('', 'application/json')
    if (response.status === 404) return show('gone')
    if (response.ok) return hear(await response.json())
    miss()
  } catch {
    miss()
  }
}

/** Replaces the QR. While there is no answer, the picture that stands is still good: the service keeps it alive. */
async function draw() {
  nextDraw = Date.now() + (picture.hidden ? RETRY_MS : RENEW_MS)
  try {
    const response = await ask('/qr', 'image/svg+xml')
    if (response.status === 404 || response.status === 410) return read()
    if (response.status === 409) nextDraw = Infinity // this session offers no QR
    if (!response.ok) return
    const svg = await response.text()
    if (!isOpen()) return
    picture.src = 'data:image/svg+xml,' + encodeURIComponent(svg)
    picture.hidden = false
    nextDraw = Date.now() + RENEW_MS
  } catch {
    miss()
  }
}

function ask(path, type) {
  const headers = { Authorization: 'Bearer ' + token, Accept: type }
  return fetch(page.api + path, { headers, cache: 'no-store', signal: AbortSignal.timeout(15000) })
}

/** Takes a state in, unless a newer one was heard before. */
function hear(view) {
  silences = 0
  lost.hidden = true
  if (view.version < version) return
  version = view.version
  const pending = { created: 'waiting', awaiting_return: 'returning' }[view.stage] ?? 'scanned'
  show(view.status === 'pending' ? pending : view.status)
}

function show(next) {
  if (next === state || !isOpen() || !Object.hasOwn(page.states, next)) return
  state = next
  main.dataset.state = next
  say()
  if (!isOpen()) end()
}

function say() {
  const { title, text } = page.states[state]
  part('title').textContent = document.title = title
  part('text').textContent = text
}

/** The ways to a wallet are gone: who stood on one of them stands before the outcome. */
function end() {
  const [ways, back] = [part('live'), part('back')]
  const stoodThere = ways.contains(document.activeElement)
  part('asks').textContent = page.asked
  part('consent').remove()
  if (back) back.hidden = false
  ways.remove()
  if (stoodThere) part('title').focus()
}

/** One silence is chance. */
function miss() {
  silences += 1
  lost.hidden = silences < 2
}

/** 9:05, or 1:09:05. */
function clockTime(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000)
  const two = (figure) => String(figure).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return (hours > 0 ? hours + ':' + two(minutes) : minutes) + ':' + two(seconds % 60)
}
`
