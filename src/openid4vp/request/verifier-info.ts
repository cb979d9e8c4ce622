// `verifier_info` (OpenID4VP 1.0 §5.1, §5.11): what others attest of the verifier. In the EU that is its registration (ETSI TS
// 119 472-2, TS 119 475), known to us from wallets' code only: docs/decisions/registration.md.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import type { JsonObject } from '../../codec/json.ts'

/** What a registrar has on a relying party. */
export type VerifierRegistration = {
  /** Registration certificate: a compact JWS (`rc-wrp+jwt`). */
  readonly certificate: string
  /** JSON text of the object that says what is registered, as the registrar writes it. */
  readonly dataset: string
  readonly encoding: RegistrationEncoding
}

/** How the certificate stands in a request: as base64url of its text, as ETSI has it, or as it is. Wallets take one or both. */
export const REGISTRATION_ENCODINGS = ['base64url', 'compact'] as const
export type RegistrationEncoding = (typeof REGISTRATION_ENCODINGS)[number]

/** One entry of `verifier_info`. It is about the whole request, so it has no `credential_ids`. */
export type VerifierAttestation = { readonly format: string; readonly data: string | JsonObject }

/** What wallets are told of a registration. */
export function attestRegistration(registration: VerifierRegistration): readonly VerifierAttestation[] {
  const { certificate, dataset, encoding } = registration
  const data = encoding === 'compact' ? certificate : encodeBase64url(utf8(certificate))
  return [
    { format: 'registrar_dataset', data: JSON.parse(dataset) as JsonObject }, // written after validation
    { format: 'registration_cert', data },
  ]
}

/** The parameter; none where nobody attests anything. */
export function verifierInfoParameter({
  verifierInfo,
}: {
  readonly verifierInfo?: readonly VerifierAttestation[] | undefined
}): JsonObject {
  return verifierInfo === undefined ? {} : { verifier_info: verifierInfo }
}
