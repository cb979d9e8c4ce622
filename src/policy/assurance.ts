// The assurance level of a credential, and how it came about (CONTRACT 4): that of the trust anchor, lowered, never raised, by what
// the credential says of itself, and at most `low` without cryptographic holder binding or with a status that nobody could tell,
// its own or that of its issuer's certificates.

import { isoTime } from '../codec/date-time.ts'
import type { Json } from '../codec/json.ts'
import type { VerifiedCredential } from '../formats/format.ts'
import { selectClaims } from '../openid4vp/dcql/claims-path.ts'
import type { ClaimsPath } from '../openid4vp/dcql/query.ts'
import {
  ASSURANCE_LEVELS,
  type AssuranceLevel,
  type ListReference,
  lowerLevel,
} from '../trust/anchors/anchor.ts'
import type { LevelDerivation } from './policy.ts'

/** A level, and the steps that led to it. */
export type DerivedLevel = {
  readonly level: AssuranceLevel
  readonly derivation: readonly LevelDerivation[]
}

/** What a credential is worth at most whose holder, or whose status, is not known. */
export const UNCHECKED_LEVEL: AssuranceLevel = 'low'

/** The level of one verified credential; `id` names it in the steps. */
export function deriveLevel(id: string, credential: VerifiedCredential): DerivedLevel {
  const { anchor, holderBound, claims } = credential
  const start = anchor.assurance_level
  const certified = certificateStep(id, credential, start)
  const standing = certified?.level ?? start
  const bound = holderBound ? standing : UNCHECKED_LEVEL
  const status = statusStep(id, credential, bound)
  const said = SELF_DECLARED.flatMap((path) => selectClaims(claims, path) ?? []).map(toLevel)
  const level = said.reduce(lowerLevel, status.level)
  const derivation: readonly LevelDerivation[] = [
    { step: 'anchor', id, anchor: anchor.name, ...(anchor.list && { list: anchor.list }), level: start },
    ...(certified === undefined ? [] : [certified]),
    { step: holderBound ? 'holder_binding' : 'no_holder_binding', id, level: bound },
    status,
    ...(said.length === 0 ? [] : [{ step: 'credential_says', id, level } as const]),
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

/** The level of several credentials together: the lowest. `low` of none. */
export function lowestLevel(levels: readonly DerivedLevel[]): DerivedLevel {
  const steps = levels.flatMap(({ derivation }) => derivation)
  const level = levels.length === 0 ? 'low' : levels.map((one) => one.level).reduce(lowerLevel)
  return { level, derivation: levels.length > 1 ? [...steps, { step: 'lowest', level }] : steps }
}

/** The lists that vouched for issuers, each once. */
export function vouchingLists(derivation: readonly LevelDerivation[]): readonly ListReference[] {
  const lists = derivation.flatMap((step) => (step.step === 'anchor' && step.list ? [step.list] : []))
  return [...new Map(lists.map((list) => [list.name, list])).values()]
}

/** Whether a level is the required one or higher. */
export function reachesLevel(level: AssuranceLevel, required: AssuranceLevel): boolean {
  return lowerLevel(level, required) === required
}

// Where a credential may speak of its own level: a claim of its own, or the `verification` of OpenID Connect for Identity Assurance.
// A W3C credential's claims stand one step below.
const SELF_DECLARED: readonly ClaimsPath[] = [
  ['assurance_level'],
  ['verification', 'assurance_level'],
].flatMap((path) => [path, ['credentialSubject', ...path]])

/** A level in words we do not know is none to rely on. */
function toLevel(value: Json): AssuranceLevel {
  return ASSURANCE_LEVELS.find((level) => level === value) ?? 'low'
}
