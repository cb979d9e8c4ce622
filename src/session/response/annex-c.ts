// Opening of a response of `org-iso-mdoc` (ISO/IEC TS 18013-7 Annex C): from the credential's `data` to
// presentations. The response names no request. So the key of each live request of the same page is tried,
// the newest first.

import type { Config } from '../../config.ts'
import { type AnnexCPresentations, openAnnexC, parseAnnexCData } from '../../exchange/annex-c.ts'
import type { ResponseRefusal } from '../../openid4vp/response/refusal.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import type { StoredGeneration } from '../document/generations.ts'
import { type AnnexCGeneration, hasAnnexC, openAnnexCKey, requestedDocuments } from '../request/annex-c.ts'
import { buildTerms } from '../request/terms.ts'

/** A decrypted and parsed response, and its request. Nothing in the response is verified yet. */
export type AnnexCResponse = AnnexCPresentations & { readonly generation: AnnexCGeneration }

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
  const message = parseAnnexCData(data)
  if (!message.ok) return refused(message.error)
  for (const generation of candidates) {
    const { query, ...terms } = buildTerms(document, generation)
    const documents = requestedDocuments({ query, ...terms })
    if (documents === undefined) throw new Error('the request has no org-iso-mdoc half')
    const encryptionKey = await openAnnexCKey(config, document, generation)
    const { origin, annex_c: key } = generation
    const opened = await openAnnexC(message.value, { origin, key, encryptionKey, query, documents })
    if (opened?.ok === false) return err({ refusal: opened.error, generation })
    if (opened !== undefined) return ok({ ...opened.value, generation })
  }
  return refused({ reason: 'decryption_failed' })
}
