// Response to the relying party's view of a request (api/request). The settings and the protocol must allow
// such a response, and the required assurance level must be `low`. The relying party must have read the view
// of a live generation (one authorization request).

import {
  claimedNonce,
  isByValueResponse,
  parseByValueResponse,
  type ViewDefinition,
} from '../../openid4vp/presentation-exchange/by-value.ts'
import {
  viewDefinitionId,
  viewDescriptorId,
} from '../../openid4vp/presentation-exchange/presentation-definition.ts'
import { PROTOCOLS } from '../../openid4vp/protocols/index.ts'
import { requestedTypes } from '../../policy/query.ts'
import type { Settings } from '../../relying-party/document/settings.ts'
import { err, ok } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import { aliveGenerations } from '../document/generations.ts'

/**
 * Returns the presentations of a response by value, and their generation. Returns `undefined` for any other
 * response, or if this session accepts no response by value.
 */
export function parseByValue(
  parameters: ReadonlyMap<string, string>,
  {
    document,
    settings,
    arrivedAt,
  }: {
    readonly document: SessionDocument
    readonly settings: Pick<Settings, 'by_value'>
    readonly arrivedAt: number
  },
) {
  if (!isByValueResponse(parameters)) return undefined
  const viewed = aliveGenerations(document.generations, arrivedAt).filter((generation) => generation.viewed)
  const { protocol, required_assurance_level } = document.request
  const isAccepted =
    settings.by_value && PROTOCOLS[protocol].acceptsByValue && required_assurance_level === 'low'
  if (!isAccepted || viewed.length === 0) return undefined
  const groups = parseByValueResponse(parameters, shownDefinition(document))
  if (!groups.ok) return err(groups.error.reason)
  const [nonce] = groups.value.flatMap(({ presentations }) => presentations.map(claimedNonce))
  const generation = viewed.find((one) => one.nonce === nonce)
  if (generation === undefined) return err('nonce_mismatch')
  return ok({ groups: groups.value, generation: { ...generation, channel: 'by_value' as const } })
}

/**
 * Returns the presentation definition in the relying party's view (`openid4vpView`). Each credential type has
 * one descriptor, which covers all formats of the type.
 */
function shownDefinition({ verification_id: id, policy }: SessionDocument): ViewDefinition {
  const types = requestedTypes(policy).map(({ name }, index) => [viewDescriptorId(id, index), name] as const)
  const typeOf = new Map(types)
  return {
    definitionId: viewDefinitionId(id),
    query: policy.query,
    queryIdsOf: (descriptorId) =>
      policy.descriptors
        .filter(({ credential_type }) => credential_type === typeOf.get(descriptorId))
        .map(({ query_id }) => query_id),
  }
}
