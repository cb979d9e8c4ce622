// Watchers of a session: pages, kiosks, long polls. Each watcher has a hibernating WebSocket. For a long
// poll, the route opens the WebSocket, and the caller sees only HTTP.

import type { SessionDocument } from '../document/document.ts'
import { publicView } from '../document/state-view.ts'
import type { SessionSlot } from '../store/slot.ts'
import type { SessionStore } from '../store/store.ts'

/** Limit of watchers of one session at the same time. */
const WATCHERS = 64

/** Accepts a watcher. The first message is the current state. */
export function acceptWatcher(slot: SessionSlot, store: SessionStore, document: SessionDocument): Response {
  if (slot.sockets().length >= WATCHERS) return new Response(null, { status: 503 })
  const { 0: client, 1: server } = new WebSocketPair()
  slot.acceptSocket(server)
  store.arm(0) // a watched session expires on time
  server.send(JSON.stringify(publicView(document)))
  return new Response(null, { status: 101, webSocket: client })
}

/** Closes the socket of a watcher that sends a message. Watchers only receive. */
export function refuseMessage(socket: WebSocket): void {
  socket.close(1008, 'this socket accepts no messages')
}
