// A publisher of Token Status Lists on loopback. The lists are JWTs made by node:zlib and jose's rules for signing, none of
// it the service's own code.

import { deflateSync } from 'node:zlib'
import { type KeyPair, signJwt } from './issuer.ts'
import { startReceiver } from './receiver.ts'

/** Entries of two bits: the statuses of Token Status List §7.1, and one of the issuer's own. */
export const STATUS = { valid: 0, invalid: 1, suspended: 2, own: 3 } as const

export type StatusLists = {
  /** Publishes a list with these entries at a fresh address, and gives the address. */
  readonly publish: (entries: readonly number[], claims?: object, signer?: KeyPair) => string
  /** Takes a list away: 404. */
  readonly withdraw: (uri: string) => void
  /** Puts a list back. */
  readonly restore: (uri: string) => void
  /** How often an address was asked for, and with which `Accept`. */
  readonly asked: (uri: string) => readonly (string | undefined)[]
  readonly close: () => Promise<void>
}

/** Starts a publisher whose lists `signer` signs as `iss` unless told otherwise. */
export async function startStatusLists(iss: string, signer: KeyPair): Promise<StatusLists> {
  const server = await startReceiver()
  const { origin } = new URL(server.url)
  const lists = new Map<string, string>()
  const withdrawn = new Set<string>()
  server.answer(({ path }) => {
    const body = withdrawn.has(path) ? undefined : lists.get(path)
    if (body === undefined) return { status: 404 }
    return { headers: { 'content-type': 'application/statuslist+jwt' }, body }
  })
  return {
    publish: (entries, claims = {}, key = signer) => {
      const path = `/lists/${lists.size + 1}-${crypto.randomUUID()}`
      const sub = origin + path
      const status_list = { bits: 2, lst: pack(entries) }
      const payload = { iss, sub, iat: Math.floor(Date.now() / 1000), ttl: 600, status_list, ...claims }
      lists.set(path, signJwt({ alg: key.alg, typ: 'statuslist+jwt' }, payload, key))
      return sub
    },
    withdraw: (uri) => withdrawn.add(new URL(uri).pathname),
    restore: (uri) => withdrawn.delete(new URL(uri).pathname),
    asked: (uri) =>
      server.requests
        .filter(({ path }) => path === new URL(uri).pathname)
        .map(({ headers }) => headers.accept),
    close: server.close,
  }
}

/** §4.1: four entries a byte, the first one lowest. */
function pack(entries: readonly number[]): string {
  const bytes = Buffer.alloc(Math.ceil(entries.length / 4))
  entries.forEach((entry, i) => {
    bytes[i >> 2] = (bytes[i >> 2] ?? 0) | (entry << (2 * (i % 4)))
  })
  return deflateSync(bytes).toString('base64url')
}
