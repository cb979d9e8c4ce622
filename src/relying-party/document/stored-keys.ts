// Private keys that a change of `verifier` leaves out. The stored key of the same leaf certificate stays.

import { findByLeaf } from '../../trust/x509/pem-certificates.ts'
import { type RelyingPartyDocument, replaceVerifier } from './document.ts'
import type { FurtherVerifier, ReaderCertificate, Sent, SettingsPatch, SigningIdentity } from './settings.ts'

type WithChain = { readonly certificate_chain_pem: string }

/** The stored members of `verifier`. */
type Identities<Stored extends WithChain> = {
  readonly verifier?: Stored | null
  readonly reader_certificates?: readonly Stored[]
  readonly further_verifiers?: readonly Stored[]
}

/** Returns all identities of `verifier` in one list. */
export function identitiesOf<Stored extends WithChain>({
  verifier,
  reader_certificates = [],
  further_verifiers = [],
}: Identities<Stored>): readonly Stored[] {
  return [...(verifier ? [verifier] : []), ...further_verifiers, ...reader_certificates]
}

/** Returns true if the patch leaves out a private key that the document does not have either. */
export function lacksKey(patch: SettingsPatch, document: Identities<WithChain>): boolean {
  const stored = identitiesOf(document)
  const { verifier = null, reader_certificates = [], further_verifiers = [] } = patch
  const sent = [...(verifier ? [verifier] : []), ...further_verifiers, ...reader_certificates]
  return sent.some(
    (one) => one.signing_jwk === undefined && findByLeaf(stored, one.certificate_chain_pem) === undefined,
  )
}

/**
 * Replaces the identities of a document. `undefined` leaves a member unchanged. Throws if an identity has no
 * key and the document has no such certificate (see `lacksKey`).
 */
export function replaceIdentities(
  document: RelyingPartyDocument,
  { own, readers, further }: SealedIdentities,
): RelyingPartyDocument {
  const keep = keepKey(identitiesOf<StoredIdentity>(document))
  const verifier = own && keep(own)
  return {
    ...(verifier === undefined ? document : replaceVerifier(document, verifier, Date.now())),
    ...(readers && { reader_certificates: readers.map(keep) }),
    ...(further && { further_verifiers: further.map(keep) }),
  }
}

/**
 * Returns a function that adds the stored key of the same leaf certificate to an identity without a key. The
 * function throws if there is no such certificate.
 */
export function keepKey(stored: readonly StoredIdentity[]) {
  return <One extends WithChain & { readonly sealed_signing_jwk?: string }>(
    one: One,
  ): One & { readonly sealed_signing_jwk: string } => {
    const key = one.sealed_signing_jwk ?? findByLeaf(stored, one.certificate_chain_pem)?.sealed_signing_jwk
    if (key === undefined) throw new Error('the private key of a certificate is neither sent nor stored')
    return { ...one, sealed_signing_jwk: key }
  }
}

/** An identity of a body with its key sealed, if it has a key. */
export type Sealed<One> = Omit<One, 'signing_jwk'> & { readonly sealed_signing_jwk?: string }

type StoredIdentity = WithChain & { readonly sealed_signing_jwk: string }
type SealedIdentities = {
  readonly own: Sealed<Sent<SigningIdentity>> | null | undefined
  readonly readers: readonly Sealed<Sent<ReaderCertificate>>[] | undefined
  readonly further: readonly Sealed<Sent<FurtherVerifier>>[] | undefined
}
