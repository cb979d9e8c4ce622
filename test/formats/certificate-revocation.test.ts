// Effect of certificate revocation lists on a credential. They are checked after all other authenticity
// checks and before the credential's own status.

import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/formats/verification/format.ts'
import type { FetchResource } from '../../src/net/guarded-fetch.ts'
import { err, ok } from '../../src/result.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { checkCertificates } from '../../src/trust/revocation/certificate-revocation.ts'
import { mintLeaf } from '../support/certificates/certificates.ts'
import { type CrlOptions, makeCrl } from '../support/certificates/crl.ts'
import { makeCwt, URI } from '../trust/status/status-fixtures.ts'
import { expectRefusal } from './contract.ts'
import { ANCHOR, make, NOW, PKI, SIGNER_USAGE, verifyGood } from './mdoc/good.ts'
import { tagged } from './mdoc/maker.ts'

const LIST = 'http://crl.authority.example.org/1.crl'
const signer = await mintLeaf(PKI.intermediate, {
  keys: PKI.leaf.keys,
  serialNumber: '7b',
  crls: [LIST],
  extendedKeyUsage: [SIGNER_USAGE],
})
const chain = [signer.der, PKI.intermediate.der]
const listed = {
  issuerHeaders: (headers: { unprotected: Map<unknown, unknown> }) => headers.unprotected.set(33, chain),
}
const good = make(listed)

/** Verifies with this list, and returns the fetched addresses. `undefined`: the list is unavailable. */
async function verifyTraced(
  certificateRevocation: Context['certificateRevocation'],
  options: CrlOptions | undefined,
  { presentation = good, ...changes }: { presentation?: string; nonce?: string; anchor?: TrustAnchor } = {},
) {
  const asked: string[] = []
  const list = options && (await makeCrl(PKI.intermediate, NOW, options))
  const fetchResource: FetchResource = async ({ url }) => {
    asked.push(url)
    return list && url === LIST ? ok({ body: list, contentType: '' }) : err('unavailable')
  }
  const { nonce, anchor = ANCHOR } = changes
  const verification = await verifyGood(presentation, {
    ...(nonce && { expected: { nonce } }),
    context: {
      certificateRevocation,
      checkCertificates,
      fetchResource,
      anchors: [anchor],
    } as Partial<Context>,
  })
  return {
    verification,
    asked,
    check: verification.trace.find(([id]) => id === 'certificate_revocation')?.[1],
  }
}

const OVER = new Date((NOW - 3600) * 1000).toISOString().replace('.000', '')
const REVOKED = { revoked: ['7b'] }
const expired = make({
  ...listed,
  mso: (mso) => Object.assign(mso.validityInfo as object, { validUntil: tagged(0, OVER) }),
})

describe('a credential whose signer names a revocation list', () => {
  it.each(['require', 'accept_unknown'] as const)(
    'verifies if the list does not contain its signer, and the result reports the check, with the setting %s',
    async (setting) => {
      const { verification, check } = await verifyTraced(setting, {})
      const certificates = { status: 'valid', asOf: NOW - 86_400 }
      expect(verification.result).toMatchObject({ ok: true, value: { certificates, status: 'not_present' } })
      expect(check).toBe('pass')
    },
  )

  it.each(['require', 'accept_unknown'] as const)(
    'is refused if the list contains its signer, with the setting %s',
    async (setting) => {
      const { verification } = await verifyTraced(setting, REVOKED)
      expectRefusal(verification, { reason: 'certificate_revoked' }, 'certificate_revocation')
    },
  )

  it('is refused with require if the list is unavailable, but verifies with accept_unknown and the certificate status unavailable', async () => {
    const required = await verifyTraced('require', undefined)
    expectRefusal(
      required.verification,
      { reason: 'certificate_status_unavailable' },
      'certificate_revocation',
    )
    const accepted = await verifyTraced('accept_unknown', undefined)
    const certificates = { status: 'unavailable', cause: 'not_fetched' }
    expect(accepted.verification.result).toMatchObject({ ok: true, value: { certificates } })
    expect(accepted.check).toBe('fail')
  })

  it.each(['off', undefined] as const)(
    'is not checked against the list with the setting %s',
    async (setting) => {
      const { verification, asked, check } = await verifyTraced(setting, REVOKED)
      expect(verification.result.ok && verification.result.value.certificates).toBeUndefined()
      expect([verification.result.ok, check, asked]).toEqual([true, 'skip', []])
    },
  )

  it('is refused if its holder signature is forged, and the list is then not fetched', async () => {
    const { verification, asked } = await verifyTraced('require', REVOKED, { nonce: 'f'.repeat(32) })
    expectRefusal(verification, { reason: 'invalid_holder_signature' }, 'holder_binding')
    expect(asked).toEqual([])
  })

  it('is checked against the list even if the credential has expired, because a stolen key can sign any date', async () => {
    const stolen = await verifyTraced('require', REVOKED, { presentation: expired })
    expect(stolen.verification.result).toEqual({ ok: false, error: { reason: 'certificate_revoked' } })
    const own = await verifyTraced('require', {}, { presentation: expired })
    expect(own.verification.result).toMatchObject({ ok: true, value: { reasons: ['credential_expired'] } })
  })

  it('is refused if its signer is revoked, and its status list is then not fetched', async () => {
    const status = { status_list: { idx: 0, uri: 'https://status.example/1' } }
    const presentation = make({ ...listed, mso: (mso) => Object.assign(mso, { status }) })
    const { verification, asked } = await verifyTraced('require', REVOKED, { presentation })
    expectRefusal(verification, { reason: 'certificate_revoked' })
    expect(asked).toEqual([LIST])
  })
})

it('a credential is refused with require, but accepted with accept_unknown, if the signer of its status list cannot be checked for revocation', async () => {
  const claims = [[6, NOW - 100], [4, NOW + 1000]] as const // biome-ignore format: entries
  const list = await makeCwt({ claims, unprotected: [[33, chain]] }, PKI.leaf.keys.privateKey)
  const fetchResource: FetchResource = async ({ url }) =>
    url === URI ? ok({ body: list, contentType: '' }) : err('unavailable')
  const status = { status_list: { idx: 2, uri: URI } }
  const presentation = make({ mso: (mso) => Object.assign(mso, { status }) }) // by a signer who names no list
  const checked = (certificateRevocation: 'accept_unknown' | 'require') =>
    verifyGood(presentation, { context: { certificateRevocation, checkCertificates, fetchResource } })
  const accepted = await checked('accept_unknown')
  expect(accepted.result).toMatchObject({ ok: true, value: { status: 'unavailable', reasons: [] } })
  expect(accepted.trace.at(-1)).toEqual(['status', 'fail'])
  expectRefusal(await checked('require'), { reason: 'status_unavailable' }, 'status')
})

describe('no revocation list is fetched for', () => {
  it('a signer whose certificate is pinned', async () => {
    const anchor = {
      name: 'Pin',
      credential_types: ['mdl'],
      assurance_level: 'high',
      x509_certificate_pem: signer.pem,
    }
    const { verification, asked, check } = await verifyTraced('require', REVOKED, {
      anchor: anchor as TrustAnchor,
    })
    expect([verification.result.ok, check, asked]).toEqual([true, 'skip', []])
    expect(verification.result.ok && verification.result.value.certificates).toBeUndefined()
  })

  it('a signer that names no list, and the result has the status not_present', async () => {
    const { verification, asked, check } = await verifyTraced('require', REVOKED, { presentation: make() })
    expect(verification.result).toMatchObject({
      ok: true,
      value: { certificates: { status: 'not_present' } },
    })
    expect([check, asked]).toEqual(['skip', []])
  })
})
