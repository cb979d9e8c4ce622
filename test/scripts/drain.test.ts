import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { controlSocket, drainWorkerd } from '../../scripts/service/workerd.mjs'

const RUNNING = { exitCode: null, signalCode: null }

let directory: string
let service: Server
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drain-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await new Promise((resolve) => service.close(resolve))
  rmSync(directory, { recursive: true })
})

/** A service with so many open requests, by the number of the call. Returns the number of calls. */
async function openService(openRequests: (call: number) => number): Promise<() => number> {
  let calls = 0
  service = createServer((_, response) => {
    response.end(JSON.stringify({ open_requests: openRequests(++calls) }))
  })
  await new Promise<void>((resolve) => service.listen(controlSocket(directory), resolve))
  return () => calls
}

describe('draining', () => {
  it('ends as soon as no request is open', async () => {
    const calls = await openService((call) => 3 - call)
    await drainWorkerd(RUNNING, directory)
    expect(calls()).toBe(3)
  })

  it('ends after ten seconds, even if a request is open for longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const calls = await openService((call) => {
      vi.setSystemTime(Date.now() + (call === 3 ? 4_000 : 3_000))
      return 1
    })
    await drainWorkerd(RUNNING, directory)
    expect(calls()).toBe(3)
  })
})
