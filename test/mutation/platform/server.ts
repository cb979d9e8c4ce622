// Takes the place of test/support/service/server.ts: the service in the process of the test, so that a mutant
// needs no build. Objects get the bindings of the service that started last.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { keepVerifier } from '../../../scripts/service/verifier-certificate.mjs'
import { TEST_ENVIRONMENT } from '../../support/service/environment.ts'
import type { CreatedRelyingParty, Server } from '../../support/service/server.ts'
import { bindingsWith, waitUntil } from './workers.ts'

export type { CreatedRelyingParty, Server }

/** Starts the service on a free port of 127.0.0.1. `env` adds or replaces variables. */
export async function startServer({
  env = {},
}: {
  readonly env?: Readonly<Record<string, string>>
} = {}): Promise<Server> {
  const stateDir = mkdtempSync(join(tmpdir(), 'verifier-'))
  const baseUrl = env.BASE_URL ?? TEST_ENVIRONMENT.BASE_URL
  mkdirSync(join(stateDir, 'keys'))
  const verifier = await keepVerifier(stateDir, new URL(baseUrl).hostname)
  const { default: worker } = await import('../../../src/worker.ts')
  const server = createServer(async (incoming, outgoing) => {
    try {
      const request = await requestOf(incoming, baseUrl)
      await send(outgoing, await worker.fetch(request as never, bindings as never, { waitUntil } as never))
    } catch (error) {
      outgoing.destroy(error as Error)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const bindings = bindingsWith({ ...verifier, LISTENING_PORT: String(port), ...env })
  const origin = `http://127.0.0.1:${port}`
  const absent = () => {
    throw new Error('this test needs the process of the service: it is no test for mutants')
  }
  return {
    origin,
    baseUrl,
    adminToken: TEST_ENVIRONMENT.ADMIN_TOKEN,
    stateDir,
    output: absent,
    takeOutput: absent,
    pid: absent,
    kill9: absent,
    killWorkerd: absent,
    restart: absent,
    end: absent,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(stateDir, { recursive: true })
      bindingsWith({})
      return 0
    },
    createRelyingParty: (settings = {}) => createRelyingParty({ origin }, settings),
  }
}

export async function createRelyingParty(
  { origin }: Pick<Server, 'origin'>,
  settings: object = {},
): Promise<CreatedRelyingParty> {
  const response = await fetch(`${origin}/v1/admin/relying_parties`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TEST_ENVIRONMENT.ADMIN_TOKEN}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Test', livemode: false, ...settings }),
  })
  if (response.status !== 201) throw new Error(`HTTP ${response.status} ${await response.text()}`)
  return (await response.json()) as CreatedRelyingParty
}

async function requestOf(incoming: IncomingMessage, baseUrl: string): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { method = 'GET', url = '/', headers } = incoming
  const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
  return new Request(baseUrl + url, { method, headers: headers as Record<string, string>, ...body })
}

async function send(outgoing: ServerResponse, answer: Response): Promise<void> {
  for (const [name, value] of answer.headers) outgoing.appendHeader(name, value)
  outgoing.writeHead(answer.status)
  const body = Buffer.from(await answer.arrayBuffer())
  // As workerd does, which compresses a body by its `Content-Encoding`. A built file is compressed already.
  const isPacked = body[0] === 0x1f && body[1] === 0x8b
  outgoing.end(answer.headers.get('content-encoding') === 'gzip' && !isPacked ? gzipSync(body) : body)
}
