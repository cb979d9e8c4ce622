// Status lists of the bench: a million entries of which one in a hundred is revoked, and a decompression
// bomb.

import { deflateSync } from 'node:zlib'
import { makeKey, signJwt } from '../test/support/people/issuer.ts'
import type { StatusListInput } from './tasks/status-list.ts'

const ENTRIES = 2 ** 20
const URI = 'https://status.example/lists/1'
const ISS = 'https://issuer.example'

export async function makeStatusLists(): Promise<{
  readonly million: StatusListInput
  readonly bomb: StatusListInput
}> {
  const issuer = await makeKey()
  const now = Math.floor(Date.now() / 1000)
  const input = (list: Uint8Array): StatusListInput => {
    const status_list = { bits: 1, lst: deflateSync(list).toString('base64url') }
    const payload = { iss: ISS, sub: URI, iat: now, ttl: 86_400, status_list }
    const token = signJwt({ alg: 'ES256', typ: 'statuslist+jwt' }, payload, issuer)
    const vouched = { name: 'Bench', credential_types: ['pid'], assurance_level: 'high' } as const
    const anchor = { ...vouched, issuer: ISS, jwks: { keys: [issuer.publicJwk] } }
    return { token, uri: URI, index: ENTRIES / 2, anchor, now }
  }
  return { million: input(sparse()), bomb: input(new Uint8Array(64 * 1024 * 1024)) }
}

/** Returns a list with random revoked entries. The middle entry, which is looked up, is valid. */
function sparse(): Uint8Array {
  const list = new Uint8Array(ENTRIES / 8)
  for (let i = 0; i < ENTRIES / 100; i++) {
    const entry = Math.floor(Math.random() * ENTRIES)
    list[entry >> 3] = (list[entry >> 3] ?? 0) | (1 << (entry & 7))
  }
  list[ENTRIES / 16] = 0
  return list
}
