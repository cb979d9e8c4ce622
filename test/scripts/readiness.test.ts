import { afterEach, expect, it, vi } from 'vitest'
import { readinessLines } from '../../scripts/service/readiness.mjs'

const BASE_URL = 'https://verify.shop.org'

afterEach(() => {
  vi.useRealTimers()
})

it('the start prints Ready if /readyz returns ready, and Not ready if the certificate is not valid', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-28T00:00:00Z') })
  const linesFor = (expires_at: string) =>
    readinessLines(
      { status: 'not_ready', warnings: [{ code: 'verifier_certificate_not_valid', expires_at }] },
      BASE_URL,
    )
  expect(readinessLines({ status: 'ready', warnings: [] }, BASE_URL)).toEqual({
    line: `Ready: ${BASE_URL}`,
    warnings: [],
  })
  expect(linesFor('2026-11-01T00:00:00.000Z')).toEqual({
    line: `Not ready: ${BASE_URL}`,
    warnings: [
      'Warning: The certificate of the verifier expired on 2026-11-01: wallets refuse every new request (docs/runbooks/signing-certificate.md).',
    ],
  })
  expect(linesFor('2027-11-01T00:00:00.000Z').warnings[0]).toContain('is not valid yet')
})

it('the start prints every other warning of /readyz with its members, except warnings that it has already printed', () => {
  const warnings = [
    { code: 'self_made_verifier_certificate' },
    { code: 'client_ip_header_missing' },
    { code: 'storage_not_writable' },
    { code: 'directory_unavailable' },
    {
      code: 'relying_party_certificate_expires_soon',
      relying_parties: 2,
      expires_at: '2027-01-01T00:00:00.000Z',
    },
    { code: 'a_later_code' },
  ]
  expect(readinessLines({ status: 'ready', warnings }, BASE_URL).warnings).toEqual([
    'Warning: Storage cannot be written (docs/runbooks/full-disk.md).',
    'Warning: The directory of relying parties cannot be read (docs/runbooks/damaged-storage.md).',
    'Warning: relying_party_certificate_expires_soon, expires_at: 2027-01-01T00:00:00.000Z, relying_parties: 2 (docs/api/running.md).',
    'Warning: a_later_code (docs/api/running.md).',
  ])
})
