// `verifier_info` (OpenID4VP 1.0 §5.1, §5.11): attestations of other parties about the verifier, such as its
// EU registration (ETSI TS 119 472-2, TS 119 475). docs/decisions/verifier-identity.md names the sources.

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import type { JsonObject } from '../../codec/json.ts'
import { isCompactJws } from '../registration/registration-certificate.ts'

/** Registration of a relying party. */
export type VerifierRegistration = {
  /** Registration certificate: a compact JWS (`rc-wrp+jwt`), or base64url of a CWT (`rc-wrp+cwt`). */
  readonly certificate: string
  /** JSON text of the registered data, as the registrar writes it. */
  readonly dataset: string
  readonly encoding: (typeof REGISTRATION_ENCODINGS)[number]
}

/**
 * Encoding of the certificate in a request: base64url of its text (ETSI), or unchanged. A wallet may accept
 * only one of the two encodings.
 */
export const REGISTRATION_ENCODINGS = ['base64url', 'compact'] as const

/** One entry of `verifier_info`. The entry applies to the whole request, so it has no `credential_ids`. */
export type VerifierAttestation = { readonly format: string; readonly data: string | JsonObject }

/** Builds the entries of `verifier_info` for a registration. */
export function attestRegistration(registration: VerifierRegistration): readonly VerifierAttestation[] {
  const { certificate, dataset, encoding } = registration
  // A CWT is binary: its base64url is the only form that a request can contain.
  const isAsIs = encoding === 'compact' || !isCompactJws(certificate)
  const data = isAsIs ? certificate : encodeBase64url(utf8(certificate))
  return [
    { format: 'registrar_dataset', data: JSON.parse(dataset) as JsonObject }, // validated before storage
    { format: 'registration_cert', data },
  ]
}

/**
 * Returns the bytes of the certificate for a request of `org-iso-mdoc` (ETSI TS 119 472-2 §5.3): the text of
 * the JWS, or the CWT.
 */
export function registrationBytes({
  certificate,
}: Pick<VerifierRegistration, 'certificate'>): Uint8Array<ArrayBuffer> | undefined {
  return isCompactJws(certificate) ? utf8(certificate) : decodeBase64url(certificate)
}
