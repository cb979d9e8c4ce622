// The object store of a relying party, and the addresses of its objects.

import { encodeBase64 } from '../../codec/base64url.ts'
import { isoTime } from '../../codec/date-time.ts'
import { sha256 } from '../../crypto/digest.ts'

/** The store of a relying party. `endpoint`: an origin. */
export type ObjectStore = {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Path before the name of each object, without a slash at its start or end; empty: no path. */
  readonly prefix: string
  readonly access_key_id: string
  readonly secret_access_key: string
  /** Days for which the store must not delete the object; null: the store decides. */
  readonly retain_days: number | null
}

/**
 * Returns the address of an object. `createdAt`: Unix milliseconds.
 *
 * @example
 * objectUrl(store, 'v_1', Date.UTC(2027, 0, 31)) // 'https://s3.example.com/cases/bank/2027/01/v_1.json'
 */
export function objectUrl(store: Place, verificationId: string, createdAt: number): string {
  const [year, month] = isoTime(createdAt).split('-')
  return `${folderUrl(store)}/${year}/${month}/${verificationId}.json`
}

/** Returns the address of a material. All evidence in this store shares one copy of the material. */
export function materialUrl(store: Place, sha256: string): string {
  return `${folderUrl(store)}/materials/${sha256}`
}

type Place = Pick<ObjectStore, 'endpoint' | 'bucket' | 'prefix'>

function folderUrl({ endpoint, bucket, prefix }: Place): string {
  const folder = prefix === '' ? bucket : `${bucket}/${prefix}`
  return `${endpoint.replace(/\/$/, '')}/${folder}`
}

/** Returns the SHA-256 of an object in base64, as object stores write it in their responses. */
export async function computeChecksum(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return encodeBase64(await sha256(body))
}
