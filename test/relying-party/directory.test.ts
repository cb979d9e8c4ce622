import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { createRelyingParty } from '../../src/relying-party/registry.ts'
import type { SettingsInput } from '../../src/relying-party/settings/settings.ts'
import { TEST_ENVIRONMENT, VERIFIER_CERTIFICATE_PEM } from '../support/service/environment.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const DAY = 86_400_000
/** Of the certificate of the tests. */
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

describe('the dates of certificates that relying parties have of their own', () => {
  it('tell how many have expired, how many are to be renewed, and when the next one expires', async () => {
    const directory = newDirectory()
    expect(await directory.certificateDates(NOW)).toEqual({ expired: 0, toRenew: 0, nextExpiry: null })
    await listed(directory, 'rp_without')
    await listed(directory, 'rp_expired', NOW - 1)
    await listed(directory, 'rp_last_day', NOW)
    await listed(directory, 'rp_last_month', NOW + 30 * DAY)
    await listed(directory, 'rp_in_time', NOW + 30 * DAY + 1)
    expect(await directory.certificateDates(NOW)).toEqual({ expired: 1, toRenew: 2, nextExpiry: NOW })
  })

  it('are those of the certificate noted last', async () => {
    const directory = newDirectory()
    await listed(directory, 'rp_a', NOW - 1)
    await directory.noteCertificate('rp_a', { validFrom: 0, expiresAt: NOW + DAY, renewFrom: NOW })
    expect(await directory.certificateDates(NOW)).toEqual({ expired: 0, toRenew: 1, nextExpiry: NOW + DAY })
    await directory.noteCertificate('rp_a', null)
    expect(await directory.certificateDates(NOW)).toEqual({ expired: 0, toRenew: 0, nextExpiry: null })
  })

  it('go with the entry, and there are none of what is not listed', async () => {
    const directory = newDirectory()
    await listed(directory, 'rp_a', NOW - 1)
    await directory.remove('rp_a')
    await directory.noteCertificate('rp_a', { validFrom: 0, expiresAt: NOW - 1, renewFrom: 0 })
    expect(await directory.certificateDates(NOW)).toMatchObject({ expired: 0 })
  })

  it('stand in the list', async () => {
    const directory = newDirectory()
    await listed(directory, 'rp_a', EXPIRES_AT)
    await listed(directory, 'rp_b')
    expect(await datesOf(directory)).toEqual([EXPIRES_AT, null])
  })
})

describe('a directory from before the dates', () => {
  it('asks each relying party for its certificate, and only once', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push(await newRelyingParty(i === 0))
    const directory = newDirectory()
    for (const id of ids) await listed(directory, id)
    await listed(directory, 'rp_gone')
    await directory.noteCertificate(ids[1] ?? '', { validFrom: 0, expiresAt: NOW, renewFrom: 0 }) // before its turn came
    await asBefore(directory)
    await vi.waitFor(async () => expect(await datesOf(directory)).toEqual([EXPIRES_AT, NOW, null, null]))
    await evictDurableObject(directory)
    expect(await datesOf(directory)).toEqual([EXPIRES_AT, NOW, null, null])
    expect(await runInDurableObject(directory, (_, { storage }) => storage.getAlarm())).toBeNull()
  })

  it('asks them all, however many there are', async () => {
    const directory = newDirectory()
    for (let i = 0; i < 40; i++) await listed(directory, `rp_${i}`)
    await listed(directory, await newRelyingParty(true))
    await asBefore(directory)
    await vi.waitFor(async () => expect((await datesOf(directory)).at(-1)).toBe(EXPIRES_AT))
  })
})

async function datesOf(directory: Listing): Promise<readonly (number | null)[]> {
  const { entries } = await directory.list(0, 50)
  return entries.map((entry) => entry.verifier_certificate_expires_at)
}

/** Starts the object anew on what an older version left: no note of how far it has come. */
async function asBefore(directory: Listing): Promise<void> {
  await runInDurableObject(directory, async (_, { storage }) => {
    storage.kv.delete('certificates_dated')
    await storage.deleteAlarm()
  })
  await evictDurableObject(directory)
  await directory.trustLists()
}

async function newRelyingParty(hasCertificate: boolean): Promise<string> {
  const signing_jwk = JSON.parse(TEST_ENVIRONMENT.VERIFIER_SIGNING_JWK)
  const verifier = { signing_jwk, certificate_chain_pem: VERIFIER_CERTIFICATE_PEM }
  const created = await createRelyingParty(env, { ...INPUT, verifier: hasCertificate ? verifier : null }, NOW)
  return created.settings.relying_party_id
}

const INPUT: SettingsInput = {
  name: 'Shop',
  livemode: false,
  webhook: null,
  trust_anchors: [],
  anchor_sets: [],
  credential_types: [],
  transaction_data_types: [],
  formats: null,
  request_options: {},
  by_value: true,
  status_unavailable: 'refuse',
  certificate_revocation: 'off',
  return_urls: [],
  origins: [],
  branding: null,
  retention_seconds: 3600,
  claims_encryption_jwk: null,
  verifier: null,
}
