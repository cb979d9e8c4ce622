// Hearing an answer to the relying party's view of a request (CONTRACT 3): only where its settings allow it and the session's
// protocol does not forbid it, and only for a live generation whose view was read.

import { sdJwtVcOfDrafts } from '../../formats/sd-jwt-vc/sd-jwt-vc.ts'
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
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document.ts'
import { aliveGenerations } from '../request/generations.ts'
import { callbackUrl } from '../request/requests.ts'
import type { Judgement, Presented, RefusalReason } from './verdict.ts'

/** What such an answer presents; `undefined` where it is none, or none that this session hears. */
export function readByValue(
  parameters: ReadonlyMap<string, string>,
  { document, settings, config, arrivedAt }: Judgement,
): Result<Presented, RefusalReason> | undefined {
  if (!isByValueResponse(parameters)) return undefined
  const viewed = aliveGenerations(document.generations, arrivedAt).filter((generation) => generation.viewed)
  const { acceptsByValue } = PROTOCOLS[document.request.protocol]
  if (!settings.by_value || !acceptsByValue || viewed.length === 0) return undefined
  const groups = parseByValueResponse(parameters, shownDefinition(document))
  if (!groups.ok) return err(groups.error.reason)
  const [nonce] = groups.value.flatMap(({ presentations }) => presentations.map(claimedNonce))
  const generation = viewed.find((one) => one.nonce === nonce)
  if (generation === undefined) return err('nonce_mismatch')
  return ok({
    groups: groups.value,
    generation: { ...generation, channel: 'by_value' },
    // The view says who asks by our address, and nothing of a key.
    audience: config.baseUrl,
    handover: { kind: 'redirect', responseUri: callbackUrl(document, config.baseUrl), encryptionKey: null },
    formats: { 'dc+sd-jwt': sdJwtVcOfDrafts },
  })
}

/** The presentation definition of `openid4vpView`: a descriptor for each credential type, whatever its format. */
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
