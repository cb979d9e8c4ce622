// A webhook receiver on loopback. It stores every request unchanged, responds as scripted, and checks
// signatures with the libraries of real receivers.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'

/** One received request; `body` is the raw bytes. */
export type ReceivedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Unix milliseconds. */
  readonly at: number
}

/**
 * A scripted response. `reset` breaks the connection instead, `hang` never responds. `stall` sends status and
 * headers and never ends the body.
 */
export type ScriptedResponse = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly delayMs?: number
  readonly act?: 'reset' | 'hang' | 'stall'
}

export type Receiver = {
  readonly url: string
  readonly port: number
  readonly requests: readonly ReceivedRequest[]
  /** Sets the response from now on: one for all requests, or one for each (`index` from 0). */
  answer(script: ScriptedResponse | ((request: ReceivedRequest, index: number) => ScriptedResponse)): void
  /** Resolves when at least `count` requests have arrived. */
  received(count: number): Promise<readonly ReceivedRequest[]>
  close(): Promise<void>
}

/** Starts a receiver on a free port of 127.0.0.1 that responds with 200 by default. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let script: Parameters<Receiver['answer']>[0] = {}

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = '', url: path = '', headers } = incoming
    const request = { method, path, headers, body: Buffer.concat(chunks), at: Date.now() }
    const index = requests.push(request) - 1
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
    const answer = typeof script === 'function' ? script(request, index) : script
    if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs))
    respond(response, answer)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const bound = (server.address() as AddressInfo).port

  return {
    url: `http://127.0.0.1:${bound}/webhook`,
    port: bound,
    requests,
    answer: (next) => {
      script = next
    },
    received: async (count) => {
      if (requests.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }))
      return requests
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function respond(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', act }: ScriptedResponse,
): void {
  if (act === 'reset') response.destroy()
  else if (act !== 'hang') {
    response.writeHead(status, headers)
    if (act === 'stall') response.write(body || '.')
    else response.end(body)
  }
}

/** Returns the result of each foreign verifier for a request: the accepted event, or the error. */
export function checkSignature(request: Pick<ReceivedRequest, 'headers' | 'body'>, secret: string) {
  const headers = request.headers as Record<string, string>
  const body = request.body.toString('utf8')
  const resultOf = (verify: () => unknown) => {
    try {
      return { accepted: verify() }
    } catch (error) {
      return { refused: String(error) }
    }
  }
  return {
    standardwebhooks: resultOf(() => new StandardWebhook(secret).verify(body, headers)),
    svix: resultOf(() => {
      new SvixWebhook(secret).verify(body, headers) // returns nothing, but throws if it refuses
      return JSON.parse(body)
    }),
  }
}

/** Returns a 200 whose body never ends, 256 bytes at a time, and a count of the bytes read. */
export function endlessResponse() {
  let bytes = 0
  let canceled = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        bytes += 256
        controller.enqueue(new Uint8Array(256))
      },
      cancel: () => {
        canceled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { response: new Response(body), read: () => ({ bytes, canceled }) }
}
