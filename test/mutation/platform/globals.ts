// Setup of each test file on this platform: the globals that Node does not have. Skips tests of WebSockets,
// of the service's process, and one in which the index must respond before a clock goes on that is not real.

import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeEach } from 'vitest'
import { stopServers } from './shared-services.ts'
import { stopTimers } from './storage.ts'

beforeEach(stopTimers)
afterAll(stopServers)

const stored = new Map<string, Response>()

Object.assign(globalThis, {
  caches: {
    default: {
      match: async (address: string) => stored.get(address)?.clone(),
      put: async (address: string, response: Response) => void stored.set(address, response),
    },
  },
  scheduler: { wait: (milliseconds: number) => wait(milliseconds, undefined, { ref: false }) },
})

const SKIPPED: readonly string[] = [
  'has its own alarm, which fires up to 60 s later, or on time if a client watches',
  'verify a receipt after two rotations, even though the private key that signed it no longer exists',
  'the alarm calls the log after 25 s, 50 s and so on, later every hour, until the log responds',
  'api/binding: a code that was redeemed gets the same 200 again after the service was killed',
  'has a certificate whose expiry is in the operator’s list of certificates, in /readyz and in the metrics',
]

beforeEach(({ task, skip }) => {
  if (SKIPPED.includes(task.name)) skip()
})
