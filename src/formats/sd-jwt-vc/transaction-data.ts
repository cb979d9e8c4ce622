// Transaction data in the Key Binding JWT (OpenID4VP 1.0 B.3.3.1). The holder signs hashes of the strings in
// `transaction_data` as we sent them.

import { encodeBase64url } from '../../codec/base64url.ts'
import { utf8 } from '../../codec/bytes.ts'
import { type Json, type JsonObject, member } from '../../codec/json.ts'
import { digest, type HashName, isHashName } from '../../crypto/digest.ts'
import { err, ok, type Result } from '../../result.ts'
import type { ConfirmedTransactionData, HolderRefusal, TransactionData } from '../verification/format.ts'

/**
 * Returns the requested transaction data that a verified KB-JWT confirms. Another credential may confirm the
 * rest (§5.1). Each hash in the KB-JWT must be the hash of a different requested transaction data object.
 */
export async function matchTransactionData(
  claims: JsonObject,
  requested: readonly TransactionData[],
): Promise<Result<readonly ConfirmedTransactionData[], HolderRefusal>> {
  const hashes = member(claims, 'transaction_data_hashes')
  const algorithm = member(claims, 'transaction_data_hashes_alg')
  if (hashes === undefined && algorithm === undefined) return ok([])
  if (!isHashList(hashes) || (algorithm !== undefined && typeof algorithm !== 'string')) {
    return err({ reason: 'malformed_holder_binding' })
  }
  const offered = requested.filter((data) => isOffered(algorithm, data))
  const hash_alg = algorithm ?? DEFAULT_HASH
  if (!isHashName(hash_alg) || hashes.length > offered.length) {
    return err({ reason: 'transaction_data_mismatch' })
  }
  const expected = await Promise.all(
    offered.map(async ({ index, encoded }) => ({
      index,
      hash: await computeHash(encoded, hash_alg),
      hash_alg,
    })),
  )
  const confirmed = expected.filter(({ hash }) => hashes.includes(hash))
  return confirmed.length === hashes.length ? ok(confirmed) : err({ reason: 'transaction_data_mismatch' })
}

const DEFAULT_HASH: HashName = 'sha-256'

/**
 * Returns true if the response may use the named hash algorithm for this transaction. If the request lists
 * algorithms, the response must name one of them. Otherwise only SHA-256 is possible, and the response need
 * not name it.
 */
function isOffered(named: string | undefined, { hashAlgorithms }: TransactionData): boolean {
  if (hashAlgorithms === undefined) return named === undefined || named === DEFAULT_HASH
  return hashAlgorithms.some((name) => name === named)
}

/** Hashes the text as it was sent, not the object that it encodes. */
async function computeHash(encoded: string, name: HashName): Promise<string> {
  return encodeBase64url(await digest(name, utf8(encoded)))
}

function isHashList(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((hash: Json) => typeof hash === 'string')
}
