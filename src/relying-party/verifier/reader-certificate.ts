// Reader certificates of a relying party (ISO/IEC 18013-5 Annex B.1.7): they sign requests of `org-iso-mdoc`
// for pages of their domains. Some wallets accept only certificates of certain authorities. Apple Wallet
// accepts only certificates that Apple issued.

import * as z from 'zod/mini'
import { list, text } from '../../codec/schema.ts'
import type { Reader } from '../../iso18013-7/reader-auth.ts'
import { READER_CERTIFICATES } from '../../limits.ts'
import { checkValidityPeriod } from '../../trust/x509/certificate-path.ts'
import { type ChainLifetime, chainLifetime } from '../../trust/x509/chain-lifetime.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'
import type { ReaderCertificate, Sent } from '../document/settings.ts'
import {
  certificateChainPem,
  checkChain,
  type IdentityRules,
  requiredMembers,
  signingJwk,
} from './verifier-certificate.ts'

/** mdlReaderAuth (Annex B.1.7): the extended key usage of the leaf. */
const READER_AUTHENTICATION = '1.0.18013.5.1.6'

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

const domain = text(READER_CERTIFICATES.domainCharacters).check(
  z.regex(HOST_NAME, 'must be a host name of an origin, in lower case and without scheme or port'),
)

/** `verifier.reader_certificates` of the settings. Asynchronous: it tests key pairs. */
export function readerCertificates(rules: IdentityRules): z.ZodMiniType<readonly Sent<ReaderCertificate>[]> {
  const certificate = z
    .strictObject({
      signing_jwk: z.exactOptional(signingJwk),
      certificate_chain_pem: certificateChainPem,
      domains: list(domain, READER_CERTIFICATES.domains),
    })
    .check(
      z.superRefine(async (reader, context) => {
        await checkChain(reader, rules, context, [READER_AUTHENTICATION])
      }),
      z.meta(requiredMembers(rules, ['certificate_chain_pem', 'domains'])),
    )
  return list(certificate, READER_CERTIFICATES.perRelyingParty)
}

/**
 * Returns the reader certificates that have the host of the origin as a domain. Their chains are valid at
 * `now` (Unix milliseconds).
 */
export function readersFor(
  certificates: readonly ReaderCertificate[],
  origin: string,
  now: number,
): readonly Reader[] {
  const readers = validReaders(certificates, new URL(origin).hostname, now)
  return readers.flatMap(({ signing_jwk, certificate_chain_pem }) => {
    const [leaf, ...others] = anchorCertificates(certificate_chain_pem).map(({ encoded }) => encoded)
    return leaf === undefined ? [] : [{ signingJwk: signing_jwk, chain: [leaf, ...others] as const }]
  })
}

/** Returns the certificates that have the host as a domain and are valid at `now` (Unix milliseconds). */
export function validReaders<T extends Omit<ReaderCertificate, 'signing_jwk'>>(
  certificates: readonly T[],
  host: string,
  now: number,
): readonly T[] {
  return certificates.filter(
    ({ domains, certificate_chain_pem }) =>
      domains.includes(host) &&
      anchorCertificates(certificate_chain_pem).every(
        (certificate) => checkValidityPeriod(certificate, now / 1000) === undefined,
      ),
  )
}

/**
 * Returns the lifetimes of the certificates that must be renewed. A certificate is left out if, for each of
 * its domains, another certificate with that domain expires later.
 */
export function readerLifetimes(
  certificates: readonly Omit<ReaderCertificate, 'signing_jwk'>[],
): readonly ChainLifetime[] {
  const chains = certificates.flatMap(({ domains, certificate_chain_pem }) => {
    const lifetime = chainLifetime(certificate_chain_pem)
    return lifetime === null ? [] : [{ domains, lifetime }]
  })
  return chains
    .filter(({ domains, lifetime }) =>
      domains.some(
        (name) =>
          !chains.some(
            (other) => other.lifetime.expiresAt > lifetime.expiresAt && other.domains.includes(name),
          ),
      ),
    )
    .map(({ lifetime }) => lifetime)
}
