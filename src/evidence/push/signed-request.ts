// Requests to an object store with the API of S3, signed with AWS Signature Version 4.

import { AwsV4Signer } from 'aws4fetch'
import { encodeBase64 } from '../../codec/base64url.ts'
import { encodeHex } from '../../codec/bytes.ts'
import { isoTime } from '../../codec/date-time.ts'
import { sha256 } from '../../crypto/digest.ts'
import type { ObjectStore } from './object-store.ts'

export type SignedRequest = {
  readonly url: string
  readonly method: 'PUT' | 'HEAD'
  readonly headers: Readonly<Record<string, string>>
}

const DAY_MS = 86_400_000

/**
 * Signs the PUT of a new object. Its headers tell the store to refuse the PUT if the object exists, or if the
 * checksum differs. With `retain_days`, the headers also forbid the store to delete the object for this
 * number of days. `digest`: SHA-256 of the object. `now`: Unix milliseconds.
 */
export async function signPut(
  store: ObjectStore,
  {
    url,
    digest,
    now,
  }: { readonly url: string; readonly digest: Uint8Array<ArrayBuffer>; readonly now: number },
): Promise<SignedRequest> {
  const { retain_days } = store
  return sign(store, 'PUT', {
    url,
    now,
    headers: {
      'if-none-match': '*',
      'x-amz-checksum-sha256': encodeBase64(digest),
      'x-amz-sdk-checksum-algorithm': 'SHA256', // stores require it for an object lock
      'x-amz-content-sha256': encodeHex(digest),
      ...(retain_days !== null && {
        'x-amz-object-lock-mode': 'COMPLIANCE',
        'x-amz-object-lock-retain-until-date': isoTime(now + retain_days * DAY_MS),
      }),
    },
  })
}

/** Signs the HEAD of an object. The store shows the checksum of the object in its response. */
export async function signHead(store: ObjectStore, url: string, now: number): Promise<SignedRequest> {
  const headers = {
    'x-amz-checksum-mode': 'ENABLED',
    'x-amz-content-sha256': encodeHex(await sha256(new Uint8Array())),
  }
  return sign(store, 'HEAD', { url, now, headers })
}

async function sign(
  { region, access_key_id: accessKeyId, secret_access_key: secretAccessKey }: ObjectStore,
  method: SignedRequest['method'],
  { url, now, headers }: Pick<SignedRequest, 'url' | 'headers'> & { readonly now: number },
): Promise<SignedRequest> {
  const datetime = isoTime(now).replace(/[:-]|\.\d{3}/g, '')
  const options = { method, url, headers: { ...headers }, datetime, service: 's3', region }
  const signed = await new AwsV4Signer({ ...options, accessKeyId, secretAccessKey }).sign()
  return { url, method, headers: Object.fromEntries(signed.headers) }
}
