// A verifier under load: what the callers of the load need from it. Ours is run as `npm start` runs it.

import { readFileSync } from 'node:fs'
import type { Authority } from '../../test/support/people/person.ts'
import { startServer } from '../../test/support/service/server.ts'
import { OVER_18 } from '../../test/support/service/service.ts'
import { leanSettings } from '../../test/support/wallets/lean-wallet.ts'

export type Call = (path: string, init?: RequestInit) => Promise<{ status: number; text: string }>

export type Target = {
  readonly name: string
  /** Creates a session. */
  readonly create: () => Promise<Session>
  /** Returns the status of a session: `verified` after a good response. */
  readonly poll: (session: Session) => Promise<string>
  /** Calls a path of the verifier. */
  readonly call: Call
  /** Milliseconds of CPU of its processes so far, and their memory in MiB. */
  readonly usage: () => { readonly cpuMs: number; readonly memoryMiB: number }
  readonly stop: () => Promise<unknown>
}

export type Session = { readonly id: string; readonly requestUri: string; readonly caller: string }

/** Each relying party may create 100 sessions a second. */
const RELYING_PARTIES = 16

/** Starts our service with its state in `directory`, or on the disk of temporary files. */
export async function startOurs(name: string, authority: Authority, directory?: string): Promise<Target> {
  const server = await startServer(directory === undefined ? {} : { env: { STATE_DIR: directory } })
  const keys: string[] = []
  for (let i = 0; i < RELYING_PARTIES; i++) {
    const settings = leanSettings(authority)
    const request_options = { response_mode: 'direct_post.jwt', request_uri_method: 'get' }
    keys.push((await server.createRelyingParty({ ...settings, request_options })).api_key)
  }
  const call = callTo(server.origin)
  const forgetOutput = setInterval(() => server.takeOutput(), 1_000)
  let turn = 0
  return {
    name,
    call,
    create: async () => {
      const caller = keys[turn++ % keys.length] ?? ''
      const headers = { authorization: `Bearer ${caller}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ ...OVER_18, qr_code: false })
      const created = await call('/v1/verify', { method: 'POST', headers, body })
      if (created.status !== 201) throw new Error(`create: HTTP ${created.status}`)
      const { verification_id: id, wallet_request } = JSON.parse(created.text)
      return { id, requestUri: new URL(wallet_request.request_uri).pathname, caller }
    },
    poll: async ({ id, caller }) => {
      const headers = { authorization: `Bearer ${caller}` }
      const polled = await call(`/v1/verify/${id}`, { headers })
      if (polled.status !== 200) throw new Error(`poll: HTTP ${polled.status}`)
      return JSON.parse(polled.text).status
    },
    usage: () => {
      const workerd = usageOf(server.pid())
      const launcher = usageOf(parentOf(server.pid()))
      return { cpuMs: workerd.cpuMs + launcher.cpuMs, memoryMiB: workerd.memoryMiB + launcher.memoryMiB }
    },
    stop: () => {
      clearInterval(forgetOutput)
      return server.stop()
    },
  }
}

export function callTo(origin: string): Call {
  return async (path, init) => {
    const response = await fetch(origin + path, init)
    return { status: response.status, text: await response.text() }
  }
}

/** Returns the pid of the process that started another one. */
function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

const TICKS_PER_SECOND = 100

/** Reads the usage of a process from /proc. */
export function usageOf(pid: number): ReturnType<Target['usage']> {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { cpuMs: (ticks * 1000) / TICKS_PER_SECOND, memoryMiB: Number(resident) / 1024 }
}
