// Options of `npm start`, from its environment.

import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { ROOT } from './paths.mjs'

/** Names that reach this machine only. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Parses the options. `origin` is the address on this machine, whatever BASE_URL is. */
export function readOptions(env) {
  const port = Number(env.PORT ?? 8787)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('PORT must be a number from 1 to 65535')
  if ((env.TLS_CERT === undefined) !== (env.TLS_KEY === undefined)) {
    throw new Error('TLS_CERT and TLS_KEY must be set together')
  }
  const tls =
    env.TLS_CERT === undefined ? null : { certificate: resolve(env.TLS_CERT), key: resolve(env.TLS_KEY) }
  const scheme = tls === null ? 'http' : 'https'
  const baseUrl = env.BASE_URL ?? `${scheme}://localhost:${port}`
  const isLocal = URL.canParse(baseUrl) && LOOPBACK.includes(new URL(baseUrl).hostname)
  if (!isOrigin(baseUrl, isLocal)) {
    throw new Error(
      'BASE_URL must be an https origin without a path, such as https://verifier.example. http is allowed on localhost only',
    )
  }
  const hosts = env.HOST === undefined ? loopbackHosts() : [env.HOST]
  const isOnLoopback = isLocal && hosts.every((host) => LOOPBACK.includes(host))
  const hasConsole = isOn('CONSOLE', env.CONSOLE, isOnLoopback)
  const reached = { '0.0.0.0': '127.0.0.1', '*': '127.0.0.1', '[::]': '[::1]' }[hosts[0]] ?? hosts[0]
  return {
    baseUrl,
    isLocal,
    tls,
    port,
    stateDirectory: resolve(ROOT, env.STATE_DIR ?? '.dev'),
    addresses: hosts.map((host) => `${host}:${port}`),
    origin: `${scheme}://${reached}:${port}`,
    // Other people use a public service. So it reaches the ports of its machine only if a variable allows
    // this.
    allowLoopback: env.ALLOW_LOOPBACK ?? (isLocal ? '1' : '0'),
    sessionObjects: parseSessionObjects(env.SESSION_OBJECTS),
    hasShop: isOn('DEMO', env.DEMO, isLocal),
    hasConsole,
    consoleOrigin: consoleOriginOf(baseUrl),
    // A code in the output opens the console, so no other machine may reach the service.
    hasConsoleCode: hasConsole && isOnLoopback,
  }
}

/** Returns the address of the console: over http it has a host name of its own (src/config.ts). */
function consoleOriginOf(baseUrl) {
  const url = new URL(baseUrl)
  if (url.protocol === 'http:') url.hostname = 'console.localhost'
  return url.origin
}

/** Checks the rule of src/config.ts here too, before a certificate is made for the host. */
function isOrigin(text, isLocal) {
  if (!URL.canParse(text)) return false
  const { origin, protocol } = new URL(text)
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && isLocal))
}

/** Returns the number of objects that sessions share; 0: each session has its own object. */
function parseSessionObjects(value) {
  if (value !== undefined && !(/^\d{1,3}$/.test(value) && Number(value) <= 256))
    throw new Error('SESSION_OBJECTS must be a number from 0 to 256')
  return value === undefined ? undefined : Number(value)
}

/** Returns `true` for 1. Without a value, returns the standard: on only for a service of this machine. */
function isOn(name, value, standard) {
  if (value !== undefined && value !== '0' && value !== '1') throw new Error(`${name} must be 0 or 1`)
  return value === undefined ? standard : value === '1'
}

/** Returns the addresses of `localhost`. The second exists only if the machine has IPv6. */
function loopbackHosts() {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.some(({ address }) => address === '::1') ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']
}
