// Derives the assurance level of a credential, and lists the steps of the derivation (api/result). The level
// starts at the level of the trust anchor. A level that the credential declares can lower the result, never
// raise it. Without holder binding the level is at most `low`. The same applies if the status of the
// credential or of its issuer's certificates is unknown.

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

/** Highest possible level of a credential that is not bound to its holder, or whose status is unknown. */
export const UNCHECKED_LEVEL: AssuranceLevel = 'low'

/**
 * Derives the level of one verified credential. `id` names the credential in the steps. `isUnbound` is true
 * if the request was unsigned and any person may have answered it.
 */
export function deriveLevel(id: string, credential: VerifiedCredential, isUnbound = false): DerivedLevel {
  const { anchor, holderBound, claims } = credential
  const start = anchor.assurance_level
  const certified = certificateStep(id, credential, start)
  const certifiedLevel = certified?.level ?? start
  const bound = holderBound ? certifiedLevel : UNCHECKED_LEVEL
  const answered = isUnbound ? UNCHECKED_LEVEL : bound
  const status = statusStep(id, credential, answered)
  const declared = SELF_DECLARED.flatMap((path) => selectClaims(claims, path) ?? []).map(toLevel)
  const level = declared.reduce(lowerLevel, status.level)
  const derivation: readonly LevelDerivation[] = [
    anchorStep(id, anchor),
    ...(certified === undefined ? [] : [certified]),
    { step: holderBound ? 'holder_binding' : 'no_holder_binding', id, level: bound },
    ...(isUnbound ? [{ step: 'no_session_binding', id, level: answered } as const] : []),
    status,
    ...(declared.length === 0 ? [] : [{ step: 'credential_says', id, level } as const]),
  ]
  return { level, derivation }
}

function anchorStep(id: string, anchor: VerifiedCredential['anchor']): LevelDerivation {
  const { name, list, service, assurance_level } = anchor
  const origin = { ...(list && { list }), ...(service && { service }) }
  return { step: 'anchor', id, anchor: name, ...origin, level: assurance_level }
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

/**
 * Returns the lowest level of the credentials, with the steps of all. Returns `low` if there are no
 * credentials.
 */
export function lowestLevel(levels: readonly DerivedLevel[]): DerivedLevel {
  const steps = levels.flatMap(({ derivation }) => derivation)
  const level = levels.length === 0 ? 'low' : levels.map((one) => one.level).reduce(lowerLevel)
  return { level, derivation: levels.length > 1 ? [...steps, { step: 'lowest', level }] : steps }
}

/** Returns the trust lists that vouched for issuers, each once. */
export function vouchingLists(derivation: readonly LevelDerivation[]): readonly ListReference[] {
  const lists = derivation.flatMap((step) => (step.step === 'anchor' && step.list ? [step.list] : []))
  return [...new Map(lists.map((list) => [`${list.name}/${list.territory ?? ''}`, list])).values()]
}

/** True if a level is the required level or higher. */
export function reachesLevel(level: AssuranceLevel, required: AssuranceLevel): boolean {
  return lowerLevel(level, required) === required
}

// Paths at which a credential may declare its level: a claim, or `verification` of OpenID Connect for
// Identity Assurance. In a W3C credential both are inside `credentialSubject`.
const SELF_DECLARED: readonly ClaimsPath[] = [
  ['assurance_level'],
  ['verification', 'assurance_level'],
].flatMap((path) => [path, ['credentialSubject', ...path]])

/** Returns the level with this name. Returns `low` for an unknown name. */
function toLevel(value: Json): AssuranceLevel {
  return ASSURANCE_LEVELS.find((level) => level === value) ?? 'low'
}
