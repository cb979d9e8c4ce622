// The receipt of a finished session (api/receipt): a JWS about the request, the checks and the end. An
// auditor can verify the receipt years after the session was erased. The receipt contains no claim value, no
// text from a wallet, and no `metadata` of the relying party. The members of the receipt never change after
// the end. So every receipt of one session has the same claims.

import { encodeBase64url } from '../../codec/base64url.ts'
import { decodeHex } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import { signJwt } from '../../crypto/sign-jwt.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionDocument } from '../document/document.ts'
import type { SessionError } from '../document/results.ts'
import { receiptClaims } from '../end/receipt-claims.ts'

/** JOSE `typ` of a receipt. With the prefix `application/`, this text is the media type. */
export const RECEIPT_TYPE = 'verification-receipt+jwt'

/** Returns the receipt as a compact JWS, signed with the current key. Returns `not_ended` before the end. */
export async function signReceipt(
  document: SessionDocument,
  { baseUrl, accessTokenKeys }: Pick<Config, 'baseUrl' | 'accessTokenKeys'>,
): Promise<Result<string, SessionError>> {
  const { outcome, ended_at, evidence } = document
  if (outcome === null || ended_at === null) return err('not_ended')
  const claims = {
    ...(await receiptClaims(document, { outcome, ended_at }, baseUrl)),
    // The binding at the end of the session, as in the webhook event. A later redemption of a return code
    // does not change this value.
    session_binding: outcome.session_binding,
    trace: outcome.trace,
    ...(evidence && { evidence_hash: toHash(evidence.manifest_sha256) }),
  }
  return ok(await signJwt(claims, RECEIPT_TYPE, accessTokenKeys.keys[0]))
}

/** Converts a digest from hex to base64url, the form of the other hashes of the receipt. */
function toHash(hex: string): string {
  return encodeBase64url(decodeHex(hex) ?? new Uint8Array())
}
