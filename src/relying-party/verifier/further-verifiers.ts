// `verifier.further` of the settings: identities that sign multi-signed requests of the Digital Credentials
// API beside `verifier` (OpenID4VP 1.0 A.3.2.2). A wallet uses the identity that its own trust scheme
// certified.

import * as z from 'zod/mini'
import { equalBytes } from '../../codec/bytes.ts'
import { list } from '../../codec/schema.ts'
import { decodePemCertificates } from '../../trust/x509/pem-certificates.ts'
import { googleWallet } from '../document/google-wallet.ts'
import type { FurtherVerifier, Sent } from '../document/settings.ts'
import {
  checkIdentity,
  type IdentityRules,
  identityMembers,
  requiredMembers,
} from './verifier-certificate.ts'

/** Limit of further identities of one relying party. */
const FURTHER_VERIFIERS = 3

/** Schema of `verifier.further`. Asynchronous: it tests key pairs. */
export function furtherVerifiers(rules: IdentityRules): z.ZodMiniType<readonly Sent<FurtherVerifier>[]> {
  const { signing_jwk, certificate_chain_pem, registration, uses } = identityMembers()
  const identity = z
    .strictObject({
      signing_jwk: z.exactOptional(signing_jwk),
      certificate_chain_pem,
      registration: z.exactOptional(registration),
      uses: z.exactOptional(uses),
      google_wallet: z.exactOptional(googleWallet),
    })
    .check(
      z.superRefine((one, context) => checkIdentity(one, rules, context)),
      z.meta(requiredMembers(rules, ['certificate_chain_pem'])),
    )
  return list(identity, FURTHER_VERIFIERS)
}

/**
 * Rejects an identity that occurs twice, because each signature needs its own Client Identifier. Rejects a
 * second `google_wallet`, because a request has metadata for one identity.
 */
export function checkFurther(
  certificateChainPem: string,
  further: readonly Sent<FurtherVerifier>[],
  context: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  const chains = [certificateChainPem, ...further.map((one) => one.certificate_chain_pem)]
  const leaves = chains.map((pem) => decodePemCertificates(pem)?.[0]?.encoded)
  const firstGoogle = further.findIndex((one) => one.google_wallet !== undefined)
  for (const [i, { google_wallet }] of further.entries()) {
    const leaf = leaves[i + 1]
    const isTwice = leaves.slice(0, i + 1).some((one) => one && leaf && equalBytes(one, leaf))
    const path = ['further', i]
    if (isTwice) {
      const message = 'must begin with another certificate than verifier and the earlier entries'
      context.addIssue({ code: 'custom', path: [...path, 'certificate_chain_pem'], message })
    }
    if (google_wallet !== undefined && i !== firstGoogle) {
      const message = 'must be in one entry only: a request has metadata for one identity'
      context.addIssue({ code: 'custom', path: [...path, 'google_wallet'], message })
    }
  }
}
