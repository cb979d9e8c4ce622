// The trust that a creation needs (CONTRACT 2): in live mode, an anchor or a list that can vouch for what it
// asks.

import type { Env } from '../../env.ts'
import { FORMATS } from '../../formats/index.ts'
import type { Protocol } from '../../openid4vp/protocols/protocol.ts'
import { typeDefinitions } from '../../policy/catalogue.ts'
import type { Policy } from '../../policy/policy.ts'
import { unvouchedQueries } from '../../policy/vouching.ts'
import type { Settings } from '../../relying-party/settings/settings.ts'
import { subscribedAnchors } from '../../relying-party/trust-lists/trust-lists.ts'
import { messageOf } from '../edge/cloudflare.ts'
import type { RequestError } from '../edge/problems.ts'
import type { CreateRequest } from '../edge/schemas.ts'

/**
 * Returns the error of a request that no credential of a trusted issuer can satisfy. A list that is
 * unavailable may contain the issuer, so nothing is refused then. Test mode has the sandbox's anchors.
 */
export async function untrustedRequest(
  env: Env,
  body: CreateRequest,
  settings: Settings,
  { policy, protocol }: { readonly policy: Policy; readonly protocol: Protocol },
): Promise<RequestError | undefined> {
  if (!settings.livemode) return undefined
  const { signerProfile } = protocol
  const rules = { definitions: typeDefinitions(settings.credential_types), formats: FORMATS, signerProfile }
  const unvouched = (anchors: Settings['trust_anchors']) => unvouchedQueries(policy, { ...rules, anchors })
  // Most relying parties need no list here, so lists are read last.
  if (unvouched(settings.trust_anchors).length === 0) return undefined
  const lists = await subscribedAnchors(env, settings, Date.now())
  const ids = lists.incomplete ? [] : unvouched([...settings.trust_anchors, ...lists.anchors])
  if (ids.length === 0) return undefined
  const message = await messageOf(env.ASSETS, 'request_without_trust_anchor')
  const code = 'no_trust_anchor'
  const errors = pointersTo(ids, body, policy).map((pointer) => ({ pointer, code, message }))
  return { code: 'policy_unsatisfiable', errors }
}

/** Points to the queries, or to the types of which every query is among them. */
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
