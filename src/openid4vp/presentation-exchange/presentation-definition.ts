// The presentation definition that `GET …/openid4vp` returns (DIF Presentation Exchange 2.1). Programs of the
// relying party read this definition, to display it or to pass it to an older wallet. Wallets of OpenID4VP
// 1.0 never receive a presentation definition (§5).

import type { ClaimsPath } from '../dcql/query.ts'
import { toJsonPath } from './json-path.ts'

/** The credential types and scopes that the relying party requested. */
type PresentationDefinitionInput = {
  readonly verificationId: string
  /** `any`: one of the credential types is enough. */
  readonly match: 'any' | 'all'
  /** Empty for a session made from a `dcql_query`. */
  readonly credentialTypes: readonly RequestedType[]
}

/** One credential type, and the paths of each scope's claim in the requested formats. */
export type RequestedType = {
  readonly name: string
  readonly claims: readonly { readonly scope: string; readonly paths: readonly ClaimsPath[] }[]
}

/** Builds the definition: one input descriptor for each credential type. */
export function buildPresentationDefinition(input: PresentationDefinitionInput) {
  const pickOne = input.match === 'any' && input.credentialTypes.length > 1
  const input_descriptors = input.credentialTypes.map((type, index) => ({
    id: viewDescriptorId(input.verificationId, index),
    name: type.name,
    ...(pickOne ? { group: [GROUP] } : {}),
    constraints: { fields: type.claims.map(buildField) },
  }))
  return {
    id: viewDefinitionId(input.verificationId),
    input_descriptors,
    ...(pickOne ? { submission_requirements: [{ rule: 'pick' as const, count: 1, from: GROUP }] } : {}),
  }
}

/** Returns the id of the definition. */
export function viewDefinitionId(verificationId: string): string {
  return `pd_${verificationId}`
}

/** Returns the descriptor id of the credential type with this index. */
export function viewDescriptorId(verificationId: string, index: number): string {
  return `descriptor_${verificationId}${index === 0 ? '' : `_${index + 1}`}`
}

const GROUP = 'A'

function buildField({ scope, paths }: RequestedType['claims'][number]): { readonly path: readonly string[] } {
  const subject: ClaimsPath = ['credentialSubject', scope]
  return { path: [...new Set([subject, ...paths].map((path) => toJsonPath(path)))] }
}
