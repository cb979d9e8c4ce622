// The request that a response answers, as the wallet received it, for evidence (api/evidence).

import { decodeBase64url } from '../../codec/base64url.ts'
import type { Config } from '../../config.ts'
import type { AnsweredRequest } from '../../evidence/container/input.ts'
import { type DcApiProtocol, ISO_MDOC } from '../../openid4vp/dc-api.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredGeneration } from '../document/generations.ts'
import { openRequests } from '../request/generation-keys.ts'
import { unsignedRequest } from '../request/request-hash.ts'

/**
 * Returns the request that was answered. Throws if an `org-iso-mdoc` request is not stored: evidence without
 * the request that the wallet received proves little. An unsigned OpenID4VP request is built again from the
 * session. `protocol`: exchange protocol of a response through the Digital Credentials API.
 */
export async function answeredRequest(
  config: Config,
  document: SessionDocument,
  generation: StoredGeneration,
  protocol: DcApiProtocol | undefined,
): Promise<AnsweredRequest> {
  const { jwt, multi_signed, annex_c } = await openRequests(config, document, generation)
  if (protocol === ISO_MDOC) {
    const deviceRequest = decodeBase64url(annex_c?.deviceRequest ?? '')
    const encryptionInfo = decodeBase64url(annex_c?.encryptionInfo ?? '')
    if (!deviceRequest?.length || !encryptionInfo?.length)
      throw new Error('the request of org-iso-mdoc is not stored')
    return { kind: 'annex_c', deviceRequest, encryptionInfo }
  }
  // Sessions of earlier versions stored only the request that the first identity signed.
  if (protocol === 'openid4vp-v1-multisigned' && multi_signed !== undefined)
    return { kind: 'multi_signed', request: multi_signed }
  if (jwt !== undefined && generation.channel !== 'by_value') return { kind: 'request_object', jwt }
  return { kind: 'unsigned', parameters: await unsignedRequest(document, generation, config.baseUrl) }
}
