import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { type AddressInfo, connect, type Server as RelayServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRelay, relayLimits } from '../../scripts/service/relay.mjs'

let folder: string
let path: string
let upstream: Server
let relays: RelayServer[]
/** Connections that reached the service. */
let reached: Socket[]
let sockets: Socket[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relay-'))
  path = join(folder, 'service.sock')
  reached = []
  sockets = []
  relays = []
  upstream = createServer(async (incoming, response) => {
    if (incoming.url === '/hang') return
    response.end(`${incoming.method} ${incoming.url} ${(await text(incoming)).length}`)
  })
  upstream.on('connection', (socket) => reached.push(socket))
  upstream.listen(path)
  await once(upstream, 'listening')
})
afterEach(() => {
  for (const socket of [...sockets, ...reached]) socket.destroy()
  for (const server of [...relays, upstream]) server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(limits: { accepted?: number; passedOn?: number; silentMs?: number } = {}) {
  relays = await openRelay(['127.0.0.1:0'], path, { accepted: 10, passedOn: 10, silentMs: 10_000, ...limits })
  const [relay] = relays
  return (relay?.address() as AddressInfo | undefined)?.port ?? 0
}

async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

const GET = 'GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

async function get(port: number): Promise<string> {
  const socket = await dial(port)
  socket.write(GET)
  return text(socket)
}

it('a relay is used if the descriptor limit is low, and leaves half of the file descriptors to objects', () => {
  expect(relayLimits(20_000)).toBeNull()
  expect(relayLimits(1024)).toEqual({ accepted: 512, passedOn: 256, silentMs: 10_000 })
})

describe('a relay', () => {
  it('passes several requests and responses of one connection on to the service', async () => {
    const port = await open()
    const socket = await dial(port)
    socket.write('POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc')
    expect(String(await once(socket, 'data'))).toContain('POST /b 3')
    socket.write(GET)
    expect(await text(socket)).toContain('GET /a 0')
    expect(reached).toHaveLength(1)
  })

  it('passes a large body on to the service, and also the end of a request', async () => {
    const port = await open()
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/large' })
    sent.end(Buffer.alloc(3_000_000))
    const [response] = await once(sent, 'response')
    expect(await text(response)).toBe('POST /large 3000000')
    const socket = await dial(port)
    socket.end(GET)
    expect(await text(socket)).toContain('GET /a 0')
  })

  it('closes a connection that sends nothing after a time limit, without passing it to the service', async () => {
    const port = await open({ silentMs: 200 })
    const silent = await dial(port)
    await once(silent.resume(), 'end')
    expect(reached).toEqual([])
    // A busy machine may make this connection too slow as well.
    await expect.poll(() => get(port)).toContain('GET /a 0')
  })

  it('closes the oldest connection that sent nothing, if there are too many such connections', async () => {
    const port = await open({ accepted: 3 })
    const silent = [await dial(port), await dial(port), await dial(port)]
    const ends = silent.map((socket) => once(socket, 'end').then(() => socket))
    expect(await get(port)).toContain('GET /a 0')
    expect(await Promise.race(ends)).toBe(silent[0])
    silent[1]?.write(GET)
    expect(await text(silent[1] as Socket)).toContain('GET /a 0')
  })

  it('refuses a new connection if all connections are in use, and closes no earlier connection', async () => {
    const port = await open({ accepted: 2 })
    const busy = [await dial(port), await dial(port)]
    for (const socket of busy) socket.write('GET /hang HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => reached.length).toBe(2)
    expect(await get(port).catch(() => '')).toBe('')
    expect(busy.map(({ destroyed }) => destroyed)).toEqual([false, false])
  })

  it('lets a connection wait until another connection ends, if too many connections are in use', async () => {
    const port = await open({ passedOn: 1 })
    const busy = await dial(port)
    busy.write('GET /hang HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => reached.length).toBe(1)
    const waiting = get(port)
    expect(await Promise.race([waiting, sleep(200, 'waits')])).toBe('waits')
    busy.destroy()
    expect(await waiting).toContain('GET /a 0')
  })

  it('closes the service’s connection if the caller closes its own, and the caller’s connection if the service ends its own', async () => {
    const port = await open()
    const leaving = await dial(port)
    leaving.write('GET /hang HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => reached.length).toBe(1)
    leaving.resetAndDestroy()
    await expect.poll(() => reached[0]?.destroyed).toBe(true)
    const staying = await dial(port)
    staying.write('GET /hang HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => reached.length).toBe(2)
    reached[1]?.destroy()
    await once(staying.resume(), 'end')
    upstream.close()
    expect(await get(port).catch(() => '')).toBe('')
  })
})
