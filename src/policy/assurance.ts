// The assurance level of a credential and its derivation (api/result). It starts at the level of the trust
// anchor. A level that the credential declares can lower it, never raise it. Without holder binding, or with
// an unknown status of the credential or of its issuer's certificates, it is at most `low`.

import { isoTime } from '../codec/date-time.ts'
import type { Json } from '../codec/json.ts'
import type { VerifiedCredential } from '../formats/verification/format.ts'
import { selectClaims } from '../openid4vp/dcql/claims-path.ts'
import type { ClaimsPath } from '../openid4vp/dcql/query.ts'
import {
  ASSURANCE_LEVELS,
  type AssuranceLevel,
  type ListReference,
  lowerLevel,
} from '../trust/anchors/anchor.ts'
import type { LevelDerivation } from './policy.ts'

/** A level and the steps of its derivation. */
export type DerivedLevel = {
  readonly level: AssuranceLevel
  readonly derivation: readonly LevelDerivation[]
}

/** Maximum level of a credential without proof of its holder, or with an unknown status. */
export const UNCHECKED_LEVEL: AssuranceLevel = 'low'

/**
 * Derives the level of one verified credential; `id` names it in the steps. `isUnbound`: the response is for
 * an unsigned request that any person may have answered.
 */
export function deriveLevel(id: string, credential: VerifiedCredential, isUnbound = false): DerivedLevel {
  const { anchor, holderBound, claims } = credential
  const start = anchor.assurance_level
  const certified = certificateStep(id, credential, start)
  const known = certified?.level ?? start
  const bound = holderBound ? known : UNCHECKED_LEVEL
  const answered = isUnbound ? UNCHECKED_LEVEL : bound
  const status = statusStep(id, credential, answered)
  const declared = SELF_DECLARED.flatMap((path) => selectClaims(claims, path) ?? []).map(toLevel)
  const level = declared.reduce(lowerLevel, status.level)
  const derivation: readonly LevelDerivation[] = [
    { step: 'anchor', id, anchor: anchor.name, ...(anchor.list && { list: anchor.list }), level: start },
    ...(certified === undefined ? [] : [certified]),
    { step: holderBound ? 'holder_binding' : 'no_holder_binding', id, level: bound },
    ...(isUnbound ? [{ step: 'no_session_binding', id, level: answered } as const] : []),
    status,
    ...(declared.length === 0 ? [] : [{ step: 'credential_says', id, level } as const]),
  ]
  return { level, derivation }
}

function certificateStep(
  id: string,
  { certificates }: VerifiedCredential,
  level: AssuranceLevel,
): LevelDerivation | undefined {
  if (certificates === undefined) return undefined
  const { status } = certificates
  if (status === 'unavailable') return { step: 'certificate_status_unavailable', id, level: UNCHECKED_LEVEL }
  const as_of = status === 'valid' ? isoTime(certificates.asOf * 1000) : null
  return { step: 'certificate_status', id, status, as_of, level }
}

function statusStep(
  id: string,
  { status, statusAsOf }: VerifiedCredential,
  level: AssuranceLevel,
): LevelDerivation {
  if (status === 'unavailable') return { step: 'status_unavailable', id, level: UNCHECKED_LEVEL }
  const as_of = statusAsOf === undefined ? null : isoTime(statusAsOf * 1000)
  return { step: 'status', id, status, as_of, level }
}

/** Returns the lowest level of several credentials; `low` for none. */
export function lowestLevel(levels: readonly DerivedLevel[]): DerivedLevel {
  const steps = levels.flatMap(({ derivation }) => derivation)
  const level = levels.length === 0 ? 'low' : levels.map((one) => one.level).reduce(lowerLevel)
  return { level, derivation: levels.length > 1 ? [...steps, { step: 'lowest', level }] : steps }
}

/** Returns the trust lists that vouched for issuers, each once. */
export function vouchingLists(derivation: readonly LevelDerivation[]): readonly ListReference[] {
  const lists = derivation.flatMap((step) => (step.step === 'anchor' && step.list ? [step.list] : []))
  return [...new Map(lists.map((list) => [list.name, list])).values()]
}

/** True if a level is the required level or higher. */
export function reachesLevel(level: AssuranceLevel, required: AssuranceLevel): boolean {
  return lowerLevel(level, required) === required
}

// Paths where a credential may declare its level: a claim, or `verification` of OpenID Connect for Identity
// Assurance. The claims of a W3C credential are one step below.
const SELF_DECLARED: readonly ClaimsPath[] = [
  ['assurance_level'],
  ['verification', 'assurance_level'],
].flatMap((path) => [path, ['credentialSubject', ...path]])

/** Treats an unknown level as `low`. */
function toLevel(value: Json): AssuranceLevel {
  return ASSURANCE_LEVELS.find((level) => level === value) ?? 'low'
}
