// Measures the whole service, as `npm start` runs it: polls a second, and the delay of webhooks. bench/load
// has everything else.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Authority, makeAuthority } from '../test/support/people/person.ts'
import { startReceiver } from '../test/support/service/receiver.ts'
import type { CreatedRelyingParty, Server } from '../test/support/service/server.ts'
import { OVER_18 } from '../test/support/service/service.ts'
import {
  type LeanWallet,
  leanSettings,
  makeLeanWallet,
  readRequestObject,
} from '../test/support/wallets/lean-wallet.ts'
import { median, percentile } from './measure.ts'
import { type Ask, caller, perSecond } from './rate.ts'
import { type Report, rounded } from './report.ts'

const ROUNDS = 5
/** Number of relying parties that share the load: each may create 100 sessions a second. */
const RELYING_PARTIES = 16
const WEBHOOKS = 400

export type Stage = {
  readonly port: number
  readonly wallet: LeanWallet
  readonly relyingParties: readonly CreatedRelyingParty[]
}

/** Measures the service. `helloPort`: port of a bare Hono on another workerd. */
export async function benchService(server: Server, helloPort: number, report: Report): Promise<void> {
  const authority = await makeAuthority()
  const stage: Stage = {
    port: Number(new URL(server.origin).port),
    wallet: await makeLeanWallet(authority),
    relyingParties: await createRelyingParties(server, authority),
  }
  await benchPolls(stage, helloPort, report)
  await benchWebhooks(server, stage, authority, report)
}

async function createRelyingParties(server: Server, authority: Authority): Promise<CreatedRelyingParty[]> {
  const created: CreatedRelyingParty[] = []
  for (let i = 0; i < RELYING_PARTIES; i++)
    created.push(await server.createRelyingParty(leanSettings(authority)))
  return created
}

async function benchPolls(stage: Stage, helloPort: number, report: Report): Promise<void> {
  report.heading('Responses a second, 8 callers')
  const sessions = await createSessions(stage, 32)
  const poll = (ask: Ask, turn: number) => {
    const { id, apiKey } = sessions[turn % sessions.length] as Session
    return ask({ path: `/v1/verify/${id}`, headers: bearer(apiKey) }, 200)
  }
  const hello = (ask: Ask) => ask({ path: '/' }, 200)
  const rates = { hello: [] as number[], polls: [] as number[] }
  await perSecond(helloPort, hello)
  await perSecond(stage.port, poll)
  for (let round = 0; round < ROUNDS; round++) {
    rates.hello.push(await perSecond(helloPort, hello))
    rates.polls.push(await perSecond(stage.port, poll))
  }
  report.line(
    `hello world of bare Hono: ${rounded(median(rates.hello))}; polls: ${rounded(median(rates.polls))}`,
  )
  const ratios = rates.polls.map((rate, i) => rate / (rates.hello[i] ?? Number.NaN))
  report.target('polls against hello world', median(ratios), { least: 0.3 }, ' ×')
}

/** Measures the time from the wallet's 200 to the first byte of the webhook, one verification at a time. */
async function benchWebhooks(
  server: Server,
  stage: Stage,
  authority: Authority,
  report: Report,
): Promise<void> {
  report.heading(`First webhook after the wallet's 200 (milliseconds, ${WEBHOOKS} of them)`)
  const receiver = await startReceiver()
  const arrivals = new Map<string, number>()
  receiver.answer(({ body }) => {
    arrivals.set(JSON.parse(body.toString()).verification_id, performance.now())
    return { status: 204 }
  })
  const listening = await Promise.all(
    Array.from({ length: 4 }, () => server.createRelyingParty(leanSettings(authority, receiver.url))),
  )
  const { ask, close } = await caller(stage.port)
  const waits: number[] = []
  for (let turn = 0; turn < WEBHOOKS; turn++) {
    const session = await create(ask, { ...stage, relyingParties: listening }, turn)
    await answer(ask, stage, session)
    const answered = performance.now()
    await receiver.received(turn + 1)
    waits.push(Math.max(0, (arrivals.get(session.id) ?? Number.NaN) - answered))
  }
  close()
  await receiver.close()
  report.line(`p50: ${rounded(percentile(waits, 50))}`)
  report.target('first webhook, p99', percentile(waits, 99), { most: 100 }, ' ms')
}

type Session = { readonly id: string; readonly apiKey: string; readonly requestUri: string }

export async function create(ask: Ask, { relyingParties }: Stage, turn: number): Promise<Session> {
  const { api_key: apiKey } = relyingParties[turn % relyingParties.length] as CreatedRelyingParty
  const headers = { ...bearer(apiKey), 'Content-Type': 'application/json' }
  const created = await ask({ method: 'POST', path: '/v1/verify', headers, body: CREATION }, 201)
  const { verification_id: id, wallet_request } = JSON.parse(created.body)
  return { id, apiKey, requestUri: new URL(wallet_request.request_uri).pathname }
}

const CREATION = JSON.stringify(OVER_18)

async function createSessions(stage: Stage, count: number): Promise<readonly Session[]> {
  const { ask, close } = await caller(stage.port)
  const sessions: Session[] = []
  for (let turn = 0; turn < count; turn++) sessions.push(await create(ask, stage, turn))
  close()
  return sessions
}

/**
 * Plays the wallet: fetches the request and presents an age attestation, `personMs` later. Returns the time
 * of the response.
 */
export async function answer(
  ask: Ask,
  { wallet }: Stage,
  { id, requestUri }: Session,
  personMs = 0,
): Promise<number> {
  const { body: jws } = await ask({ path: requestUri }, 200)
  if (personMs > 0) await sleep(personMs)
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const body = wallet.answer(readRequestObject(jws))
  const sentAt = performance.now()
  await ask({ method: 'POST', path: `/v1/verify/${id}/callback`, headers, body }, 200)
  return sentAt
}

function bearer(apiKey: string) {
  return { Authorization: `Bearer ${apiKey}` }
}
