// A full file system, as a real Prometheus reads it: the alert fires while the disk is full, and clears
// afterwards. Every object is closed between two readings. On a full disk SQLite cannot open a closed object,
// not even for reading.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isMissing, type Prometheus, RULES, startPrometheus } from '../support/service/prometheus.ts'
import { OVER_18, type OwnService, startService } from '../support/service/service.ts'
import { WAIT } from '../support/wait.ts'
import { canMount, type Disk, mountDisk } from './disk.ts'

const IS_FULL = process.env.FAULTS === 'full'
const DISK_MIB = 40
/** Longer than the platform keeps an unused object in memory. */
const CLOSED_MS = 12_000
/** The size of CI does not wait a minute for an alert. */
const rules = readFileSync(RULES, 'utf8').replaceAll('for: 1m', IS_FULL ? 'for: 1m' : 'for: 5s')
const ALERT = 'WalletVerifierStorageNotWritable'

describe.skipIf(isMissing('prometheus') || (process.env.CI_FULL !== '1' && !canMount()))(
  'a full disk',
  () => {
    let disk: Disk
    let service: OwnService
    let prometheus: Prometheus
    beforeAll(async () => {
      disk = mountDisk(DISK_MIB)
      service = await startService({ STATE_DIR: disk.stateDir })
      const tokenFile = join(disk.stateDir, 'keys', 'metrics-token')
      prometheus = await startPrometheus(new URL(service.server.origin).host, { tokenFile, rules })
    })
    afterAll(async () => {
      await prometheus?.stop()
      await service?.stop()
      disk?.remove()
    })

    it('is reported by /readyz and by /metrics even if no Durable Object is open, and its alert fires and clears, if prometheus is installed', async () => {
      const rp = await service.relyingParty()
      const { verification_id } = await rp.create()
      await vi.waitFor(async () => expect(await prometheus.value('wallet_verifier_ready')).toBe(1), WAIT)
      expect(await prometheus.firing()).toEqual([])
      await sleep(CLOSED_MS)

      const pid = service.server.pid()
      disk.fill(pid)
      const filledAt = Date.now()
      const known = await vi.waitFor(async () => {
        const { warnings } = await readiness()
        expect(warnings).toContain('storage_not_writable')
        return Date.now()
      }, WAIT)
      await vi.waitFor(async () => expect(await prometheus.firing()).toContain(ALERT), WAIT)
      const firedAt = Date.now()
      expect(await prometheus.value('up')).toBe(1)
      expect(await prometheus.value('wallet_verifier_storage_writable')).toBe(0)
      await sleep(CLOSED_MS)
      expect((await readiness()).warnings).toContain('storage_not_writable')
      expect((await rp.call('POST', '/v1/verify', { body: OVER_18 })).status).toBe(503)

      disk.free(pid)
      const freedAt = Date.now()
      await vi.waitFor(
        async () => expect((await readiness()).warnings).not.toContain('storage_not_writable'),
        WAIT,
      )
      expect((await readiness()).status).toBe(200)
      await vi.waitFor(async () => expect(await prometheus.firing()).not.toContain(ALERT), WAIT)
      console.info(
        `known after ${known - filledAt} ms, alert after ${firedAt - filledAt} ms; clear after ${Date.now() - freedAt} ms`,
      )
      expect((await rp.poll(verification_id)).status).toBe('pending')
    })

    it('is reported in the log by a line of the service and by a line of workerd with the same reference, if prometheus is installed', () => {
      const output = service.server.output()
      const line = output.split('\n').find((text) => text.includes('"event":"storage_not_writable"')) ?? '{}'
      const [, reference] = /reference = (\w+)/.exec(JSON.parse(line).message) ?? []
      const at = output.indexOf(`wdErrId = ${reference}`)
      expect(at).toBeGreaterThan(0)
      expect(output.slice(0, at).split('\n').slice(-2).join('\n')).toMatch(/SQLITE_(FULL|IOERR)/)
    })

    async function readiness() {
      const response = await service.fetch('/readyz')
      const { warnings } = (await response.json()) as { warnings: readonly { code: string }[] }
      return { status: response.status, warnings: warnings.map(({ code }) => code) }
    }
  },
)
