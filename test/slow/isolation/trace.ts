// System calls of a process, recorded by strace.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** Records system calls of a process in their order; undefined if that is not possible. */
export async function startTrace(pid: number, file: string) {
  const calls = 'trace=pwrite64,fsync,fdatasync,write,writev,sendto,sendmsg'
  const strace = spawn('strace', ['-f', '-y', '-s', '64', '-e', calls, '-o', file, '-p', String(pid)])
  const isAttached = await new Promise<boolean>((resolve) => {
    strace.once('error', () => resolve(false)).once('exit', () => resolve(false))
    strace.stderr.on('data', (text: Buffer) => text.includes('attached') && resolve(true))
  })
  if (!isAttached) return undefined
  return {
    end: async () => {
      strace.kill('SIGINT')
      await once(strace, 'exit')
      // Each line begins with the id of the thread.
      return readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.replace(/^\d+\s+/, ''))
    },
  }
}
