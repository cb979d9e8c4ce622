// Opens a response of `org-iso-mdoc` (ISO/IEC TS 18013-7 Annex C) with the key of one request. Decrypts the
// `data` of the browser's `DigitalCredential`, and parses the presentations. Nothing in the response is
// verified here.

import { isTooMuchJson, parseJsonObject } from '../codec/json.ts'
import { type HpkeMessage, openHpke } from '../crypto/hpke.ts'
import type { PrivateJwk } from '../crypto/jwk.ts'
import { buildDcApiTranscript } from '../formats/mdoc/session-transcript.ts'
import type { DocumentErrors, RequestBinding } from '../formats/verification/format.ts'
import { parseDocuments } from '../iso18013-7/device-response.ts'
import { parseEncryptedResponse } from '../iso18013-7/encrypted-response.ts'
import { buildEncryptionInfo, type RequestKey } from '../iso18013-7/encryption-info.ts'
import type { DocumentQuery } from '../openid4vp/dcql/document-query.ts'
import type { DcqlQuery } from '../openid4vp/dcql/query.ts'
import type { EnvelopeRefusal, ResponseRefusal } from '../openid4vp/response/refusal.ts'
import { RESPONSE_DEPTH, RESPONSE_LIMIT } from '../openid4vp/response/response-encryption.ts'
import type { PresentationGroup } from '../openid4vp/response/vp-token.ts'
import { err, ok, type Result } from '../result.ts'

/** Parses the `data` of a `DigitalCredential` (JSON text) to an encrypted message. */
export function parseAnnexCData(data: string): Result<HpkeMessage, EnvelopeRefusal> {
  const parsed = parseJsonObject(data, { length: RESPONSE_LIMIT, depth: RESPONSE_DEPTH })
  if (parsed.ok) return parseEncryptedResponse(parsed.value)
  return err({ reason: isTooMuchJson(parsed.error) ? 'limit_exceeded' : 'malformed_response' })
}

/** One request of `org-iso-mdoc`. */
export type AnnexCRequest = {
  readonly origin: string
  readonly key: RequestKey
  readonly encryptionKey: PrivateJwk
  readonly query: DcqlQuery
  readonly documents: DocumentQuery
}

/** A decrypted and parsed response. */
export type AnnexCPresentations = {
  readonly groups: readonly PresentationGroup[]
  /** Error codes of the wallet for documents that the wallet did not return. */
  readonly documentErrors: DocumentErrors
  readonly bound: Pick<RequestBinding, 'audience' | 'handover'>
}

/** Returns the session transcript of a request. */
export function transcriptFor(origin: string, key: RequestKey): Promise<Uint8Array<ArrayBuffer>> {
  return buildDcApiTranscript({ origin, encryptionInfo: buildEncryptionInfo(key) })
}

/** Opens a message with the key of a request. Returns `undefined` if the message is for another key. */
export async function openAnnexC(
  message: HpkeMessage,
  { origin, key, encryptionKey, query, documents }: AnnexCRequest,
): Promise<Result<AnnexCPresentations, ResponseRefusal> | undefined> {
  const info = await transcriptFor(origin, key)
  const deviceResponse = await openHpke(message, encryptionKey, { info })
  if (deviceResponse === undefined) return undefined
  const parsed = parseDocuments(deviceResponse, query, documents)
  if (!parsed.ok) return parsed
  const encryptionInfo = buildEncryptionInfo(key)
  const handover = { kind: 'iso_dc_api', origin, encryptionInfo, encryptionKey } as const
  return ok({ ...parsed.value, bound: { audience: `origin:${origin}`, handover } })
}
