// A wallet behind `org-iso-mdoc`. It shares nothing with src/: CBOR by cborg, HPKE by @hpke/core, signatures
// and digests by node:crypto. Each hook changes one thing of a good response.

import { createHash, type JsonWebKey, verify, X509Certificate } from 'node:crypto'
import {
  Aes128Gcm,
  Aes256Gcm,
  CipherSuite,
  DhkemP256HkdfSha256,
  DhkemX25519HkdfSha256,
  HkdfSha256,
} from '@hpke/core'
import { decode, encode, Tagged } from 'cborg'

/** An entry of `requests` as a page passes it to its browser. */
export type AnnexCRequest = {
  readonly protocol: string
  readonly data: { readonly deviceRequest: string; readonly encryptionInfo: string }
}

/** A request as the wallet understands it. */
export type ReceivedAnnexC = {
  readonly version: string
  readonly documents: readonly {
    readonly docType: string
    /** Namespace → element → intent to retain. */
    readonly nameSpaces: Readonly<Record<string, Readonly<Record<string, boolean>>>>
  }[]
  readonly useCases:
    | readonly { readonly mandatory: boolean; readonly documentSets: readonly number[][] }[]
    | null
  /** The registration certificates, one for each document request that has one. */
  readonly registrations: readonly Uint8Array[]
  /** Subjects of the certificates that signed all of each list, in order; empty if unsigned. */
  readonly readers: readonly string[]
  readonly allReaders: readonly string[]
  readonly nonce: Uint8Array
  readonly recipient: JsonWebKey
  /** The session transcript as a value that the encoder accepts. */
  readonly transcript: readonly [null, null, readonly [string, Uint8Array]]
}

const OPTIONS = { useMaps: true, tags: Tagged.preserve(24) }
type Cbor = ReturnType<typeof decode>
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'))
const sha256 = (bytes: Uint8Array) => Uint8Array.from(createHash('sha256').update(bytes).digest())

/** Receives a request on `origin`. Throws if it is malformed, or a signature does not verify. */
export function receiveAnnexC({ protocol, data }: AnnexCRequest, origin: string): ReceivedAnnexC {
  if (protocol !== 'org-iso-mdoc') throw new Error(`not a request of org-iso-mdoc: ${protocol}`)
  const [name, parameters] = decode(bytesOf(data.encryptionInfo), OPTIONS) as [string, Map<string, Cbor>]
  if (name !== 'dcapi' || parameters.size !== 2) throw new Error('not an EncryptionInfo')
  const transcript = transcriptOf(data.encryptionInfo, origin)
  const request = decode(bytesOf(data.deviceRequest), OPTIONS) as Map<string, Cbor>
  const items = (request.get('docRequests') as Map<string, Cbor>[]).map(
    (one) => one.get('itemsRequest') as Tagged,
  )
  const info = request.get('deviceRequestInfo') as Tagged | undefined
  const readers = (request.get('docRequests') as Map<string, Cbor>[]).map((one, i) => {
    const signature = one.get('readerAuth')
    return signature && verifySign1(signature, ['ReaderAuthentication', transcript, items[i]])
  })
  const all = (request.get('readerAuthAll') ?? []) as Cbor[]
  const covered = ['ReaderAuthenticationAll', transcript, items, info ?? null]
  return {
    version: request.get('version') as string,
    documents: items.map(embeddedOf).map((item) => ({
      docType: item.get('docType') as string,
      nameSpaces: plain(item.get('nameSpaces')) as ReceivedAnnexC['documents'][0]['nameSpaces'],
    })),
    useCases: info === undefined ? null : (plain(embeddedOf(info).get('useCases')) as never),
    registrations: items.map(embeddedOf).flatMap((item) => {
      const info = item.get('requestInfo') as Map<string, Uint8Array> | undefined
      const found = info?.get('euWrprc')
      return found === undefined ? [] : [found]
    }),
    readers: [...new Set(readers.filter((reader) => reader !== undefined))],
    allReaders: all.map((signature) => verifySign1(signature, covered)),
    nonce: parameters.get('nonce') as Uint8Array,
    recipient: jwkOf(parameters.get('recipientPublicKey') as Map<number, Uint8Array>),
    transcript,
  }
}

/** The session transcript of a request on an origin. */
export function transcriptOf(encryptionInfo: string, origin: string): ReceivedAnnexC['transcript'] {
  return [null, null, ['dcapi', sha256(encode([encryptionInfo, origin]))]]
}

/** SHA-256 of ReaderAuthenticationAllBytes of a request without use cases, by another encoder. */
export function requestHashOf({ data }: AnnexCRequest, origin: string): string {
  const bytes = Buffer.from(data.deviceRequest, 'base64url')
  const request = decode(bytes, OPTIONS) as Map<string, Cbor>
  const items = request.get('docRequests').map((one: Map<string, Tagged>) => one.get('itemsRequest'))
  const all = ['ReaderAuthenticationAll', transcriptOf(data.encryptionInfo, origin), items, null]
  const hashed = encode(new Tagged(24, encode(all)))
  return createHash('sha256').update(hashed).digest('base64url')
}

/** How a sealed response differs from a good response. */
export type Sealing = {
  readonly info?: Uint8Array
  readonly suite?: 'AES-256-GCM' | 'X25519'
  readonly recipient?: JsonWebKey
  readonly envelope?: (envelope: { enc: Uint8Array; cipherText: Uint8Array }) => unknown
}

/** Seals a DeviceResponse (CBOR). Returns what the browser gives to the page. */
export async function sealAnnexC(
  { transcript, recipient }: Pick<ReceivedAnnexC, 'transcript' | 'recipient'>,
  deviceResponse: Uint8Array,
  changes: Sealing = {},
): Promise<{ protocol: string; data: { response: string } }> {
  const isForeign = changes.suite === 'X25519'
  const kem = isForeign ? new DhkemX25519HkdfSha256() : new DhkemP256HkdfSha256()
  const aead = changes.suite === 'AES-256-GCM' ? new Aes256Gcm() : new Aes128Gcm()
  const suite = new CipherSuite({ kem, kdf: new HkdfSha256(), aead })
  const recipientPublicKey = isForeign
    ? (await kem.generateKeyPair()).publicKey
    : await kem.importKey('jwk', (changes.recipient ?? recipient) as { kty: string }, true)
  const info = changes.info ?? encode(transcript)
  const sealed = await suite.seal(
    { recipientPublicKey, info: Uint8Array.from(info).buffer },
    buffer(deviceResponse),
  )
  const envelope = { enc: new Uint8Array(sealed.enc), cipherText: new Uint8Array(sealed.ct) }
  const sent = changes.envelope?.(envelope) ?? ['dcapi', envelope]
  const response = Buffer.from(encode(sent)).toString('base64url')
  return { protocol: 'org-iso-mdoc', data: { response } }
}

function buffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer
}

/** Verifies a COSE_Sign1 with the first certificate of its x5chain. Returns the subject. */
function verifySign1(signature: Cbor, authentication: Cbor): string {
  const [header, unprotected, payload, bytes] = signature as [Uint8Array, Map<number, Cbor>, null, Uint8Array]
  const protectedHeader = decode(header, OPTIONS) as Map<number, number>
  if (protectedHeader.get(1) !== -7 || protectedHeader.size !== 1 || payload !== null) {
    throw new Error('not a detached signature with ES256')
  }
  const chain = [unprotected.get(33)].flat() as Uint8Array[]
  const certificate = new X509Certificate(chain[0] ?? new Uint8Array())
  const detached = encode(new Tagged(24, encode(authentication)))
  const signed = encode(['Signature1', header, new Uint8Array(), detached])
  const key = { key: certificate.publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (!verify('sha256', signed, key, bytes)) throw new Error('a reader signature does not verify')
  return certificate.subject
}

function embeddedOf({ value }: Tagged): Map<string, Cbor> {
  return decode(value as Uint8Array, OPTIONS) as Map<string, Cbor>
}

function jwkOf(key: Map<number, Uint8Array | number>): JsonWebKey {
  if (key.get(1) !== 2 || key.get(-1) !== 1 || key.size !== 4) throw new Error('not a COSE_Key on P-256')
  const coordinate = (label: number) => Buffer.from(key.get(label) as Uint8Array).toString('base64url')
  return { kty: 'EC', crv: 'P-256', x: coordinate(-2), y: coordinate(-3) }
}

/** Maps as objects. */
function plain(value: Cbor): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]))
}
