// Bodies that change `verifier` of the settings. They have no stored private key: the service keeps it.

import type { Settings } from '../../packages/client/src/wire.ts'

type Verifier = NonNullable<Settings['verifier']>
type Registered = Pick<Verifier, 'registration' | 'uses'>

/** `certificate_chain_pem` is absent if the relying party has no identity of its own. */
export type VerifierChange = {
  readonly certificate_chain_pem?: string
  readonly root_certificate_pem?: string
  readonly attestation_jwt?: string
  readonly further: readonly IdentityChange[]
  readonly reader_certificates: readonly object[]
}

export type IdentityChange = { readonly certificate_chain_pem: string; readonly signing_jwk?: unknown }

/** Returns `verifier` as a change contains it. Every stored identity stays. */
export function toChange(verifier: Settings['verifier']): VerifierChange {
  if (verifier === null) return { further: [], reader_certificates: [] }
  const { certificate_chain_pem, root_certificate_pem, attestation_jwt } = verifier
  return {
    ...(certificate_chain_pem !== null && { certificate_chain_pem }),
    ...(root_certificate_pem !== null && { root_certificate_pem }),
    ...(attestation_jwt !== null && { attestation_jwt }),
    ...registeredOf(verifier),
    further: verifier.further.map(({ certificate_chain_pem, google_wallet, ...one }) => ({
      certificate_chain_pem,
      ...registeredOf(one),
      ...(google_wallet !== null && { google_wallet: googleOf(google_wallet) }),
    })),
    reader_certificates: verifier.reader_certificates,
  }
}

/** Adds an identity: the first one, if there is none, else a further one. */
export function withIdentity(change: VerifierChange, added: IdentityChange): VerifierChange {
  return change.certificate_chain_pem === undefined
    ? { ...change, ...added }
    : { ...change, further: [...change.further, added] }
}

/**
 * Replaces the certificate and the key of the identity with the chain `old`. Its registration stays. Its
 * attestation and its root stay only with the first certificate of `old`, because they belong to its key.
 * Returns `undefined` if no identity has this chain.
 */
export function withReplaced(
  change: VerifierChange,
  old: string,
  replacement: IdentityChange,
): VerifierChange | undefined {
  if (change.certificate_chain_pem === old) {
    const { attestation_jwt, root_certificate_pem, ...others } = change
    const isSameLeaf = leafOf(old) === leafOf(replacement.certificate_chain_pem)
    return { ...(isSameLeaf ? change : others), ...replacement }
  }
  const further = change.further.map((one) => (hasChain(one, old) ? { ...one, ...replacement } : one))
  return change.further.some((one) => hasChain(one, old)) ? { ...change, further } : undefined
}

/** Removes the further identity with the chain `old`. Returns `undefined` if there is none. */
export function withoutIdentity(change: VerifierChange, old: string): VerifierChange | undefined {
  const further = change.further.filter((one) => !hasChain(one, old))
  return further.length < change.further.length ? { ...change, further } : undefined
}

/** Returns the member `verifier` of a body. An empty list is left out: the API refuses it. */
export function toBody({ further, reader_certificates, ...own }: VerifierChange): object {
  return {
    ...own,
    ...(further.length > 0 && { further }),
    ...(reader_certificates.length > 0 && { reader_certificates }),
  }
}

function hasChain(one: IdentityChange, chain: string): boolean {
  return one.certificate_chain_pem === chain
}

/** Returns the first certificate of a chain (PEM) without white space. */
function leafOf(chain: string): string | undefined {
  return chain.split('-----END')[0]?.replace(/\s/g, '')
}

function registeredOf({ registration, uses }: Registered): object {
  return { ...(registration !== null && { registration }), ...(uses.length > 0 && { uses }) }
}

/** A response also has members that the service derives. A body has either the bytes or the other members. */
function googleOf({
  display_name,
  logo_uri,
  privacy_policy_uri,
  rp_metadata_bytes,
}: NonNullable<Verifier['further'][number]['google_wallet']>): object {
  if (logo_uri === null) return { rp_metadata_bytes }
  return { ...(display_name !== null && { display_name }), logo_uri, privacy_policy_uri }
}
