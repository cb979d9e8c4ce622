// `verifier` of the settings: the identity for requests of OpenID4VP, reader certificates for `org-iso-mdoc`,
// or both.

import * as z from 'zod/mini'
import type { ReaderCertificate, SigningIdentity } from '../document/settings.ts'
import { readerCertificates } from './reader-certificate.ts'
import { checkIdentity, identityMembers } from './verifier-certificate.ts'

/** The two parts of `verifier`, which settings store as two members. */
type VerifierSettings = {
  readonly verifier: SigningIdentity | null
  readonly reader_certificates: readonly ReaderCertificate[]
}

/** Schema of `verifier`. Parse it asynchronously: it tests key pairs. `now` is Unix milliseconds. */
export function verifierSettings(now: number): z.ZodMiniType<VerifierSettings> {
  const members = z.exactPartial(z.strictObject(identityMembers(now)))
  const body = z.extend(members, { reader_certificates: z.exactOptional(readerCertificates(now)) })
  return z.pipe(
    body.check(
      z.superRefine(async ({ reader_certificates, ...identity }, context) => {
        if (reader_certificates !== undefined && Object.keys(identity).length === 0) return
        const { signing_jwk, certificate_chain_pem, ...rest } = identity
        if (signing_jwk !== undefined && certificate_chain_pem !== undefined) {
          await checkIdentity({ signing_jwk, certificate_chain_pem, ...rest }, now, context)
          return
        }
        for (const name of ['signing_jwk', 'certificate_chain_pem'] as const) {
          if (identity[name] === undefined)
            context.addIssue({ code: 'custom', path: [name], message: 'This member is required.' })
        }
      }),
    ),
    z.transform(
      ({ reader_certificates = [], signing_jwk, certificate_chain_pem, ...rest }): VerifierSettings => {
        const hasIdentity = signing_jwk !== undefined && certificate_chain_pem !== undefined
        const verifier = hasIdentity ? { signing_jwk, certificate_chain_pem, ...rest } : null
        return { verifier, reader_certificates }
      },
    ),
  )
}
