import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const DAY = 86_400_000
/** Expiry of the certificate of the tests. */
const EXPIRES_AT = Date.parse('2120-01-01T00:00:00Z')

function newDirectory() {
  return env.DIRECTORY.getByName(crypto.randomUUID())
}
type Listing = ReturnType<typeof newDirectory>

async function listed(directory: Listing, id: string, expiresAt?: number): Promise<void> {
  await directory.add({ relying_party_id: id, name: id, livemode: false, created_at: NOW })
  if (expiresAt === undefined) return
  await directory.noteCertificate(id, { validFrom: 0, expiresAt, renewFrom: expiresAt - 30 * DAY })
}

const SQL = "x', 0, 0); DROP TABLE relying_parties; --"

it('the directory stores values that look like SQL unchanged', async () => {
  const directory = newDirectory()
  await directory.add({ relying_party_id: `rp_${SQL}`, name: SQL, livemode: false, created_at: NOW })
  await directory.rename(`rp_${SQL}`, `${SQL} again`)
  await directory.noteCertificate(`rp_${SQL}`, { validFrom: 0, expiresAt: EXPIRES_AT, renewFrom: 0 })
  expect((await directory.list(0, 50)).entries).toMatchObject([
    { relying_party_id: `rp_${SQL}`, name: `${SQL} again`, verifier_certificate_expires_at: EXPIRES_AT },
  ])
  await directory.addTrustList({ name: SQL, livemode: false })
  expect(await directory.trustLists()).toEqual([{ name: SQL, livemode: false }])
  expect(await directory.removeTrustList(SQL)).toBe(true)
  expect(await directory.remove(`rp_${SQL}`)).toBe(true)
})

describe('the expiry of relying parties’ own certificates', () => {
  it('is summarized as the number of expired certificates, the number of certificates to renew, and the next expiry', async () => {
    const directory = newDirectory()
    expect(await directory.certificateDates(NOW)).toEqual({ expired: 0, toRenew: 0, nextExpiry: null })
    await listed(directory, 'rp_without')
    await listed(directory, 'rp_expired', NOW - 1)
    await listed(directory, 'rp_last_day', NOW)
    await listed(directory, 'rp_last_month', NOW + 30 * DAY)
    await listed(directory, 'rp_in_time', NOW + 30 * DAY + 1)
    expect(await directory.certificateDates(NOW)).toEqual({ expired: 1, toRenew: 2, nextExpiry: NOW })
  })

  it('is replaced if another certificate is stored', async () => {
    const directory = newDirectory()
    await listed(directory, 'rp_a', NOW - 1)
    await directory.noteCertificate('rp_a', { validFrom: 0, expiresAt: NOW + DAY, renewFrom: NOW })
    expect(await directory.certificateDates(NOW)).toEqual({ expired: 0, toRenew: 1, nextExpiry: NOW + DAY })
    await directory.noteCertificate('rp_a', null)
    expect(await directory.certificateDates(NOW)).toEqual({ expired: 0, toRenew: 0, nextExpiry: null })
  })

  it('is removed with the relying party, and is not stored for a relying party that is not in the directory', async () => {
    const directory = newDirectory()
    await listed(directory, 'rp_a', NOW - 1)
    await directory.remove('rp_a')
    await directory.noteCertificate('rp_a', { validFrom: 0, expiresAt: NOW - 1, renewFrom: 0 })
    expect(await directory.certificateDates(NOW)).toMatchObject({ expired: 0 })
  })

  it('is shown in the list of relying parties', async () => {
    const directory = newDirectory()
    await listed(directory, 'rp_a', EXPIRES_AT)
    await listed(directory, 'rp_b')
    expect(await datesOf(directory)).toEqual([EXPIRES_AT, null])
  })
})

async function datesOf(directory: Listing): Promise<readonly (number | null)[]> {
  const { entries } = await directory.list(0, 50)
  return entries.map((entry) => entry.verifier_certificate_expires_at)
}

describe('the check that storage can be written', () => {
  afterEach(() => vi.restoreAllMocks())

  it('writes new bytes, waits until they are on the disk, and removes them', async () => {
    await runInDurableObject(newDirectory(), async (directory, { storage }) => {
      const [put, sync] = [vi.spyOn(storage.kv, 'put'), vi.spyOn(storage, 'sync')]
      await directory.checkStorage()
      expect(put.mock.calls.map(([, value]) => (value as Uint8Array).length)).toEqual([65_536])
      expect(sync).toHaveBeenCalledTimes(1)
      expect([...storage.kv.list()]).toEqual([])
    })
  })

  it.each(['put', 'sync'] as const)('rejects if storage fails at %s', async (step) => {
    await runInDurableObject(newDirectory(), async (directory, { storage }) => {
      const full = () => {
        throw new Error('database or disk is full')
      }
      if (step === 'put') vi.spyOn(storage.kv, 'put').mockImplementation(full)
      else vi.spyOn(storage, 'sync').mockImplementation(full)
      await expect(directory.checkStorage()).rejects.toThrow('full')
    })
  })
})
