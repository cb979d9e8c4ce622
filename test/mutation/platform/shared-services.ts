// Takes the place of test/support/service/shared-services.ts: a service for each stage, in the process of the
// test. Objects get the bindings of the service that started last, so that the files cannot share a service.

import type { RunningServer, Server } from '../../support/service/server.ts'
import { startServer } from './server.ts'

const running: Server[] = []

export async function sharedServer(env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const server = await startServer({ env })
  running.push(server)
  return server
}

/** Stops the services of a test file. */
export async function stopServers(): Promise<void> {
  for (const server of running.splice(0)) await server.stop()
}
