// `verifier` of the settings: the identity for requests of OpenID4VP, with further identities, and reader
// certificates for `org-iso-mdoc`.

import * as z from 'zod/mini'
import type { FurtherVerifier, ReaderCertificate, SigningIdentity } from '../document/settings.ts'
import { checkFurther, furtherVerifiers } from './further-verifiers.ts'
import { readerCertificates } from './reader-certificate.ts'
import { checkIdentity, identityMembers } from './verifier-certificate.ts'

/** The parts of `verifier`, which settings store as separate members. */
type VerifierSettings = {
  readonly verifier: SigningIdentity | null
  readonly reader_certificates: readonly ReaderCertificate[]
  readonly further_verifiers: readonly FurtherVerifier[]
}

/** Schema of `verifier`. Parse it asynchronously: it tests key pairs. `now` is Unix milliseconds. */
export function verifierSettings(now: number): z.ZodMiniType<VerifierSettings> {
  const members = z.exactPartial(z.strictObject(identityMembers(now)))
  const body = z.extend(members, {
    reader_certificates: z.exactOptional(readerCertificates(now)),
    further: z.exactOptional(furtherVerifiers(now)),
  })
  return z.pipe(
    body.check(
      z.superRefine(async ({ reader_certificates, ...identity }, context) => {
        if (reader_certificates !== undefined && Object.keys(identity).length === 0) return
        const { signing_jwk, certificate_chain_pem, further = [], ...rest } = identity
        if (signing_jwk !== undefined && certificate_chain_pem !== undefined) {
          await checkIdentity({ signing_jwk, certificate_chain_pem, ...rest }, now, context)
          checkFurther(certificate_chain_pem, further, context)
          return
        }
        for (const name of ['signing_jwk', 'certificate_chain_pem'] as const) {
          if (identity[name] === undefined)
            context.addIssue({ code: 'custom', path: [name], message: 'This member is required.' })
        }
      }),
      z.meta({
        if: { required: ['reader_certificates'], maxProperties: 1 },
        else: { required: ['signing_jwk', 'certificate_chain_pem'] },
      }),
    ),
    z.transform(
      ({
        reader_certificates = [],
        further: further_verifiers = [],
        signing_jwk,
        certificate_chain_pem,
        ...rest
      }): VerifierSettings => {
        const hasIdentity = signing_jwk !== undefined && certificate_chain_pem !== undefined
        const verifier = hasIdentity ? { signing_jwk, certificate_chain_pem, ...rest } : null
        return { verifier, reader_certificates, further_verifiers }
      },
    ),
  )
}
