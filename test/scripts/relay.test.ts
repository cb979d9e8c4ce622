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
import { WAIT } from '../support/wait.ts'

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
  upstream.keepAliveTimeout = 0 // the relay closes idle connections, not this server
  upstream.on('connection', (socket) => reached.push(socket))
  upstream.listen(path)
  await once(upstream, 'listening')
})
afterEach(() => {
  for (const socket of [...sockets, ...reached]) socket.destroy()
  for (const server of [...relays, upstream]) server.close()
  rmSync(folder, { recursive: true, force: true })
})

type Limits = {
  readonly accepted?: number
  readonly passedOn?: number
  readonly addressShare?: number
  readonly silentMs?: number
  readonly waitMs?: number
}

type Capacity = { readonly isShort: () => boolean; readonly mayGrow: () => boolean }

async function open(limits: Limits = {}, capacity: Partial<Capacity> = {}) {
  const all = { ...relayLimits(1024), accepted: 10, passedOn: 10, addressShare: 1, waitMs: WAIT.timeout }
  const ample = { isShort: () => false, mayGrow: () => true, ...capacity }
  relays = await openRelay(['127.0.0.1:0'], path, { ...all, ...limits }, ample)
  const [relay] = relays
  return (relay?.address() as AddressInfo | undefined)?.port ?? 0
}

async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

const GET = 'GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

async function get(port: number, localAddress?: string): Promise<string> {
  const socket = await dial(port, localAddress)
  socket.write(GET)
  return text(socket)
}

/** Opens a connection that has got its response, and stays open. */
async function dialKept(port: number, localAddress?: string): Promise<Socket> {
  const socket = await dial(port, localAddress)
  socket.write('GET /kept HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(String(await once(socket, 'data'))).toContain('GET /kept')
  return socket
}

/** Opens a connection whose request gets no response. */
async function dialBusy(port: number, localAddress?: string): Promise<Socket> {
  const before = reached.length
  const socket = await dial(port, localAddress)
  socket.write('GET /hang HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => reached.length).toBe(before + 1)
  return socket
}

/** Returns which connections are still open. */
function areOpen(some: readonly Socket[]): readonly boolean[] {
  return some.map((socket) => !socket.readableEnded && !socket.destroyed)
}

it('a relay is used if the descriptor limit is low, and leaves half of the file descriptors to objects', () => {
  expect(relayLimits(20_000)).toBeNull()
  expect(relayLimits(1024)).toMatchObject({ accepted: 512, passedOn: 256, silentMs: 10_000 })
})

it('one address may have all connections of a relay if the address is a proxy', () => {
  expect(relayLimits(1024)?.addressShare).toBe(0.75)
  expect(relayLimits(1024, { hasProxy: true })?.addressShare).toBe(1)
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

  it('closes a connection that has sent nothing within the limit, and does not pass it to the service', async () => {
    const port = await open({ silentMs: 200 })
    const silent = await dial(port)
    await once(silent.resume(), 'end')
    expect(reached).toEqual([])
    // A busy machine may make this connection too slow as well.
    await expect.poll(() => get(port)).toContain('GET /a 0')
  })

  it('closes a connection that its caller ends before the first byte, and does not pass it to the service', async () => {
    const port = await open()
    const ended = await dial(port)
    ended.end()
    await once(ended.resume(), 'close')
    expect(await get(port)).toContain('GET /a 0')
    expect(reached).toHaveLength(1)
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
    const halfOpen = await dial(port)
    halfOpen.end(GET) // its end comes while it waits
    expect(await Promise.race([waiting, sleep(200, 'waits')])).toBe('waits')
    busy.destroy()
    expect(await waiting).toContain('GET /a 0')
    expect(await text(halfOpen)).toContain('GET /a 0')
  })

  it('closes the idle connection whose last request is the oldest, if a new connection needs its place', async () => {
    const port = await open({ passedOn: 3 })
    const kept = [await dialKept(port), await dialKept(port), await dialKept(port)]
    kept[0]?.write('GET /again HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(String(await once(kept[0] as Socket, 'data'))).toContain('GET /again')
    await sleep(600) // each has been quiet long enough to be closed
    for (const socket of kept) socket.resume()
    expect(await get(port)).toContain('GET /a 0')
    await expect.poll(() => areOpen(kept)).toEqual([true, false, true])
  })

  it('keeps a connection that awaits a response, and closes a newer idle connection instead', async () => {
    const port = await open({ passedOn: 2 })
    const busy = await dialBusy(port)
    const kept = await dialKept(port)
    kept.resume()
    expect(await get(port)).toContain('GET /a 0')
    await expect.poll(() => areOpen([busy, kept])).toEqual([true, false])
  })

  it('closes a connection of the address with the most connections, if a new connection needs its place', async () => {
    const port = await open({ accepted: 4 })
    const other = await dialKept(port, '127.0.0.2')
    const many = [await dialKept(port), await dialKept(port), await dialKept(port)]
    for (const socket of [other, ...many]) socket.resume()
    await sleep(600) // each has been quiet long enough to be closed
    await expect.poll(() => get(port, '127.0.0.3').catch(() => '')).toContain('GET /a 0')
    await expect.poll(() => areOpen([other, ...many])).toEqual([true, false, true, true])
  })

  it('keeps a place for other addresses while one address has as many requests as the limit allows', async () => {
    const port = await open({ passedOn: 4, addressShare: 0.75 })
    for (let i = 0; i < 3; i++) await dialBusy(port)
    const fourth = get(port)
    expect(await Promise.race([fourth, sleep(500, 'waits')])).toBe('waits')
    expect(await get(port, '127.0.0.2')).toContain('GET /a 0')
    expect(await Promise.race([fourth, sleep(1, 'waits')])).toBe('waits')
  })

  it('refuses a request with 503 and Retry-After if it waited too long to be passed on', async () => {
    const port = await open({ passedOn: 1, waitMs: 300 })
    await dialBusy(port)
    const refusal = await get(port)
    expect(refusal).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n/)
    const [head = '', body = ''] = refusal.split('\r\n\r\n')
    // As the wallet linter and the problems of the API want it (test/support/linters).
    expect(head).toContain('Cache-Control: no-store\r\nAccess-Control-Allow-Origin: *')
    expect(JSON.parse(body)).toMatchObject({
      ...{ error: 'temporarily_unavailable', error_description: expect.any(String) },
      ...{ status: 503, code: 'temporarily_unavailable', retryable: true },
    })
  })

  it('passes on a connection only if a descriptor is free or an idle connection can be closed for it', async () => {
    let left = 2
    const port = await open({}, { mayGrow: () => left-- > 0 })
    const kept = await dialKept(port)
    const busy = await dialBusy(port)
    kept.resume()
    expect(await get(port)).toContain('GET /a 0')
    await expect.poll(() => areOpen([kept, busy])).toEqual([false, true])
    await expect.poll(() => reached.map(({ destroyed }) => destroyed)).toEqual([true, false, true])
    // The relay may still count the last connection as idle, and pass on the next one in its place.
    let waiting = Promise.resolve('')
    const ask = () => {
      waiting = get(port)
      return Promise.race([waiting, sleep(500, 'waits')])
    }
    await expect.poll(ask).toBe('waits')
    left = 1
    expect(await waiting).toContain('GET /a 0')
  })

  it('passes on half as many connections while the service has few free descriptors, and closes idle connections', async () => {
    let isShort = false
    const port = await open({ passedOn: 4 }, { isShort: () => isShort })
    const kept = [await dialKept(port), await dialKept(port)]
    const busy = await dialBusy(port)
    for (const socket of kept) socket.resume()
    isShort = true
    await expect.poll(() => areOpen(kept)).toEqual([false, true])
    await dialBusy(port)
    await expect.poll(() => areOpen([...kept, busy])).toEqual([false, false, true])
    const waiting = get(port)
    expect(await Promise.race([waiting, sleep(500, 'waits')])).toBe('waits')
    isShort = false
    expect(await waiting).toContain('GET /a 0')
  })

  it('closes the connection to the service if the caller closes, and the connection to the caller if the service closes', async () => {
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
