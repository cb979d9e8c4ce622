// Checks before workerd starts that the addresses can be listened on. The message of workerd itself names no
// port.

import { once } from 'node:events'
import { createServer } from 'node:net'

/** Throws for the first address (`host:port`) that cannot be used. The message has the remedy. */
export async function checkAddresses(addresses) {
  for (const address of addresses) {
    const { host, port } = partsOf(address)
    const probe = createServer()
    try {
      await once(probe.listen({ ...(host !== '*' && { host }), port }), 'listening')
    } catch (error) {
      throw new Error(messageOf(error, host, port))
    } finally {
      probe.close()
    }
  }
}

/** Returns host and port of an address. An IPv6 host has brackets there. */
export function partsOf(address) {
  const [, host, port] = /^(.*):(\d+)$/.exec(address)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

function messageOf({ code, message }, host, port) {
  if (code === 'EADDRINUSE')
    return `port ${port} is in use by another program. Choose another one: PORT=${port < 65_535 ? port + 1 : port - 1} npm start`
  if (code === 'EACCES')
    return `this user may not listen on port ${port}. Choose one from 1024 on: PORT=8787 npm start`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST must be an address of this machine, is ${host}`
  return `${host} cannot be listened on: ${message}`
}
