// The operator's command line, beside a running service.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Server } from './server.ts'

const COMMAND = fileURLToPath(new URL('../../../scripts/admin.mjs', import.meta.url).href)

export type CommandResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** Runs `npm run admin -- …` with the service's own state. */
export function runAdmin(
  server: Pick<Server, 'stateDir' | 'origin'>,
  args: readonly string[],
  { input = '', env = {} }: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CommandResult> {
  const local = { STATE_DIR: server.stateDir, PORT: new URL(server.origin).port, ...env }
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { PATH: process.env.PATH, ...local } })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })))
}
