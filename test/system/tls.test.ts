// TLS of the service itself, with TLS_CERT and TLS_KEY: versions and ciphers that a client can get.

import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect, createServer, type Server as TlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Server, startServer } from '../support/service/server.ts'

let server: Server
let port: number
/** A server that accepts whatever OpenSSL can do. It shows that the client offers what it should. */
let lenient: TlsServer
let lenientPort: number

beforeAll(async () => {
  server = await startServer()
  const identity = JSON.parse(readFileSync(join(server.stateDir, 'keys', 'verifier-localhost.json'), 'utf8'))
  const cert = String(identity.certificate_chain_pem)
  const key = createPrivateKey({ key: identity.signing_jwk, format: 'jwk' }).export({
    type: 'pkcs8',
    format: 'pem',
  })
  const [certFile, keyFile] = [join(server.stateDir, 'tls.crt'), join(server.stateDir, 'tls.key')]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  await server.restart({ TLS_CERT: certFile, TLS_KEY: keyFile })
  port = Number(new URL(server.origin).port)
  lenient = createServer({ cert, key, minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' }, (socket) =>
    socket.end(),
  )
  await once(lenient.listen(0, '127.0.0.1'), 'listening')
  lenientPort = (lenient.address() as AddressInfo).port
})
afterAll(async () => {
  lenient?.close()
  await server.stop()
})

/** Returns version and cipher of a connection, or "refused". */
function offer(to: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(
      { host: '127.0.0.1', port: to, servername: 'localhost', rejectUnauthorized: false, ...options },
      () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      },
    )
    socket.on('error', () => resolve('refused'))
  })
}

const only = (cipher: string): ConnectionOptions => ({
  maxVersion: 'TLSv1.2',
  ciphers: `${cipher}:@SECLEVEL=0`,
})

describe('the service with TLS_CERT', () => {
  it('prefers TLS 1.3, and accepts TLS 1.2', async () => {
    expect(await offer(port, {})).toMatch(/^TLSv1\.3 /)
    expect(await offer(port, { maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 ECDHE-ECDSA-.*(GCM|POLY1305)/)
  })

  it.each(['TLSv1', 'TLSv1.1'] as const)('refuses %s', async (version) => {
    const options = { minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' }
    expect(await offer(lenientPort, options)).toMatch(new RegExp(`^${version} `))
    expect(await offer(port, options)).toBe('refused')
  })

  it.each(['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA384'])(
    'refuses a cipher without authenticated encryption: %s',
    async (cipher) => {
      expect(await offer(lenientPort, only(cipher))).toBe(`TLSv1.2 ${cipher}`)
      expect(await offer(port, only(cipher))).toBe('refused')
    },
  )
})
