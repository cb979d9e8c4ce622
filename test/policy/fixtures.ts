// Good inputs, of which each test changes one thing.

import type { JsonObject } from '../../src/codec/json.ts'
import { jwtVcJson } from '../../src/formats/jwt-vc-json/jwt-vc-json.ts'
import { mdoc } from '../../src/formats/mdoc/mdoc.ts'
import { sdJwtVc } from '../../src/formats/sd-jwt-vc/sd-jwt-vc.ts'
import type { VerifiedCredential } from '../../src/formats/verification/format.ts'
import type { VerifiedPresentation } from '../../src/openid4vp/response/verify-response.ts'
import { buildPolicy, type PolicyRequest } from '../../src/policy/build-policy.ts'
import { typeDefinitions } from '../../src/policy/catalogue.ts'
import type { CredentialTypeDefinition, Policy } from '../../src/policy/policy.ts'
import type { QueryFormat } from '../../src/policy/query.ts'
import type { AssuranceLevel } from '../../src/trust/anchors/anchor.ts'

/** Noon UTC, 15 June 2026. */
export const NOW = Date.UTC(2026, 5, 15, 12) / 1000

/** Members of the formats for query building; the `meta` objects are from OpenID4VP 1.0 Appendix B. */
export const SD_JWT: QueryFormat = sdJwtVc
export const MDOC: QueryFormat = mdoc
export const JWT_VC: QueryFormat = jwtVcJson
export const ALL_FORMATS = [SD_JWT, MDOC, JWT_VC]

/** A type a relying party added. */
export const MEMBERSHIP: CredentialTypeDefinition = {
  name: 'membership',
  formats: {
    'dc+sd-jwt': {
      identifiers: ['https://club.example/membership'],
      scopes: {
        member_number: { path: ['member', 'number'] },
        active: { path: ['active'], boolean: true },
        badges: { path: ['badges', null, 'name'] },
      },
    },
  },
}

/** The stored request of a session, and its policy. */
export type TestPolicy = Request & Policy
type Request = PolicyRequest & { readonly required_assurance_level: AssuranceLevel }

export function requestOf(changes: Partial<Request> = {}): Request {
  return {
    credential_types: ['age_attestation'],
    scope: ['age_over_18'],
    required_assurance_level: 'low',
    credential_match: 'any',
    formats: null,
    allow_derived: false,
    ...changes,
  }
}

export function policyOf(
  changes: Partial<Request> = {},
  formats: readonly QueryFormat[] = [SD_JWT],
  added: readonly CredentialTypeDefinition[] = [MEMBERSHIP],
): TestPolicy {
  const request = requestOf(changes)
  const built = buildPolicy(request, { definitions: typeDefinitions(added), formats })
  if (!built.ok) throw new Error(JSON.stringify(built.error))
  return { ...request, ...built.value }
}

export function presented(
  queryId: string,
  claims: JsonObject,
  changes: Partial<VerifiedCredential> = {},
): VerifiedPresentation {
  const credential: VerifiedCredential = {
    format: 'dc+sd-jwt',
    typeIdentifier: 'urn:example',
    credentialType: queryId,
    issuer: 'https://issuer.example',
    anchor: { name: 'Example Authority', assurance_level: 'high' },
    subjectNamespace: 'issuer:https://issuer.example',
    authorityKeyIdentifiers: [],
    issuerPath: [],
    claims,
    holderBound: true,
    status: 'not_present',
    reasons: [],
    ...changes,
  }
  return { queryId, credential, valueMismatches: [] }
}

/** Numbers from a seed (a linear congruential generator): generated tests repeat exactly. */
export function generator(seed: number): {
  readonly below: (limit: number) => number
  readonly pick: <T>(items: readonly T[]) => T
} {
  let state = seed >>> 0
  const below = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] }
}
