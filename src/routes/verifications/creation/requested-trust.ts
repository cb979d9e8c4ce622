// The trust that a create request needs (api/creation). In live mode, a trust anchor or a trust list must be
// able to vouch for the requested credentials.

import type { CreateRequest } from '../../../api/requests.ts'
import type { Env } from '../../../env.ts'
import { FORMATS } from '../../../formats/index.ts'
import type { Protocol } from '../../../openid4vp/protocols/protocol.ts'
import { reachesLevel } from '../../../policy/assurance.ts'
import { typeDefinitions } from '../../../policy/catalogue.ts'
import type { Policy } from '../../../policy/policy.ts'
import { unvouchedQueries } from '../../../policy/vouching.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { subscribedAnchors } from '../../../relying-party/trust-lists/trust-lists.ts'
import type { AssuranceLevel } from '../../../trust/anchors/anchor.ts'
import { restrictToSets } from '../../../trust/anchors/signer.ts'
import type { RequestError } from '../../edge/problems.ts'

/** Values that decide if an anchor can vouch for a requested credential, except the anchors. */
export type TrustRules = ReturnType<typeof trustRules>

/** Returns the trust rules of a create request. */
export function trustRules(
  { credential_types }: Pick<Settings, 'credential_types'>,
  protocol: Protocol,
  { anchor_sets: sets }: Pick<CreateRequest, 'anchor_sets'>,
) {
  const definitions = typeDefinitions(credential_types)
  const signerProfile = (format: string) => restrictToSets(protocol.signerProfile(format), sets)
  return { definitions, formats: FORMATS, signerProfile, sets }
}

type Trusting = { readonly policy: Policy; readonly rules: TrustRules }

/**
 * Returns the error of a request that names an unknown set of anchors, or that no credential of a trusted
 * issuer can satisfy; `undefined` otherwise. If a list is unavailable, the request is accepted, because the
 * list may contain the issuer. Test mode accepts every other request, because test mode has the sandbox's
 * anchors.
 */
export async function untrustedRequest(
  env: Env,
  body: CreateRequest,
  settings: Settings,
  trusting: Trusting,
): Promise<RequestError | undefined> {
  const unknown = unknownSets(body, settings)
  if (unknown !== undefined) return unknown
  if (!settings.livemode) return undefined
  const ids = await findUnvouched(env, settings, trusting, () => true)
  if (ids.length === 0) return undefined
  const error = { code: 'no_trust_anchor', message: 'request_without_trust_anchor' }
  const errors = pointersTo(ids, body, trusting.policy).map((pointer) => ({ pointer, ...error }))
  return { code: 'policy_unsatisfiable', errors }
}

/**
 * Returns true if issuers that are trusted at this level can satisfy the request. If a list is unavailable,
 * returns true as well. Returns true in test mode, because the sandbox's anchors have every level.
 */
export async function canReachLevel(
  env: Env,
  level: AssuranceLevel,
  settings: Settings,
  trusting: Trusting & { readonly required: AssuranceLevel },
): Promise<boolean> {
  if (!settings.livemode) return true
  const needed = reachesLevel(trusting.required, level) ? trusting.required : level
  const ids = await findUnvouched(env, settings, trusting, ({ assurance_level }) =>
    reachesLevel(assurance_level, needed),
  )
  return ids.length === 0
}

/**
 * Returns the ids of the queries that no accepted anchor vouches for; none if a list is unavailable. Most
 * relying parties need no trust list here, so trust lists are read last.
 */
async function findUnvouched(
  env: Env,
  settings: Settings,
  { policy, rules }: Trusting,
  isAccepted: (anchor: Settings['trust_anchors'][number]) => boolean,
): Promise<readonly string[]> {
  const unvouched = (anchors: Settings['trust_anchors']) =>
    unvouchedQueries(policy, { ...rules, anchors: anchors.filter(isAccepted) })
  if (unvouched(settings.trust_anchors).length === 0) return []
  const lists = await subscribedAnchors(env, settings, Date.now(), rules.sets)
  return lists.incomplete ? [] : unvouched([...settings.trust_anchors, ...lists.anchors])
}

/**
 * Returns an error for each requested set of anchors that the settings do not have; `undefined` if they have
 * all of them.
 */
function unknownSets(
  { anchor_sets = [] }: CreateRequest,
  settings: Pick<Settings, 'trust_anchors' | 'anchor_sets'>,
): RequestError | undefined {
  const setsOfAnchors = settings.trust_anchors.flatMap(({ sets = [] }) => sets)
  const errors = anchor_sets.flatMap((name, i) =>
    setsOfAnchors.includes(name) || settings.anchor_sets.includes(name)
      ? []
      : [{ pointer: `/anchor_sets/${i}`, code: 'unknown_anchor_set', message: 'anchor_set_unknown' }],
  )
  return errors.length === 0 ? undefined : { code: 'policy_unsatisfiable', errors }
}

/**
 * Returns pointers to the queries with these ids. If the body has types, returns pointers to the types whose
 * queries all have one of these ids.
 */
function pointersTo(
  ids: readonly string[],
  { dcql_query, credential_types = [] }: CreateRequest,
  { query, descriptors }: Policy,
): readonly string[] {
  if (dcql_query !== undefined) {
    return query.credentials.flatMap(({ id }, i) =>
      ids.includes(id) ? [`/dcql_query/credentials/${i}`] : [],
    )
  }
  return credential_types.flatMap((type, i) => {
    const ofType = descriptors.filter(({ credential_type }) => credential_type === type)
    const isUnvouched = ofType.length > 0 && ofType.every(({ query_id }) => ids.includes(query_id))
    return isUnvouched ? [`/credential_types/${i}`] : []
  })
}
