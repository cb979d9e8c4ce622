// `verifier` of the settings: the identity for requests of OpenID4VP, with further identities, and reader
// certificates for `org-iso-mdoc`.

import * as z from 'zod/mini'
import type { FurtherVerifier, ReaderCertificate, Sent, SigningIdentity } from '../document/settings.ts'
import { checkFurther, furtherVerifiers } from './further-verifiers.ts'
import { readerCertificates } from './reader-certificate.ts'
import {
  checkIdentity,
  type IdentityRules,
  identityMembers,
  requiredMembers,
} from './verifier-certificate.ts'

/** The parts of `verifier`, which settings store as separate members. */
type VerifierSettings = {
  readonly verifier: Sent<SigningIdentity> | null
  readonly reader_certificates: readonly Sent<ReaderCertificate>[]
  readonly further_verifiers: readonly Sent<FurtherVerifier>[]
}

/**
 * Schema of `verifier`. Parse it asynchronously: it tests key pairs. `now` is Unix milliseconds. `stored`:
 * identities whose private keys are stored, so that a change may leave these keys out. A creation has
 * none.
 */
export function verifierSettings(
  now: number,
  stored?: IdentityRules['stored'],
): z.ZodMiniType<VerifierSettings> {
  const rules: IdentityRules = { now, ...(stored && { stored }) }
  const members = z.exactPartial(z.strictObject(identityMembers()))
  const body = z.extend(members, {
    reader_certificates: z.exactOptional(readerCertificates(rules)),
    further: z.exactOptional(furtherVerifiers(rules)),
  })
  return z.pipe(
    body.check(
      z.superRefine(async ({ reader_certificates, ...identity }, context) => {
        if (reader_certificates !== undefined && Object.keys(identity).length === 0) return
        const { signing_jwk, certificate_chain_pem, further = [], ...rest } = identity
        if (certificate_chain_pem !== undefined) {
          const key = signing_jwk && { signing_jwk }
          await checkIdentity({ certificate_chain_pem, ...rest, ...key }, rules, context)
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
        else: requiredMembers(rules, ['certificate_chain_pem']),
      }),
    ),
    z.transform(
      ({
        reader_certificates = [],
        further: further_verifiers = [],
        certificate_chain_pem,
        ...rest
      }): VerifierSettings => {
        const verifier = certificate_chain_pem === undefined ? null : { certificate_chain_pem, ...rest }
        return { verifier, reader_certificates, further_verifiers }
      },
    ),
  )
}
