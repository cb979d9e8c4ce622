// A run: groups of requests, several at a time. Seed and index decide a request, so that each can be sent
// again alone.

import { Agent, request as send } from 'node:http'
import { type Random, seededRandom } from '../../formats/sd-jwt-vc/random.ts'
import { lintExchange } from '../../support/linters/linted-exchange.ts'
import { undescribed } from '../../support/reading/described.ts'
import { type Receiver, startReceiver } from '../../support/service/receiver.ts'
import { type Server, startServer } from '../../support/service/server.ts'
import { BASE_URL, type OwnService, type RelyingParty, startService } from '../../support/service/service.ts'
import { type FuzzResponse, undocumented } from './documented.ts'
import { type Ledger, openLedger, type Summary, shown } from './ledger.ts'
import { publishInGroup } from './lists.ts'
import { cpuSecondsOf, sampleMemory } from './memory.ts'
import { operateInGroup } from './operations/operate.ts'
import { makeWorld, presentAge, type SharedWorld, walletOf } from './operations/world.ts'
import { makePool } from './pool.ts'
import { drawRequest, type FuzzRequest, type Pool } from './requests.ts'
import { respondInGroup } from './responses.ts'
import { changeSettingsInGroup } from './settings.ts'
import { openStored, type Stored } from './stored.ts'
import { makePeople, type Scene, settingsFor } from './targets.ts'

/** Requests that share a session, a list or a relying party. */
const GROUP = 40
/** Groups that share a pool of sessions and keys. */
const GROUPS_OF_A_POOL = 50
const CALLERS = 12

export type Plan = {
  readonly seed: number
  readonly requests: number
  /** Sends this one request only, and prints it. */
  readonly only?: number
  /** Goes on until this holds, or until twice the requests. */
  readonly until?: (ledger: Ledger) => boolean
  /** Ends the run early. */
  readonly stop?: AbortSignal
  /** Launcher of another copy of the project. */
  readonly launcher?: string
}

/** A request of a group, by its index in the run. `turn`: its index among the requests of its kind. */
export type Slot = { readonly index: number; readonly turn: number; readonly random: Random }

/** Service, pools and counters of all groups. */
export type Context = Scene & {
  readonly service: OwnService
  /** A service whose address is on loopback, for routes that exist only there. */
  readonly local: Server
  readonly ledger: Ledger
  readonly receiver: Receiver
  /** Serves bytes at an address, by default at a new address, and returns it. */
  readonly publish: (bytes: Uint8Array, url?: string, type?: string) => string
  /** Creates a relying party that trusts the issuers of the run. */
  readonly relyingParty: (settings?: object) => Promise<RelyingParty>
  /** Relying parties for responses. */
  readonly parties: readonly RelyingParty[]
  /** Sends a request, and checks the response against contract and description. */
  readonly ask: (slot: Slot, request: FuzzRequest) => Promise<FuzzResponse>
  /** Reports changed content that counted, or good content that did not. */
  readonly found: (slot: Slot, error: string, request: FuzzRequest, answer: FuzzResponse) => void
}

/** Executes a plan on a service of its own. */
export async function runFuzz(plan: Plan): Promise<Summary> {
  const copy = plan.launcher === undefined ? {} : { launcher: plan.launcher }
  const [service, receiver, people] = await Promise.all([
    startService({ CONSOLE: '1', DEMO: '1' }, copy),
    startReceiver(),
    makePeople(),
  ])
  const local = await startServer({ env: { DEMO: '0' }, ...copy }) // the first start builds a copy
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  const ledger = openLedger(plan.seed)
  try {
    const settings = await settingsFor(people)
    const stored = openStored(service)
    const create = async (changes: object = {}) =>
      stored.watched(await service.relyingParty({ webhook: { url: receiver.url }, ...settings, ...changes }))
    const relyingParty = async (changes: object = {}) => {
      const rp = await create(changes)
      stored.untilCleared(rp)
      return rp
    }
    const found: Context['found'] = ({ index }, error, request, answer) =>
      ledger.found({ rule: 'content', index, error, ...shown(request, answer) })
    const ask: Context['ask'] = async (slot, request) => {
      const { origin } = request.isLocal ? local : service.server
      const answer = await callAgain(request, { origin, agent })
      ledger.countAnswer(request, answer)
      stored.watch(request, answer)
      const error = await errorOf(request, answer, service.fetch)
      if (error !== undefined)
        ledger.found({ rule: 'answer', index: slot.index, error, ...shown(request, answer) })
      if (plan.only !== undefined) console.log(JSON.stringify(shown(request, answer), null, 2))
      return answer
    }
    const parties = await Promise.all(Array.from({ length: 4 }, () => create()))
    const publish = publisherAt(receiver)
    const live = { service, local, people, ledger, receiver }
    const context: Context = { ...live, publish, relyingParty, parties, ask, found }
    const memory = sampleMemory(service.server.pid)
    await runGroups(plan, context, stored)
    readLog(context)
    const { user, system } = process.cpuUsage()
    const workerd = Math.round(cpuSecondsOf(service.server.pid()))
    return ledger.summary({
      memory: memory.stop(),
      cpu: { callers: Math.round((user + system) / 1e6), workerd },
    })
  } finally {
    agent.destroy()
    await Promise.all([service.stop(), local.stop()])
    await receiver.close()
  }
}

/** Runs groups one after the other in each caller. Callers share a pool until it is used up. */
async function runGroups(plan: Plan, context: Context, stored: Stored): Promise<void> {
  const first = plan.only === undefined ? 0 : Math.floor(plan.only / GROUP)
  const last = plan.only === undefined ? Math.ceil(plan.requests / GROUP) : first + 1
  const isDone = (group: number) =>
    plan.stop?.aborted === true ||
    (group >= last && (plan.until === undefined || plan.until(context.ledger) || group >= 2 * last))
  for (let group = first; !isDone(group); ) {
    const [pool, world] = await Promise.all([makePool(poolSource(context)), makeWorld(context)])
    const end = Math.max(1, Math.min(group + GROUPS_OF_A_POOL, group < last ? last : Infinity) - group)
    const numbers = Array.from({ length: end }, (_, i) => group + i).values()
    const caller = async () => {
      for (const number of numbers) {
        if (plan.stop?.aborted === true) return
        await runGroup(number, plan, { ...context, pool, world }).catch((error: Error) =>
          context.ledger.found({ rule: 'answer', index: number * GROUP, error: error.message }),
        )
      }
    }
    await Promise.all(Array.from({ length: CALLERS }, caller))
    await stored
      .clear()
      .catch((error: Error) => context.ledger.found({ rule: 'answer', index: -1, error: error.message }))
    readLog(context)
    group += end
  }
}

/** Kinds of groups by their share of a hundred. */
const KINDS = [
  [12, requestsInGroup],
  [43, operateInGroup],
  [38, respondInGroup],
  [4, publishInGroup],
  [3, changeSettingsInGroup],
] as const
const ORDER = KINDS.flatMap(([share, kind]) => Array.from({ length: share }, () => kind))
/** Has no common divisor with a hundred. So every kind has its share of a few groups, too. */
const STEP = 37

function kindOf(group: number) {
  return ORDER[(group * STEP) % ORDER.length] as (typeof KINDS)[number][1]
}

/** Returns how many earlier groups have the kind of this group. */
function earlierOfKind(group: number): number {
  const begun = group % ORDER.length
  const [share = 0] = KINDS.find(([, kind]) => kind === kindOf(group)) ?? []
  const rest = Array.from({ length: begun }, (_, i) => kindOf(i)).filter((kind) => kind === kindOf(group))
  return ((group - begun) / ORDER.length) * share + rest.length
}

async function runGroup(
  number: number,
  { seed, only }: Plan,
  context: Context & { readonly pool: Pool; readonly world: SharedWorld },
): Promise<void> {
  const random = seededRandom(mixed(seed, -1 - number))
  const turn = GROUP * (seed + earlierOfKind(number))
  const slots = Array.from({ length: GROUP }, (_, i) => ({ index: number * GROUP + i, turn: turn + i }))
    .filter(({ index }) => only === undefined || index === only)
    .map((slot) => ({ ...slot, random: seededRandom(mixed(seed, slot.index)) }))
  return kindOf(number)(context, slots, random)
}

/** Any route, with anything. */
async function requestsInGroup(
  { ask, pool }: Context & { readonly pool: Pool },
  slots: readonly Slot[],
): Promise<void> {
  for (const slot of slots) await ask(slot, drawRequest(slot.random, pool))
}

/** Returns a seed of its own for each number (the finalizer of MurmurHash3). */
function mixed(seed: number, number: number): number {
  let hash = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

function poolSource({ service, people, receiver, relyingParty }: Context): Parameters<typeof makePool>[0] {
  const wallet = walletOf({ service, people })
  return {
    service,
    wallet,
    receiverUrl: receiver.url,
    relyingParty,
    respond: (request, isAdult) => presentAge({ people, wallet }, request, isAdult),
  }
}

async function errorOf(
  request: FuzzRequest,
  answer: FuzzResponse,
  fetch: (url: string) => Promise<Response>,
): Promise<string | undefined> {
  const { route, method, path, body } = request
  const { status, headers, body: bytes } = answer
  const type = String(headers['content-type'] ?? '')
  try {
    const sent = /^application\/json\b/.test(request.headers['content-type'] ?? '')
      ? sentJson(body)
      : undefined
    const exchange = { method, path, sent, status, type, body: bytes.toString() }
    // Paths below an operator's route need a token before they are unknown.
    const error = undocumented(request, answer) ?? (route === null ? undefined : undescribed(exchange)[0])
    if (error !== undefined || type !== 'application/oauth-authz-req+jwt' || status !== 200) return error
    const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
    const served = new Response(new Uint8Array(bytes), { status, headers: named })
    await lintExchange({ url: BASE_URL + path, method, body, answer: served, fetch })
    return undefined
  } catch (error) {
    return String(error)
  }
}

function sentJson(body: FuzzRequest['body']): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : undefined
  } catch {
    return undefined
  }
}

/** Makes a receiver of webhooks a publisher of lists, too. */
function publisherAt(receiver: Receiver): Context['publish'] {
  const { origin } = new URL(receiver.url)
  const lists = new Map<string, { readonly headers: Record<string, string>; readonly body: Uint8Array }>()
  receiver.answer(({ path }) => lists.get(path) ?? (path.startsWith('/lists/') ? { status: 404 } : {}))
  return (body, url = `${origin}/lists/${lists.size}`, type = 'application/octet-stream') => {
    lists.set(new URL(url).pathname, { headers: { 'content-type': type }, body })
    return url
  }
}

/** Finds errors in the log since the last reading. */
function readLog({ service, local, ledger }: Context): void {
  for (const line of (service.server.takeOutput() + local.takeOutput()).split('\n')) {
    if (!/"level":"error"|uncaught|unhandled|exception/i.test(line)) continue
    ledger.found({
      rule: 'log',
      index: -1,
      error: `log: ${line.replaceAll(/"(time|request_id)":"[^"]*"/g, '').slice(0, 500)}`,
    })
  }
}

const ATTEMPTS = 3

/** workerd closes a connection whose body it did not read, which may cut off the response. */
async function callAgain(request: FuzzRequest, way: Parameters<typeof call>[1]): Promise<FuzzResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(request, way)
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}

function call(
  { method, path, headers, body }: FuzzRequest,
  { origin, agent }: { readonly origin: string; readonly agent: Agent },
): Promise<FuzzResponse> {
  const { hostname: host, port } = new URL(origin)
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = { method, path, agent, host, port, headers: { ...headers, ...length } }
    const failed = (error: Error) => reject(new Error(`${method} ${path}: ${error.message}`))
    const sent = send(options, async (response) => {
      const { statusCode: status = 0, headers: answered } = response
      try {
        resolve({ status, headers: answered, body: Buffer.concat(await response.toArray()) })
      } catch (error) {
        failed(error as Error)
      }
    })
    sent.once('upgrade', ({ statusCode: status = 0, headers: answered }, socket) => {
      socket.destroy()
      resolve({ status, headers: answered, body: Buffer.alloc(0) })
    })
    sent.once('error', failed)
    sent.end(body)
  })
}
