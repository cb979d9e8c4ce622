// Callers that use what a service with few descriptors has: many sessions of one relying party, and many
// connections of one address. At a size that CI carries; FAULTS=full takes longer.

import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { startReceiver } from '../support/service/receiver.ts'
import { OVER_18, type OwnService, startService } from '../support/service/service.ts'
import { HANG_MS } from '../support/wait.ts'
import { callerOf, probeHealth, repeat } from './load.ts'

const IS_FULL = process.env.FAULTS === 'full'
const DESCRIPTORS = 1_024
const PER_SECOND = 12
const SECONDS = IS_FULL ? 300 : 25

/** Connections that the service accepts at this limit are fewer. */
const CONNECTIONS = 600
const BETWEEN_REQUESTS_MS = 4_000
const BETWEEN_ATTEMPTS_MS = 100
const OTHER_ADDRESS = '127.0.0.2'
const CREATIONS = IS_FULL ? 200 : 40
const BETWEEN_CREATIONS_MS = 250

let service: OwnService
afterEach(() => service.stop())

it(
  `at ${PER_SECOND} sessions a second and ${DESCRIPTORS} descriptors, one process sends every event, and /healthz responds`,
  async () => {
    service = await startService({}, { descriptors: DESCRIPTORS })
    const receiver = await startReceiver()
    const { server } = service
    const pid = server.pid()
    const delivered = new Set<string>()
    receiver.answer(({ body }) => {
      delivered.add(JSON.parse(body.toString()).verification_id)
      return { status: 204 }
    })
    const rp = await service.relyingParty({ webhook: { url: receiver.url } })
    const { create, cancel } = callerOf(server.origin, rp)
    const probes = probeHealth(server.origin, pid)
    const begun = Date.now()
    const ids = await repeat({ count: SECONDS * PER_SECOND, perSecond: PER_SECOND }, async () => {
      const id = await create()
      await cancel(id)
      return id
    })
    const lasted = Date.now() - begun
    while (ids.some((id) => !delivered.has(id)) && server.pid() === pid) await sleep(100)
    const { failures, slowestMs, mostDescriptors } = await probes.end()
    await receiver.close()
    console.info(
      `${delivered.size} of ${ids.length} events, sessions in ${lasted} ms, slowest /healthz ${slowestMs} ms, ${mostDescriptors} descriptors`,
    )
    expect(ids.filter((id) => !delivered.has(id))).toEqual([])
    expect(failures).toEqual([])
    expect(server.pid()).toBe(pid)
  },
  SECONDS * 4_000 + HANG_MS,
)

it(`create requests succeed while ${CONNECTIONS} connections of another address send requests`, {
  timeout: CREATIONS * 4_000 + HANG_MS,
}, async () => {
  service = await startService({}, { descriptors: DESCRIPTORS })
  const { server } = service
  const pid = server.pid()
  const { api_key } = await service.relyingParty()
  const crowd = openCrowd(server.origin)
  await expect.poll(() => crowd.responses()).toBeGreaterThan(CONNECTIONS / 2)
  const statuses: Record<string, number> = {}
  for (let i = 0; i < CREATIONS; i++) {
    const status = await createFrom(OTHER_ADDRESS, server.origin, api_key)
    statuses[status] = (statuses[status] ?? 0) + 1
    await sleep(BETWEEN_CREATIONS_MS)
  }
  crowd.end()
  expect(statuses).toEqual({ 201: CREATIONS })
  expect(server.pid()).toBe(pid)
})

/** Keeps connections of 127.0.0.1, each with a request for `/healthz` in every interval. */
function openCrowd(origin: string) {
  const { hostname, port } = new URL(origin)
  const sockets = new Set<Socket>()
  let [isOver, responses] = [false, 0]
  const open = () => {
    if (isOver) return
    const socket = connect(Number(port), hostname)
    const ask = () => socket.write('GET /healthz HTTP/1.1\r\nHost: verifier.example\r\n\r\n')
    const timer = setInterval(ask, BETWEEN_REQUESTS_MS)
    sockets.add(socket)
    socket.once('connect', ask)
    socket.on('data', () => {
      responses += 1
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      sockets.delete(socket)
      clearInterval(timer)
      setTimeout(open, BETWEEN_ATTEMPTS_MS)
    })
  }
  for (let i = 0; i < CONNECTIONS; i++) setTimeout(open, (i / CONNECTIONS) * BETWEEN_REQUESTS_MS)
  return {
    responses: () => responses,
    end: () => {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Creates a session from an address. Returns the status of the response, or the code of the error. */
function createFrom(localAddress: string, origin: string, apiKey: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const options = { method: 'POST', localAddress, agent: false, headers }
    const sent = request(`${origin}/v1/verify`, options, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)))
    })
    sent.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'))
    sent.end(JSON.stringify(OVER_18))
  })
}
