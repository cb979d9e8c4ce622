// The registry of credential formats. Each format has one line. All other lists of format identifiers are
// derived from this registry.

import { jwtVcJson } from './jwt-vc-json/jwt-vc-json.ts'
import { mdoc } from './mdoc/mdoc.ts'
import { sdJwtVc } from './sd-jwt-vc/sd-jwt-vc.ts'
import type { CredentialFormat } from './verification/format.ts'

/** Every credential format that this service verifies, by its Credential Format Identifier. */
export const FORMATS = {
  'dc+sd-jwt': sdJwtVc,
  mso_mdoc: mdoc,
  jwt_vc_json: jwtVcJson,
} as const satisfies Readonly<Record<string, CredentialFormat>>

/** Credential Format Identifiers of the registry. */
export type FormatId = keyof typeof FORMATS

/** Returns the format of an identifier; `undefined` for an unknown identifier. */
export function credentialFormat(id: string): CredentialFormat<FormatId> | undefined {
  return Object.hasOwn(FORMATS, id) ? FORMATS[id as FormatId] : undefined
}
