// A publisher of revocation lists on loopback.

import { startReceiver } from '../service/receiver.ts'

export type CrlServer = {
  /** A fresh address, without a list. */
  readonly place: () => string
  readonly publish: (url: string, list: Uint8Array) => void
  /** Number of requests for an address. */
  readonly asked: (url: string) => number
  readonly close: () => Promise<void>
}

/** Starts a publisher; an address without a list is 404. */
export async function startCrlServer(): Promise<CrlServer> {
  const server = await startReceiver()
  const { origin } = new URL(server.url)
  const lists = new Map<string, Uint8Array>()
  server.answer(({ path }) => {
    const body = lists.get(path)
    return body === undefined
      ? { status: 404 }
      : { headers: { 'content-type': 'application/pkix-crl' }, body }
  })
  return {
    // The path is random, because a service caches lists by their address, and a later publisher may get the
    // same port.
    place: () => `${origin}/${crypto.randomUUID()}.crl`,
    publish: (url, list) => void lists.set(new URL(url).pathname, list),
    asked: (url) => server.requests.filter(({ path }) => path === new URL(url).pathname).length,
    close: server.close,
  }
}
