// Relay of connections, for a small limit of file descriptors. workerd takes two descriptors for each
// connection, and ends when it has none left for the next one. The relay accepts in its place: a connection
// without a byte takes one descriptor here and none there, and there is a limit of connections.

import { connect, createServer } from 'node:net'
import { partsOf } from './ports.mjs'

/** With more descriptors, workerd carries thousands of connections and needs no relay. */
const NEEDED_BELOW = 8_192

/** Time in which the first byte of a connection must come. */
const SILENT_MS = 10_000
/** Time in which a caller must take the rest of a response, and time for the caller to close afterwards. */
const FLUSH_MS = 15_000
const LINGER_MS = 1_000

/**
 * Returns how many connections a relay accepts and passes on, and how long it waits for a first byte. Null if
 * none is needed.
 */
export function relayLimits(descriptors) {
  if (descriptors >= NEEDED_BELOW) return null
  // Here a connection takes one or two descriptors, in workerd two. Objects need the other half there.
  return { accepted: Math.floor(descriptors / 2), passedOn: Math.floor(descriptors / 4), silentMs: SILENT_MS }
}

/**
 * Listens on every address (`host:port`) and passes connections on to the Unix socket at `path`. Resolves
 * when it listens. It keeps no process alive.
 */
export async function openRelay(addresses, path, limits) {
  const callers = createCallers(path, limits)
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
function createCallers(path, { accepted, passedOn, silentMs }) {
  /** Connections without a byte, and those that wait to be passed on; each in the order of their arrival. */
  const silent = new Set()
  const waiting = new Set()
  let open = 0
  let passed = 0

  const passOn = (caller) => {
    passed++
    const upstream = connect({ path, allowHalfOpen: true }).unref()
    caller.setTimeout(0)
    join(caller, upstream)
    upstream.once('close', () => {
      passed--
      const [next] = waiting
      if (next === undefined) return
      waiting.delete(next)
      passOn(next)
    })
  }

  return (caller) => {
    caller.unref()
    caller.on('error', () => undefined) // 'close' follows
    if (open >= accepted) {
      const [oldest] = silent
      if (oldest === undefined) return caller.destroy()
      silent.delete(oldest)
      oldest.destroy()
    }
    open++
    silent.add(caller)
    caller.setTimeout(silentMs, () => caller.destroy())
    caller.once('close', () => {
      open--
      silent.delete(caller)
      waiting.delete(caller)
    })
    caller.once('end', () => silent.has(caller) && caller.destroy())
    caller.once('readable', () => {
      if (!silent.delete(caller)) return
      if (passed < passedOn) passOn(caller)
      else waiting.add(caller)
    })
  }
}

/** Connects both ends. The end of one direction is passed on; the end of the service ends both. */
function join(caller, upstream) {
  upstream.on('error', () => undefined)
  caller.pipe(upstream)
  upstream.pipe(caller)
  upstream.once('close', () => {
    // The rest of a request is read, but not passed on: closing before would discard the response.
    caller.end(() => setTimeout(() => caller.destroy(), LINGER_MS).unref())
    caller.resume()
    setTimeout(() => caller.destroy(), FLUSH_MS).unref()
  })
  caller.once('close', () => upstream.destroy())
}
