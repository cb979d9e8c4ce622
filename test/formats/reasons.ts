// Every reason to refuse a presentation, reached in each format by one change of a good presentation. A new
// reason of `PresentationRefusal` does not compile until every format reaches it or explains why it cannot.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CHECKS,
  type CheckId,
  type Context,
  type CredentialFormat,
  type PresentationRefusal,
} from '../../src/formats/verification/format.ts'
import { err, ok } from '../../src/result.ts'
import { checkCertificates } from '../../src/trust/revocation/certificate-revocation.ts'
import {
  type CertificateOptions,
  type IssuerPki,
  type Minted,
  mintCertificate,
  mintIntermediate,
  mintLeaf,
  VALID_UNTIL,
} from '../support/certificates/certificates.ts'
import { makeCrl } from '../support/certificates/crl.ts'
import { expectRefusal, type Verification } from './contract.ts'

/** Result of one change, or the reason why the format cannot have it. */
export type Reasons = Readonly<Record<PresentationRefusal['reason'], (() => Promise<Verification>) | string>>

export type Subject = {
  readonly format: CredentialFormat
  /** Where the format lives under src/formats. */
  readonly folder: string
  readonly reasons: Reasons
  /** Checks that none of the changes fails, and why. */
  readonly neverFails: Readonly<Partial<Record<CheckId, string>>>
}

/** Runs the suite. */
export function describeReasons({ format, folder, reasons, neverFails }: Subject): void {
  const entries = Object.entries(reasons)
  const reached = entries.flatMap(([reason, change]) =>
    typeof change === 'string' ? [] : [[reason, change] as const],
  )
  const excused = entries.flatMap(([reason, why]) =>
    typeof why === 'string' ? [[reason, why] as const] : [],
  )
  const failed = new Set<CheckId>()

  describe(`the reasons to refuse a ${format.id} presentation`, () => {
    it.each(reached)(
      'include %s, and one change of a good presentation causes this reason',
      async (reason, change) => {
        const verification = await change()
        expect(verification.result).toMatchObject({ ok: false, error: { reason } })
        if (!verification.result.ok) expectRefusal(verification, verification.result.error)
        failed.add(verification.trace.at(-1)?.[0] as CheckId)
      },
    )

    it('the reasons that this test lists as impossible do not occur in the code of the format', () => {
      const path = join(import.meta.dirname, '../../src/formats', folder)
      const source = readdirSync(path).map((file) => readFileSync(join(path, file), 'utf8'))
      for (const [reason, why] of excused) {
        expect(source.join('\n')).not.toContain(`'${reason}'`)
        expect(why).not.toBe('')
      }
    })

    it('include at least one reason for every check that can fail', () => {
      const others = Object.keys(neverFails)
      expect(CHECKS.filter((check) => !failed.has(check))).toEqual(
        CHECKS.filter((check) => others.includes(check)),
      )
    })
  })
}

export type ChainReason =
  | 'trust_anchor_in_chain'
  | 'invalid_certificate_path'
  | 'self_signed_certificate'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_profile_violation'
  | 'certificate_revoked'
  | 'certificate_status_unavailable'

/** A good chain with one change. By default its leaf has the same key and the same usage. */
export async function chainFor(
  reason: ChainReason,
  { root, intermediate, leaf }: IssuerPki,
  options: CertificateOptions = {},
): Promise<readonly Minted[]> {
  const signer = { ...options, keys: leaf.keys }
  const below = async (changes: CertificateOptions) => [
    await mintLeaf(intermediate, { ...signer, ...changes }),
    intermediate,
  ]
  switch (reason) {
    case 'trust_anchor_in_chain':
      return [leaf, intermediate, root]
    case 'invalid_certificate_path':
      return [leaf, await mintIntermediate(root)]
    case 'self_signed_certificate':
      return [await mintCertificate({ ...signer, subject: 'C=DE,CN=Myself' })]
    case 'certificate_expired':
      return below({ notAfter: new Date('2024-02-01T00:00:00Z') })
    case 'certificate_not_yet_valid':
      return below({ notBefore: new Date('2049-01-01T00:00:00Z') })
    case 'certificate_profile_violation':
      return below({ keyUsage: ['keyEncipherment'] })
    case 'certificate_revoked':
    case 'certificate_status_unavailable':
      return below({ crls: [CRL_URL], serialNumber: REVOKED })
  }
}

const CRL_URL = 'http://crl.authority.example.org/1.crl'
const REVOKED = '7b'

/** Settings of such a chain: who lists it, and if the list is available. */
export function worldFor(reason: ChainReason, { intermediate }: IssuerPki): Partial<Context> {
  if (reason !== 'certificate_revoked' && reason !== 'certificate_status_unavailable') return {}
  return {
    certificateRevocation: 'require',
    checkCertificates,
    fetchResource: async ({ url }) => {
      expect(url).toBe(CRL_URL)
      if (reason === 'certificate_status_unavailable') return err('unavailable')
      const body = await makeCrl(intermediate, 1_700_000_000, { revoked: [REVOKED], nextUpdate: VALID_UNTIL })
      return ok({ body, contentType: 'application/pkix-crl' })
    },
  }
}
