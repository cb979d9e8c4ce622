// A strict object store on loopback with the API of S3: one bucket with object lock. It checks each signature
// with `node:crypto` as the documentation of AWS Signature Version 4 says, and knows nothing of our signer.

import { createHash, createHmac } from 'node:crypto'
import { type ReceivedRequest, type Receiver, type ScriptedResponse, startReceiver } from './receiver.ts'

/** Credentials that the store accepts, and its place. */
export type Access = {
  readonly region: string
  readonly bucket: string
  readonly access_key_id: string
  readonly secret_access_key: string
}

export const ACCESS: Access = {
  region: 'eu-central-1',
  bucket: 'case-files',
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}

export type StoredObject = {
  readonly body: Buffer
  readonly checksum: string
  readonly mode: string | undefined
  readonly retainUntil: string | undefined
}

export type ObjectStore = Receiver & {
  readonly objects: ReadonlyMap<string, StoredObject>
  /** Returns the response of a store without faults. */
  readonly serve: (request: ReceivedRequest) => ScriptedResponse
}

/** Starts a store. Without another `answer` it has no faults. */
export async function startObjectStore(access: Access = ACCESS): Promise<ObjectStore> {
  const receiver = await startReceiver()
  const objects = new Map<string, StoredObject>()
  const serve = (request: ReceivedRequest) => respond(request, objects, access)
  receiver.answer(serve)
  return { ...receiver, objects, serve }
}

function respond(
  request: ReceivedRequest,
  objects: Map<string, StoredObject>,
  access: Access,
): ScriptedResponse {
  const { method, path, headers, body } = request
  const fault = signatureFault(request, access)
  if (fault !== undefined) return { status: 403, body: `<Error><Code>${fault}</Code></Error>` }
  if (!path.startsWith(`/${access.bucket}/`)) return { status: 404 }
  const found = objects.get(path)
  if (method === 'HEAD') {
    if (found === undefined) return { status: 404 }
    const shows = headers['x-amz-checksum-mode'] === 'ENABLED'
    return { status: 200, headers: shows ? { 'x-amz-checksum-sha256': found.checksum } : {} }
  }
  if (method !== 'PUT' || headers['if-none-match'] !== '*') return { status: 400 }
  if (found !== undefined) return { status: 412 }
  const checksum = createHash('sha256').update(body).digest('base64')
  if (headers['x-amz-checksum-sha256'] !== checksum) return { status: 400 }
  const retainUntil = headers['x-amz-object-lock-retain-until-date'] as string | undefined
  if (retainUntil !== undefined && !(Date.parse(retainUntil) > Date.now())) return { status: 400 }
  if (retainUntil !== undefined && headers['x-amz-sdk-checksum-algorithm'] !== 'SHA256')
    return { status: 400 }
  const mode = headers['x-amz-object-lock-mode'] as string | undefined
  objects.set(path, { body, checksum, mode, retainUntil })
  return { status: 200, headers: { 'x-amz-checksum-sha256': checksum } }
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/

/** Headers that must be signed, because each changes what the store does. */
const SIGNED = ['host', 'x-amz-content-sha256', 'x-amz-date']

/** Returns the code of the fault in a signature; `undefined` if it is right. */
export function signatureFault(
  { method, path, headers, body }: Pick<ReceivedRequest, 'method' | 'path' | 'headers' | 'body'>,
  { region, access_key_id, secret_access_key }: Access,
): string | undefined {
  const [, key, day = '', place, names = '', signature] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? []
  if (key !== access_key_id || place !== region) return 'InvalidAccessKeyId'
  const signed = names.split(';')
  const needed = [...SIGNED, ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  if (method === 'PUT') needed.push('if-none-match')
  if (!needed.every((name) => signed.includes(name))) return 'UnsignedHeader'
  const date = String(headers['x-amz-date'])
  const time = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!date.startsWith(day) || !(Math.abs(time - Date.now()) < 900_000)) return 'RequestTimeTooSkewed'
  const hash = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch'
  const values = signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`)
  const canonical = [method, path, '', values.join(''), names, hash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  )
  const steps = [day, region, 's3', 'aws4_request']
  const seed = Buffer.from(`AWS4${secret_access_key}`)
  const signing = steps.reduce((secret, part) => createHmac('sha256', secret).update(part).digest(), seed)
  const expected = createHmac('sha256', signing).update(text).digest('hex')
  return expected === signature ? undefined : 'SignatureDoesNotMatch'
}
