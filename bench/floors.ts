// Worker of the floors: the least that a service of this shape costs on workerd, without any application.
// `/hello` is a request alone, `/call` calls an open object. A skeleton is four requests: a creation stores a
// row and sets an alarm, a fetch stores a row, an end stores a row and calls a log, a poll reads.

import { DurableObject } from 'cloudflare:workers'

type Env = {
  readonly SESSIONS: DurableObjectNamespace<Sessions>
  readonly LOG: DurableObjectNamespace<Log>
}
type Row = { readonly status: 'pending' | 'fetched' | 'verified'; readonly document: string }

/** As long as the document of a session of the service. */
const DOCUMENT = 'x'.repeat(3_600)
const SHARED_OBJECTS = 64
/** No alarm of a floor goes off within a run. */
const ALARM_MS = 86_400_000

/** Sessions as rows: one session, or many. */
export class Sessions extends DurableObject<Env> {
  #hasAlarm = false

  create(id: string): void {
    this.#store(id, 'pending')
    if (!this.#hasAlarm) void this.ctx.storage.setAlarm(Date.now() + ALARM_MS)
    this.#hasAlarm = true
  }

  async fetchRequest(id: string): Promise<string> {
    const { document } = await this.#read(id)
    this.#store(id, 'fetched')
    return document
  }

  async end(id: string, caller: string): Promise<void> {
    await this.#read(id)
    this.#store(id, 'verified')
    await this.env.LOG.getByName(caller).add(id)
  }

  async poll(id: string): Promise<string> {
    const { status } = await this.#read(id)
    return status === 'fetched' ? 'pending' : status
  }

  /** A call without storage. */
  call(): string {
    return 'Hello, world'
  }

  override alarm(): void {}

  async #read(id: string): Promise<Row> {
    const row = await this.ctx.storage.get<Row>(id)
    if (row === undefined) throw new Error(`there is no session ${id}`)
    return row
  }

  #store(id: string, status: Row['status']): void {
    void this.ctx.storage.put<Row>(id, { status, document: DOCUMENT })
  }
}

/** The log of one caller: a row for each end. */
export class Log extends DurableObject<Env> {
  add(id: string): void {
    void this.ctx.storage.put(id, 'verified')
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, kind = '', caller = '', id, step] = new URL(request.url).pathname.split('/')
    if (kind === 'call') return new Response(await env.SESSIONS.getByName('open').call())
    if (kind !== 'own' && kind !== 'shared') return new Response('Hello, world')
    const session = id ?? crypto.randomUUID()
    const object = env.SESSIONS.getByName(kind === 'own' ? session : shardOf(session))
    if (step === 'request') return new Response(await object.fetchRequest(session))
    if (step === 'response') {
      await request.text()
      await object.end(session, caller)
      return Response.json({})
    }
    if (id !== undefined) return Response.json({ status: await object.poll(session) })
    await request.text()
    await object.create(session)
    return Response.json({ id: session }, { status: 201 })
  },
}

/** Returns the object of a session by its id, without a look-up. */
function shardOf(id: string): string {
  return String(Number.parseInt(id.slice(0, 4), 16) % SHARED_OBJECTS)
}
