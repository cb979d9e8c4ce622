// A verifier under load: what the callers of the load need from it. Ours is run as `npm start` runs it.

import { readdirSync, readFileSync } from 'node:fs'
import type { Authority } from '../../test/support/people/person.ts'
import { startServer } from '../../test/support/service/server.ts'
import { OVER_18 } from '../../test/support/service/service.ts'
import { leanSettings } from '../../test/support/wallets/lean-wallet.ts'

export type Call = (path: string, init?: RequestInit) => Promise<{ status: number; text: string }>

/** Processor time so far and memory of a verifier. The launcher is shown apart. */
export type Usage = {
  readonly cpuMs: number
  readonly launcherCpuMs: number
  readonly memoryMiB: number
  readonly descriptors: number
}

export type Target = {
  /** Creates a session. */
  readonly create: () => Promise<Session>
  /** Returns the status of a session: `verified` after a good response. */
  readonly poll: (session: Session) => Promise<string>
  /** Requests a picture of the QR code. */
  readonly picture?: (session: Session) => Promise<{ status: number }>
  /** Calls a path of the verifier. */
  readonly call: Call
  readonly usage: () => Usage
  /** Time after the last request until all work is done. */
  readonly putAwayMs: number
  readonly stop: () => Promise<unknown>
}

/** `workerd` puts an object away ten seconds after its last request. */
export const PUT_AWAY_MS = 12_500

export type Session = { readonly id: string; readonly requestUri: string; readonly caller: string }

export type OurOptions = {
  /** Variables of the launcher. STATE_DIR is a temporary directory without it. */
  readonly env: Readonly<Record<string, string>>
  /** Launcher of another copy of the project. */
  readonly launcher?: string
  /** Settings of the relying parties. */
  readonly settings?: object
}

/** Our service, with what is counted on its disk. */
export type Ours = Target & { readonly pid: number; readonly stateDir: string }

/** Each relying party may create 100 sessions a second. */
export const RELYING_PARTIES = 16
/** No session expires within the run: that would be the work of a later round. */
const CREATION = { ...OVER_18, expires_in: 3600 }

export async function startOurs(
  authority: Authority,
  { env, launcher, settings }: OurOptions,
): Promise<Ours> {
  const server = await startServer({ env, ...(launcher !== undefined && { launcher }) })
  const request_options = { response_mode: 'direct_post.jwt', request_uri_method: 'get' }
  const keys: string[] = []
  for (let i = 0; i < RELYING_PARTIES; i++) {
    const all = { ...leanSettings(authority), request_options, ...settings }
    keys.push((await server.createRelyingParty(all)).api_key)
  }
  const call = callTo(server.origin)
  const forgetOutput = setInterval(() => server.takeOutput(), 1_000)
  const pid = server.pid()
  const launcherPid = parentOf(pid)
  let turn = 0
  let creation: object = { ...CREATION, qr_code: false }
  return {
    pid,
    stateDir: server.stateDir,
    call,
    putAwayMs: PUT_AWAY_MS,
    create: async () => {
      const caller = keys[turn++ % keys.length] ?? ''
      const headers = { ...bearer(caller), 'content-type': 'application/json' }
      const send = () => call('/v1/verify', { method: 'POST', headers, body: JSON.stringify(creation) })
      let created = await send()
      if (created.status === 400 && created.text.includes('"/qr_code"')) {
        creation = CREATION // an early copy of the project, which always draws a picture at the creation
        created = await send()
      }
      if (created.status !== 201) throw new Error(`create: HTTP ${created.status} ${created.text}`)
      const { verification_id: id, wallet_request } = JSON.parse(created.text)
      return { id, requestUri: new URL(wallet_request.request_uri).pathname, caller }
    },
    poll: async ({ id, caller }) => {
      const polled = await call(`/v1/verify/${id}`, { headers: bearer(caller) })
      if (polled.status !== 200) throw new Error(`poll: HTTP ${polled.status}`)
      return JSON.parse(polled.text).status
    },
    picture: ({ id, caller }) => call(`/v1/verify/${id}/qr?size=320`, { headers: bearer(caller) }),
    usage: () => {
      const [workerd, launcher] = [usageOf(pid), usageOf(launcherPid)]
      return {
        ...workerd,
        launcherCpuMs: launcher.cpuMs,
        memoryMiB: workerd.memoryMiB + launcher.memoryMiB,
      }
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

function bearer(apiKey: string) {
  return { authorization: `Bearer ${apiKey}` }
}

/** Returns the pid of the process that started another one. */
function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

const TICKS_PER_SECOND = 100

/** Reads the usage of a process from /proc. It has no launcher. */
export function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return {
    cpuMs: (ticks * 1000) / TICKS_PER_SECOND,
    launcherCpuMs: 0,
    memoryMiB: Number(resident) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}
