// TLS proxy in front of the service, under the service's name. It forwards bytes without parsing HTTP, and
// can be cut like a network.

import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { mintCertificate } from '../certificates/certificates.ts'

export type Front = {
  readonly port: number
  /** PEM. It is self-signed. */
  readonly certificate: string
  /** Drops every connection, old and new, until `mend` is called. */
  readonly cut: () => void
  readonly mend: () => void
  readonly close: () => Promise<void>
}

/** Starts a proxy for `host`, in front of a service at `origin` (http, loopback), which may start later. */
export async function startFront(host: string, origin: () => string): Promise<Front> {
  const { pem, privateJwk } = await mintCertificate({
    subject: `CN=${host}`,
    altNames: [{ type: 'dns', value: host }],
    extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'], // serverAuth
  })
  const key = createPrivateKey({ key: privateJwk as never, format: 'jwk' })
  const sockets = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => socket.destroy()))
    socket.once('close', () => sockets.delete(socket))
  }
  const server = createServer({ cert: pem, key: key.export({ type: 'pkcs8', format: 'pem' }) }, (browser) => {
    if (isCut) return browser.destroy()
    const { hostname, port } = new URL(origin())
    const service = connect(Number(port), hostname)
    keep(service)
    keep(browser)
    browser.pipe(service).pipe(browser)
  })
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    certificate: pem,
    cut: () => {
      isCut = true
      drop()
    },
    mend: () => {
      isCut = false
    },
    close: async () => {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
