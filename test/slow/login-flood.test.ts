// api/logins: what anybody may send without a credential costs little, and stores nothing.

import { readdirSync, statSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CALLBACK, openLoginBrowser, registerClient } from '../support/service/login.ts'
import { BASE_URL } from '../support/service/service.ts'
import { relyingPartyOf, useOwnStage } from '../support/service/stage.ts'
import { cpuSecondsOf } from '../system/fuzz/memory.ts'

const stage = useOwnStage({ CLIENT_IP_HEADER: 'x-client-ip' })
const REQUESTS = 10_000
/** Parts of the requests. Each part has as many requests for /healthz, so both meet the same load. */
const ROUNDS = 10
/** A relying party may have 1,000 authorization requests in 10 s. */
const PARTIES = Math.ceil(REQUESTS / 500)
const CONNECTIONS = 8
const WARM_UP = 500

const EVENTS = ['created', 'request_fetched', 'expired'].map((name) => `verification.${name}`)

it(`${REQUESTS} anonymous authorization requests change no file, no list, no log and no webhook`, async () => {
  const webhook = { url: stage.receiver.url, events: EVENTS }
  const parties = await Promise.all(Array.from({ length: PARTIES }, () => relyingPartyOf(stage, { webhook })))
  const clients = await Promise.all(parties.map((rp) => registerClient(rp)))
  const addresses = clients.map(({ client_id, issuer }) => {
    const query = new URLSearchParams({
      client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      state: 's'.repeat(43),
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    return `${new URL(issuer).pathname}/authorize?${query}`
  })
  const known = (await Promise.all(parties.map((rp) => seenBy(rp)))).join()
  const before = await files()

  // The first requests fill the caches, and the service compiles its code.
  await send(['/healthz'], WARM_UP)
  expect(await send(addresses, WARM_UP)).toEqual({ 303: WARM_UP })
  const seconds = { healthz: 0, authorize: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const part = REQUESTS / ROUNDS
    const healthz = await cpuOf(() => send(['/healthz'], part))
    const authorize = await cpuOf(() => send(addresses, part))
    expect([healthz.statuses, authorize.statuses]).toEqual([{ 200: part }, { 303: part }])
    seconds.healthz += healthz.seconds
    seconds.authorize += authorize.seconds
  }
  const ratio = seconds.authorize / seconds.healthz
  console.info(
    `processor time: ${inMs(seconds.authorize)} ms for an authorization request, ${inMs(seconds.healthz)} ms for /healthz: ${ratio.toFixed(2)} times`,
  )

  expect(await files()).toEqual(before)
  expect((await Promise.all(parties.map((rp) => seenBy(rp)))).join()).toBe(known)
  expect(stage.receiver.requests).toEqual([])
  // A request that creates a session costs more than thirty times as much as /healthz.
  expect(ratio).toBeLessThan(3)

  // A login still begins, and is seen once it has a session.
  const browser = openLoginBrowser(stage.service)
  const begun = await browser.begin(`${BASE_URL}${addresses[0]}`)
  await browser.link(begun)
  expect((await parties[0]?.poll(begun.verification_id))?.status).toBe('pending')
  expect(Object.keys(await files()).length).toBeGreaterThan(Object.keys(before).length)
})

function inMs(seconds: number): string {
  return ((seconds * 1000) / REQUESTS).toFixed(2)
}

/** Returns the list and the log of a relying party. */
async function seenBy(rp: Awaited<ReturnType<typeof relyingPartyOf>>): Promise<string> {
  const [list, log] = await Promise.all(
    ['/v1/verify', '/v1/events'].map(async (path) => (await rp.call('GET', path)).json()),
  )
  const { verifications } = list as { readonly verifications: readonly object[] }
  const { events } = log as { readonly events: readonly object[] }
  return JSON.stringify([verifications, events])
}

/**
 * Returns the sizes of the files of all objects, while the service does not run. A start removes the files of
 * objects that were only read, but only for some time, so the service starts until one finds none.
 */
async function files(): Promise<Readonly<Record<string, number>>> {
  const { server } = stage.service
  do {
    await server.restart()
    await server.end('SIGTERM')
  } while (server.output().includes('Files of erased objects removed'))
  const folder = join(server.stateDir, 'objects')
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name))
  const sizes = Object.fromEntries(paths.map((path) => [path, statSync(path).size]))
  await server.restart()
  return sizes
}

/** Returns the processor time of the service for a task, and what the task returns. */
async function cpuOf(task: () => Promise<Readonly<Record<number, number>>>) {
  const pid = stage.service.server.pid()
  const before = cpuSecondsOf(pid)
  const statuses = await task()
  return { statuses, seconds: cpuSecondsOf(pid) - before }
}

/** Sends GET requests to the paths in turn, each from its own address. Counts the responses by status. */
async function send(paths: readonly string[], count: number): Promise<Readonly<Record<number, number>>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const statuses: Record<number, number> = {}
  let sent = 0
  const work = async () => {
    while (sent < count) {
      const number = sent++
      const status = await get(paths[number % paths.length] ?? '', number, agent)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  agent.destroy()
  return statuses
}

function get(path: string, number: number, agent: Agent): Promise<number> {
  const headers = { 'x-client-ip': `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}` }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(stage.service.server.origin + path, { agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end()
  })
}
