// Callers without any credential that hold connections: silent connections, and connections whose bodies do
// not end.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Connections, and what became of them. */
export type Senders = {
  /** Number of connections that the service has closed. */
  readonly closed: () => number
  /** Returns how often each status was the first line of a response. */
  readonly statuses: () => Readonly<Record<string, number>>
  readonly end: () => void
}

type Body = {
  /** Address of a callback: anybody who scanned the QR knows such a path. */
  readonly path: string
  /** Bytes that are sent at once. */
  readonly first: number
  /** Bytes that are announced. */
  readonly length: number
}

/** Milliseconds between two bytes of a body. */
const PAUSE_MS = 500

/** Opens so many connections, one after the other. With a `body` each connection begins to send it. */
export async function openSenders(origin: string, count: number, body: Body | null): Promise<Senders> {
  const { hostname, port } = new URL(origin)
  const sockets: Socket[] = []
  const statuses: Record<string, number> = {}
  let closed = 0
  const first = body === null ? '' : headOf(body) + 'a'.repeat(body.first)
  for (let i = 0; i < count; i++) {
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1]
      if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1
    })
    const isOpen = Promise.race([once(socket, 'connect'), once(socket, 'close')])
    let timer: ReturnType<typeof setInterval> | undefined
    socket.once('close', () => {
      closed++
      clearInterval(timer)
    })
    await isOpen.catch(() => undefined)
    if (body === null) continue
    socket.write(first)
    timer = setInterval(() => socket.write('a'), PAUSE_MS)
  }
  return {
    closed: () => closed,
    statuses: () => statuses,
    end: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function headOf({ path, length }: Body): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: verifier.example',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n')
}
