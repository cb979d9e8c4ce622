// The trust that a create request needs (api/creation). In live mode, a trust anchor or a trust list must be
// able to vouch for the requested credentials.

import type { CreateRequest } from '../../../api/requests.ts'
import type { Env } from '../../../env.ts'
import { FORMATS } from '../../../formats/index.ts'
import { PROTOCOLS } from '../../../openid4vp/protocols/index.ts'
import type { Protocol } from '../../../openid4vp/protocols/protocol.ts'
import { reachesLevel } from '../../../policy/assurance.ts'
import { typeDefinitions } from '../../../policy/catalogue.ts'
import type { Policy } from '../../../policy/policy.ts'
import { unvouchedQueries } from '../../../policy/vouching.ts'
import type { Settings } from '../../../relying-party/document/settings.ts'
import { subscribedAnchors } from '../../../relying-party/trust-lists/trust-lists.ts'
import type { StoredRequest } from '../../../session/document/stored-request.ts'
import type { AssuranceLevel } from '../../../trust/anchors/anchor.ts'
import { restrictToSets } from '../../../trust/anchors/signer.ts'
import type { RequestError } from '../../edge/problems.ts'

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
  { policy, protocol }: { readonly policy: Policy; readonly protocol: Protocol },
): Promise<RequestError | undefined> {
  const unknown = unknownSets(body, settings)
  if (unknown !== undefined) return unknown
  if (!settings.livemode) return undefined
  const { anchor_sets: sets } = body
  const rules = buildRules(settings, protocol, sets)
  const unvouched = (anchors: Settings['trust_anchors']) => unvouchedQueries(policy, { ...rules, anchors })
  // Most relying parties need no trust list here, so trust lists are read last.
  if (unvouched(settings.trust_anchors).length === 0) return undefined
  const lists = await subscribedAnchors(env, settings, Date.now(), sets)
  const ids = lists.incomplete ? [] : unvouched([...settings.trust_anchors, ...lists.anchors])
  if (ids.length === 0) return undefined
  const named = { code: 'no_trust_anchor', message: 'request_without_trust_anchor' }
  const errors = pointersTo(ids, body, policy).map((pointer) => ({ pointer, ...named }))
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
  {
    policy,
    request,
  }: {
    readonly policy: Policy
    readonly request: Pick<StoredRequest, 'protocol' | 'required_assurance_level' | 'anchor_sets'>
  },
): Promise<boolean> {
  if (!settings.livemode) return true
  const required = request.required_assurance_level
  const needed = reachesLevel(required, level) ? required : level
  const { anchor_sets: sets } = request
  const rules = buildRules(settings, PROTOCOLS[request.protocol], sets)
  const isVouched = (all: Settings['trust_anchors']) => {
    const anchors = all.filter(({ assurance_level }) => reachesLevel(assurance_level, needed))
    return unvouchedQueries(policy, { ...rules, anchors }).length === 0
  }
  if (isVouched(settings.trust_anchors)) return true
  const lists = await subscribedAnchors(env, settings, Date.now(), sets)
  return lists.incomplete || isVouched([...settings.trust_anchors, ...lists.anchors])
}

/**
 * Returns an error for each requested set of anchors that the settings do not have; `undefined` if they have
 * all of them.
 */
function unknownSets(
  { anchor_sets = [] }: CreateRequest,
  settings: Pick<Settings, 'trust_anchors' | 'anchor_sets'>,
): RequestError | undefined {
  const own = settings.trust_anchors.flatMap(({ sets = [] }) => sets)
  const errors = anchor_sets.flatMap((name, i) =>
    own.includes(name) || settings.anchor_sets.includes(name)
      ? []
      : [{ pointer: `/anchor_sets/${i}`, code: 'unknown_anchor_set', message: 'anchor_set_unknown' }],
  )
  return errors.length === 0 ? undefined : { code: 'policy_unsatisfiable', errors }
}

function buildRules(settings: Settings, protocol: Protocol, sets: readonly string[] | undefined) {
  const definitions = typeDefinitions(settings.credential_types)
  const signerProfile = (format: string) => restrictToSets(protocol.signerProfile(format), sets)
  return { definitions, formats: FORMATS, signerProfile }
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
