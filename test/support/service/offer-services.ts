// Services that test files share: one for each folder of tests and each set of variables. The main process of
// the run starts a service when a file first asks for it, and ends them all after the last test. It must not
// import vitest: a global setup has no test.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestProject } from 'vitest/node'
import { type RunningServer, type Server, startServer } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address at which test files ask for their shared service. */
    sharedServices: string
  }
}

/** The service that a test file asks for. */
export type Wanted = { readonly folder: string; readonly env: Readonly<Record<string, string>> }

/** Global setup of a project. */
export default async function offerServices({ provide }: TestProject) {
  const services = new Map<string, Promise<Server>>()
  const serviceFor = (wanted: string) => {
    const known = services.get(wanted)
    if (known !== undefined) return known
    const started = startServer({ env: (JSON.parse(wanted) as Wanted).env })
    services.set(wanted, started)
    return started
  }
  const desk = createServer(async (request, response) => {
    try {
      const { origin, baseUrl, adminToken, stateDir } = await serviceFor(await text(request))
      response.end(JSON.stringify({ origin, baseUrl, adminToken, stateDir } satisfies RunningServer))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await once(desk.listen(0, '127.0.0.1'), 'listening')
  provide('sharedServices', `http://127.0.0.1:${(desk.address() as AddressInfo).port}`)
  return async () => {
    desk.close()
    await Promise.allSettled([...services.values()].map(async (service) => (await service).stop()))
  }
}
