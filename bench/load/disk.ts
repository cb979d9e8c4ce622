// What verifications cost on a disk, with list and webhook: `fsync`s, where strace may trace, and bytes that
// are left after objects are put away. Counts are exact beside other work, too.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Turns } from '../../test/slow/crash/turns.ts'
import { startTrace } from '../../test/slow/isolation/trace.ts'
import { startReceiver } from '../../test/support/service/receiver.ts'
import { type Running, verifyAll } from './run.ts'
import type { OurService } from './services.ts'
import { PUT_AWAY_MS, RELYING_PARTIES } from './target.ts'

export type DiskUse = {
  readonly name: string
  /** `fsync`s of one verification; undefined if strace cannot attach. */
  readonly syncs: number | undefined
  readonly bytes: number
}

/** Verifications of each relying party: one of many shares the files of list and event log. */
const EACH = 10
/** Verifications before, so that each shared object has its file and rows of ended sessions. */
const EACH_BEFORE = 30
/** Alarms use some objects again. */
const PUT_AWAY_WITHIN_SECONDS = 180

/**
 * Counts `callers` at a time. The relying parties have verified before, so that all files exist. Services
 * with the same `turns` verify one after the other, and wait beside each other.
 */
export async function countOnDisk(service: OurService, callers: number, turns: Turns): Promise<DiskUse> {
  const receiver = await startReceiver()
  const ours = await service.open({ webhook: { url: receiver.url } })
  const directory = mkdtempSync(join(tmpdir(), 'verifier-trace-'))
  try {
    const running: Running = { target: ours, answer: service.answer }
    const verify = async (count: number) => {
      const before = receiver.requests.length
      const giveBack = await turns.take()
      try {
        await verifyAll(running, count, callers)
        await receiver.received(before + count)
      } finally {
        giveBack()
      }
      await sleep(PUT_AWAY_MS)
      await untilPutAway(ours.stateDir)
    }
    await verify(RELYING_PARTIES * EACH_BEFORE)
    const bytes = await bytesBelow(ours.stateDir)
    const trace = await startTrace(ours.pid, join(directory, 'calls'))
    const count = RELYING_PARTIES * EACH
    await verify(count)
    const calls = await trace?.end()
    const syncs = calls?.filter((call) => /^f(data)?sync\(/.test(call)).length
    return {
      name: service.name,
      syncs: syncs && syncs / count,
      bytes: ((await bytesBelow(ours.stateDir)) - bytes) / count,
    }
  } finally {
    await ours.stop()
    await receiver.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The log of writes of the alarms' database is used again and again: it does not grow by verifications. */
const REUSED = /^metadata\.sqlite-(wal|shm)$/

/** Waits until no object has a log of writes, which is removed when the object is put away. */
async function untilPutAway(directory: string): Promise<void> {
  const isOpen = async () => (await filesBelow(directory)).some(({ name }) => name.endsWith('-wal'))
  for (let second = 0; await isOpen(); second++) {
    if (second === PUT_AWAY_WITHIN_SECONDS) throw new Error('objects are still in use')
    await sleep(1_000)
  }
}

async function bytesBelow(directory: string): Promise<number> {
  const files = await filesBelow(directory)
  const sizes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function filesBelow(directory: string) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && !REUSED.test(entry.name))
}
