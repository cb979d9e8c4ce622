// Hibernating WebSockets. They survive the loss of an instance, but not of the process. Messages wait for the
// writes before them, and arrive in their order.

import type { Instance } from './objects.ts'
import { currentOwner } from './scheduler.ts'

export class SimulatedSocket {
  peer: SimulatedSocket | undefined
  readonly messages: string[] = []
  isClosed = false
  tags: readonly string[] = []
  onMessage: (text: string) => void = () => {}
  #object: Set<SimulatedSocket> | undefined

  of(instance: Instance, tags: readonly string[]): this {
    this.tags = tags
    this.#object = instance.object.sockets
    return this
  }

  send(text: string): void {
    if (this.isClosed) throw new TypeError('the socket is closed')
    const owner = currentOwner()
    const deliver = () => this.peer?.receive(text)
    if ('storage' in owner) (owner as Instance).storage.whenWritten(deliver)
    else deliver()
  }

  receive(text: string): void {
    if (!this.isClosed) this.onMessage(text)
  }

  close(): void {
    this.isClosed = true
    this.#object?.delete(this)
    if (this.peer !== undefined) this.peer.isClosed = true
  }

  accept(): void {}
}

/** Returns the two ends of a connection. */
export function openPair(): { readonly 0: SimulatedSocket; readonly 1: SimulatedSocket } {
  const [client, server] = [new SimulatedSocket(), new SimulatedSocket()]
  client.peer = server
  server.peer = client
  return { 0: client, 1: server }
}

export function closeSockets(sockets: Iterable<SimulatedSocket>): void {
  for (const socket of [...sockets]) socket.close()
}
