// Opening of a response of `org-iso-mdoc` (ISO/IEC TS 18013-7 Annex C): from the credential's `data` to
// presentations. The response names no request. So the key of each live request of the same page is tried,
// the newest first.

import { isTooMuchJson, parseJsonObject } from '../../codec/json.ts'
import type { Config } from '../../config.ts'
import { openHpke } from '../../crypto/hpke.ts'
import type { DocumentErrors, RequestBinding } from '../../formats/verification/format.ts'
import { parseDocuments } from '../../iso18013-7/device-response.ts'
import { parseEncryptedResponse } from '../../iso18013-7/encrypted-response.ts'
import { buildEncryptionInfo } from '../../iso18013-7/encryption-info.ts'
import type { ResponseRefusal } from '../../openid4vp/response/refusal.ts'
import { RESPONSE_DEPTH, RESPONSE_LIMIT } from '../../openid4vp/response/response-encryption.ts'
import type { PresentationGroup } from '../../openid4vp/response/vp-token.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredGeneration } from '../document/generations.ts'
import {
  type AnnexCGeneration,
  hasAnnexC,
  openAnnexCKey,
  requestedDocuments,
  transcriptOf,
} from '../request/annex-c.ts'
import { termsOf } from '../request/terms.ts'

/** A decrypted and parsed response. Nothing in the response is verified yet. */
export type AnnexCResponse = {
  readonly generation: AnnexCGeneration
  readonly groups: readonly PresentationGroup[]
  /** Error codes of the wallet for documents that the wallet did not return. */
  readonly documentErrors: DocumentErrors
  readonly bound: Pick<RequestBinding, 'audience' | 'handover'>
}

/** Reason of a refusal, and the request of the refused response; null if the page has no live request. */
type AnnexCRefusal = { readonly refusal: ResponseRefusal; readonly generation: StoredGeneration | null }

/** Opens a response. `data`: JSON text. `alive`: the live requests of the page that posts the response. */
export async function openAnnexCResponse(
  data: string,
  alive: readonly StoredGeneration[],
  { document, config }: { readonly document: SessionDocument; readonly config: Config },
): Promise<Result<AnnexCResponse, AnnexCRefusal>> {
  const candidates = alive.filter(hasAnnexC).toSorted((a, b) => b.number - a.number)
  const [newest] = candidates
  if (newest === undefined) return err({ refusal: { reason: 'request_superseded' }, generation: null })
  const refused = (refusal: ResponseRefusal) => err({ refusal, generation: newest })
  const parsed = parseJsonObject(data, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  if (!parsed.ok)
    return refused({ reason: isTooMuchJson(parsed.error) ? 'limit_exceeded' : 'malformed_response' })
  const message = parseEncryptedResponse(parsed.value)
  if (!message.ok) return refused(message.error)
  for (const generation of candidates) {
    const encryptionKey = await openAnnexCKey(config, document, generation)
    const info = await transcriptOf(generation)
    const deviceResponse = await openHpke(message.value, encryptionKey, { info })
    if (deviceResponse === undefined) continue
    const terms = termsOf(document, generation)
    const documents = requestedDocuments(terms)
    if (documents === undefined) throw new Error('the request has no org-iso-mdoc half')
    const parsedDocuments = parseDocuments(deviceResponse, terms.query, documents)
    if (!parsedDocuments.ok) return err({ refusal: parsedDocuments.error, generation })
    const { origin, annex_c } = generation
    const encryptionInfo = buildEncryptionInfo(annex_c)
    const handover = { kind: 'iso_dc_api', origin, encryptionInfo, encryptionKey } as const
    return ok({ ...parsedDocuments.value, generation, bound: { audience: `origin:${origin}`, handover } })
  }
  return refused({ reason: 'decryption_failed' })
}
