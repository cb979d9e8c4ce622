// Relay of connections, for a small limit of file descriptors. workerd takes two descriptors for each
// connection, and ends when it has none left for the next one. The relay accepts in its place: a connection
// that has sent no byte takes one descriptor of the relay and none of workerd. The number of connections is
// limited. If there are too many, the relay closes the connection with the oldest request. It starts with the
// address that has the most connections.

import { connect, createServer } from 'node:net'
import { partsOf } from './ports.mjs'

/** With more descriptors, workerd carries thousands of connections and needs no relay. */
const NEEDED_BELOW = 8_192

/** Time in which the first byte of a connection must come. */
const SILENT_MS = 10_000
/** Longest time that a connection with a request waits to be passed on. */
const WAIT_MS = 5_000
/** Part of all connections that one address may have. The rest is for other addresses. */
const ADDRESS_SHARE = 0.75
/** Time without a byte after which a response is complete. A shorter pause may be within a response. */
const QUIET_MS = 500
/** Interval at which waiting connections are checked. */
const LOOK_MS = 250
/**
 * Time in which a caller must read the rest of a response, and time in which it must then close the
 * connection.
 */
const FLUSH_MS = 15_000
const LINGER_MS = 1_000

const DETAIL = 'The service has no capacity for this request. Try again in 5 seconds.'
/** The relay reads no request. So the body has the members of errors for wallets and for relying parties. */
const REFUSAL_BODY = JSON.stringify({
  error: 'temporarily_unavailable',
  error_description: DETAIL,
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: DETAIL,
  code: 'temporarily_unavailable',
  retryable: true,
})
const REFUSAL = [
  'HTTP/1.1 503 Service Unavailable',
  'Retry-After: 5',
  'Content-Type: application/json',
  'Cache-Control: no-store',
  'Access-Control-Allow-Origin: *',
  `Content-Length: ${REFUSAL_BODY.length}`,
  'Connection: close',
  '',
  REFUSAL_BODY,
].join('\r\n')

/**
 * Returns how many connections a relay accepts and passes on, of all callers and of one address, and its
 * times. Null if no relay is needed. `hasProxy`: all connections come from one proxy, which names the address
 * of its callers in a header. `hasTls`: the relay cannot respond itself.
 */
export function relayLimits(descriptors, { hasProxy = false, hasTls = false } = {}) {
  if (descriptors >= NEEDED_BELOW) return null
  return {
    // A connection takes one or two descriptors of the relay, and two of workerd. Objects need the other half
    // of workerd's descriptors.
    accepted: Math.floor(descriptors / 2),
    passedOn: Math.floor(descriptors / 4),
    addressShare: hasProxy ? 1 : ADDRESS_SHARE,
    silentMs: SILENT_MS,
    waitMs: WAIT_MS,
    refusal: hasTls ? '' : REFUSAL,
  }
}

/**
 * Listens on every address (`host:port`) and passes connections on to the Unix socket at `path`. Resolves
 * when it listens. The relay does not keep its process alive. `capacity`: see capacity.mjs. While workerd is
 * short of descriptors, half as many connections are passed on.
 */
export async function openRelay(addresses, path, limits, capacity) {
  const callers = createCallers(path, limits, capacity)
  return Promise.all(addresses.map((address) => listen(address, callers)))
}

function listen(address, accept) {
  const { host, port } = partsOf(address)
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const at = host === '*' ? {} : { host: host.replace(/^\[|\]$/g, '') }
    server.listen({ ...at, port: Number(port) }, () => {
      server.off('error', reject)
      // A connection that cannot be accepted now is closed by Node.
      server.on('error', () => undefined)
      server.unref()
      resolve(server)
    })
  })
}

/** Returns the function that takes over a connection. All addresses share the limits. */
function createCallers(path, limits, { isShort, mayGrow }) {
  const { accepted, passedOn, addressShare, silentMs, waitMs, refusal } = limits
  // Both are in the order of each connection's last request. A connection without a request has the place of
  // its arrival.
  const open = createTable()
  const passed = createTable()
  const waiting = new Set()
  const mostPassed = () => (isShort() ? Math.ceil(passedOn / 2) : passedOn)

  /**
   * Returns `true` if there is a place for one more connection of this address. May close another connection
   * to make the place.
   */
  const makePlace = (table, most, address, mayAdd = () => true) => {
    const isFull = () => table.size() >= most || table.of(address) >= Math.ceil(most * addressShare)
    if (!isFull() && mayAdd()) return true
    const idle = findIdle(table, address)
    if (idle === undefined) return false
    idle.close()
    return !isFull()
  }

  const passOn = (caller) => {
    waiting.delete(caller)
    caller.upstream = connect({ path, allowHalfOpen: true }).unref()
    passed.add(caller)
    join(caller)
    caller.upstream.once('close', () => {
      passed.remove(caller)
      look()
    })
  }

  const tryPass = (caller) => {
    const mayPass = makePlace(passed, mostPassed(), caller.address, mayGrow)
    if (mayPass) passOn(caller)
    return mayPass
  }

  const look = () => {
    const without = new Set() // addresses for which there is no place
    for (const caller of waiting) {
      if (!without.has(caller.address) && tryPass(caller)) continue
      without.add(caller.address)
      if (Date.now() - caller.askedAt > waitMs) caller.refuse()
    }
    while (passed.size() > mostPassed()) {
      const idle = findIdle(passed)
      if (idle === undefined) return
      idle.close()
    }
  }
  setInterval(look, LOOK_MS).unref()

  return (socket) => {
    socket.unref()
    socket.on('error', () => undefined) // 'close' follows
    const address = networkOf(socket.remoteAddress)
    const caller = {
      socket,
      address,
      upstream: undefined,
      isAsking: false,
      askedAt: 0,
      lastByteAt: 0,
      close: () => {
        open.remove(caller)
        passed.remove(caller)
        caller.upstream?.destroy()
        socket.destroy()
      },
      refuse: () => {
        waiting.delete(caller)
        socket.end(refusal)
        endSoon(socket)
      },
      ask: () => {
        if (caller.isAsking) return
        caller.isAsking = true
        caller.askedAt = Date.now()
        open.renew(caller)
        passed.renew(caller)
      },
    }
    if (!makePlace(open, accepted, address)) return socket.destroy()
    open.add(caller)
    socket.setTimeout(silentMs, () => socket.destroy())
    socket.once('close', () => {
      open.remove(caller)
      waiting.delete(caller)
    })
    socket.once('readable', () => {
      if (socket.readableLength === 0) return socket.destroy() // ended without a byte
      caller.ask()
      socket.setTimeout(0)
      if (!tryPass(caller)) waiting.add(caller)
    })
  }
}

/** Connections in an order, and their number for each address. */
function createTable() {
  const all = new Set()
  const counts = new Map()
  const count = (address, change) => {
    const number = (counts.get(address) ?? 0) + change
    if (number > 0) counts.set(address, number)
    else counts.delete(address)
  }
  return {
    all,
    size: () => all.size,
    of: (address) => counts.get(address) ?? 0,
    add: (caller) => {
      all.add(caller)
      count(caller.address, 1)
    },
    remove: (caller) => {
      if (all.delete(caller)) count(caller.address, -1)
    },
    /** Puts a connection at the end, because it sends a request now. */
    renew: (caller) => {
      if (all.delete(caller)) all.add(caller)
    },
  }
}

/**
 * Returns the connection to close, so that `address` can get one more. Only connections that await no
 * response are considered. Of these, the address with the most connections loses the connection with the
 * oldest request. An address with fewer connections than `address` loses none. Undefined if there is none.
 */
function findIdle(table, address) {
  const now = Date.now()
  let [found, most] = [undefined, Math.max(1, table.of(address))]
  for (const caller of table.all) {
    const count = table.of(caller.address)
    if (count < most || (found !== undefined && count === most) || !isIdle(caller, now)) continue
    ;[found, most] = [caller, count]
  }
  return found
}

/** Returns `true` if nobody waits for a response on this connection, as far as its bytes tell. */
function isIdle({ socket, isAsking, lastByteAt }, now) {
  return !isAsking && socket.writableLength === 0 && Math.abs(now - lastByteAt) >= QUIET_MS
}

/** Returns the address of a caller. One caller has all addresses of an IPv6 network of 64 bits. */
function networkOf(address = '') {
  if (address.startsWith('::ffff:')) return address.slice('::ffff:'.length)
  if (!address.includes(':')) return address
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

/** Connects both ends. The end of one direction is passed on; the end of the service ends both. */
function join(caller) {
  const { socket, upstream, ask } = caller
  upstream.on('error', () => undefined)
  socket.on('data', ask)
  upstream.on('data', () => {
    caller.isAsking = false
    caller.lastByteAt = Date.now()
  })
  socket.pipe(upstream)
  upstream.pipe(socket)
  upstream.once('close', () => {
    socket.end()
    endSoon(socket)
  })
  socket.once('close', () => upstream.destroy())
}

/**
 * Closes a connection after its last byte was taken. The rest of a request is read, but not passed on: if the
 * connection were closed earlier, the response would be discarded.
 */
function endSoon(socket) {
  socket.once('finish', () => setTimeout(() => socket.destroy(), LINGER_MS).unref())
  socket.resume()
  setTimeout(() => socket.destroy(), FLUSH_MS).unref()
}
