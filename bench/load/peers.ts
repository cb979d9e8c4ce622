// Peers: verifiers of other projects, each in a process of its own, with sessions in memory. They have a
// package.json of their own in bench/peers.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mintCertificate } from '../../test/support/certificates/certificates.ts'
import type { Issuer } from './issuer.ts'
import { callTo, type Session, type Target, usageOf } from './target.ts'

const DIRECTORY = join(import.meta.dirname, '..', 'peers')
export const HOW_TO_INSTALL = 'npm ci --prefix bench/peers'

/** Names of the peers: programs in bench/peers. */
export const PEERS = ['credo', 'libraries']

/** Returns true if the packages of the peers are installed. */
export function arePeersInstalled(): boolean {
  return existsSync(join(DIRECTORY, 'node_modules'))
}

/** Starts a peer that trusts the issuer. */
export async function startPeer(peer: string, { root }: Issuer): Promise<Target> {
  const script = `${peer}.mjs`
  const { x5c, privateJwk } = await mintCertificate({ subject: 'CN=Verifier' })
  const child = spawn(process.execPath, [join(DIRECTORY, script)], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PEER_ANCHOR: root.x5c,
      PEER_CERTIFICATE: x5c,
      PEER_KEY: JSON.stringify(privateJwk),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const line = await Promise.race([
    new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', resolve)),
    ended.then(() => Promise.reject(new Error(`${script} ended before it was ready`))),
  ])
  const { origin } = JSON.parse(line) as { readonly origin: string }
  const call = callTo(origin)
  return {
    call,
    putAwayMs: 0, // a peer has no objects
    create: async () => {
      const created = await call('/sessions', { method: 'POST' })
      if (created.status !== 201) throw new Error(`create: HTTP ${created.status}`)
      const { id, request_uri } = JSON.parse(created.text) as { id: string; request_uri: string }
      return { id, requestUri: new URL(request_uri).pathname, caller: '' }
    },
    poll: async ({ id }: Session) => {
      const polled = await call(`/sessions/${id}`)
      if (polled.status !== 200) throw new Error(`poll: HTTP ${polled.status}`)
      return (JSON.parse(polled.text) as { status: string }).status
    },
    usage: () => usageOf(child.pid ?? 0),
    stop: () => {
      child.kill()
      return ended
    },
  }
}
