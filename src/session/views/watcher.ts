// Watchers of a session: pages, kiosks, long polls. Each has a hibernating WebSocket.

import type { SessionDocument } from '../document/document.ts'
import { publicView } from '../document/state-view.ts'
import type { SessionStore } from '../store/store.ts'

/** Limit of watchers of one session at the same time. */
const WATCHERS = 64

/** Accepts a watcher. The first message is the current state. */
export function acceptWatcher(
  ctx: DurableObjectState,
  store: SessionStore,
  document: SessionDocument,
): Response {
  if (ctx.getWebSockets().length >= WATCHERS) return new Response(null, { status: 503 })
  const { 0: client, 1: server } = new WebSocketPair()
  ctx.acceptWebSocket(server)
  store.arm(0) // a watched session expires on time
  server.send(JSON.stringify(publicView(document)))
  return new Response(null, { status: 101, webSocket: client })
}
