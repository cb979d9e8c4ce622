// Peers: other verifiers on the same work. They have a package and a lock file of their own below
// bench/peers. They are measured where they are installed: `npm ci --prefix bench/peers`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Authority } from '../../test/support/people/person.ts'
import { callTo, type Target, usageOf } from './target.ts'

const PEERS = join(import.meta.dirname, '../peers')

/** Program of each peer, and the package that it needs. */
const PROGRAMS = { credo: '@credo-ts/openid4vc' } as const

/** Returns the peers that are installed. */
export function installedPeers(): readonly string[] {
  return Object.entries(PROGRAMS)
    .filter(([, name]) => existsSync(join(PEERS, 'node_modules', name)))
    .map(([peer]) => peer)
}

/**
 * Starts a peer. Its program prints its port. It answers `POST /create` with `id` and `request_uri`, and
 * `GET /status/<id>` with `status`; the wallet uses the addresses of the request.
 */
export async function startPeer(peer: string, authority: Authority): Promise<Target> {
  const program = join(PEERS, `${peer}.mjs`)
  const child = spawn(process.execPath, [program, JSON.stringify(authority.anchor())], {
    cwd: PEERS,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  const [port] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${peer} ended`))),
  ])) as [string]
  const call = callTo(`http://127.0.0.1:${port}`)
  return {
    name: `${peer}, memory`,
    call,
    create: async () => {
      const { id, request_uri } = JSON.parse((await call('/create', { method: 'POST' })).text)
      const { pathname, search } = new URL(request_uri)
      return { id, requestUri: pathname + search, caller: '' }
    },
    poll: async ({ id }) => JSON.parse((await call(`/status/${id}`)).text).status,
    usage: () => usageOf(child.pid ?? 0),
    stop: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}
