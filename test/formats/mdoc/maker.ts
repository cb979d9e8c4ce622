// Creates mdocs for tests without code of src/: CBOR by hand, signatures, digests and key agreement by
// node:crypto, certificates by @peculiar/x509. Every hook of `Changes` changes one part of the good mdoc.

import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import type { IssuerPki } from '../../support/certificates/certificates.ts'

/** A value of CBOR. Maps keep their order. */
export type Value =
  | null
  | undefined
  | boolean
  | number
  | string
  | Uint8Array
  | Value[]
  | Tagged
  | Raw
  | { [name: string]: Value }
  | Map<Value, Value>
class Tagged {
  readonly tag: number
  readonly content: Value
  constructor(tag: number, content: Value) {
    this.tag = tag
    this.content = content
  }
}
class Raw {
  readonly hex: string
  constructor(hex: string) {
    this.hex = hex
  }
}
export const tagged = (tag: number, content: Value) => new Tagged(tag, content)
export const raw = (hex: string) => new Raw(hex)
export const embedded = (value: Value) => new Tagged(24, encode(value))

export function encode(value: Value): Buffer {
  if (value === null) return Buffer.of(0xf6)
  if (value === undefined) return Buffer.of(0xf7)
  if (typeof value === 'boolean') return Buffer.of(value ? 0xf5 : 0xf4)
  if (typeof value === 'string') return withHead(0x60, Buffer.from(value, 'utf8'))
  if (value instanceof Uint8Array) return withHead(0x40, value)
  if (value instanceof Raw) return Buffer.from(value.hex, 'hex')
  if (value instanceof Tagged) return Buffer.concat([head(0xc0, value.tag), encode(value.content)])
  if (Array.isArray(value)) return Buffer.concat([head(0x80, value.length), ...value.map(encode)])
  if (typeof value === 'number') return encodeNumber(value)
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return Buffer.concat([head(0xa0, entries.length), ...entries.flatMap((pair) => pair.map(encode))])
}

function encodeNumber(value: number): Buffer {
  if (Number.isInteger(value)) return value < 0 ? head(0x20, -1 - value) : head(0x00, value)
  const float = Buffer.alloc(9, 0xfb)
  float.writeDoubleBE(value, 1)
  return float
}

function withHead(major: number, content: Uint8Array): Buffer {
  return Buffer.concat([head(major, content.length), content])
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.of(major + argument)
  const hex = argument.toString(16)
  const width = [1, 2, 4, 8].find((bytes) => hex.length <= 2 * bytes) ?? 8
  return Buffer.from(
    (major + 24 + Math.log2(width)).toString(16).padStart(2, '0') + hex.padStart(2 * width, '0'),
    'hex',
  )
}

export type Fields = { [name: string]: Value }
export type Headers = { protected: Map<Value, Value>; unprotected: Map<Value, Value> }

export type Changes = {
  readonly item?: (item: Fields) => void
  readonly disclosed?: (items: Value[]) => void
  readonly nameSpaces?: (nameSpaces: Fields) => void
  readonly mso?: (mso: Fields) => void
  readonly issuerHeaders?: (headers: Headers) => void
  readonly issuerAuth?: (message: Value[]) => void
  readonly issuerSigned?: (issuerSigned: Fields) => void
  readonly deviceNameSpaces?: Value
  readonly transcript?: Value
  readonly deviceAuthentication?: (values: Value[]) => void
  readonly deviceHeaders?: (headers: Headers) => void
  readonly deviceMessage?: (message: Value[]) => void
  readonly deviceAuth?: (deviceAuth: Fields) => void
  readonly deviceSigned?: (deviceSigned: Fields) => void
  readonly document?: (document: Fields) => void
  readonly response?: (response: Fields) => void
}

export type Signer = { readonly key: KeyObject; readonly alg: number }

export type Making = {
  readonly pki: IssuerPki
  /** COSE algorithm of the document signer. */
  readonly issuerAlg: number
  /** The holder's key in the MSO, and the key that the holder signs with. */
  readonly deviceKey: KeyObject
  readonly device: Signer
  readonly docType: string
  readonly nameSpace: string
  readonly elements: readonly (readonly [string, Value])[]
  readonly transcript: Value
  /** With this public key the device makes a MAC instead of a signature. */
  readonly readerKey?: KeyObject
}

const HASHES: Readonly<Record<number, string | null>> = {
  [-7]: 'sha256',
  [-9]: 'sha256',
  [-35]: 'sha384',
  [-51]: 'sha384',
  [-36]: 'sha512',
  [-52]: 'sha512',
  [-8]: null,
  [-19]: null,
}

/** A DeviceResponse in base64url. */
export function makeDeviceResponse(making: Making, changes: Changes = {}): string {
  const docType = making.docType
  const document: Fields = {
    docType,
    issuerSigned: makeIssuerSigned(making, changes),
    deviceSigned: makeDeviceSigned(making, changes),
  }
  changes.document?.(document)
  const response: Fields = { version: '1.0', documents: [document], status: 0 }
  changes.response?.(response)
  return encode(response).toString('base64url')
}

function makeIssuerSigned(making: Making, changes: Changes): Value {
  const items: Value[] = []
  const digests = new Map<Value, Value>()
  for (const [digestID, [elementIdentifier, elementValue]] of making.elements.entries()) {
    const item: Fields = { digestID, random: Buffer.alloc(16, digestID), elementIdentifier, elementValue }
    changes.item?.(item)
    const bytes = embedded(item)
    digests.set(digestID, createHash('sha256').update(encode(bytes)).digest())
    items.push(bytes)
  }
  changes.disclosed?.(items)
  const nameSpaces: Fields = { [making.nameSpace]: items }
  changes.nameSpaces?.(nameSpaces)
  const mso: Fields = {
    version: '1.0',
    digestAlgorithm: 'SHA-256',
    valueDigests: { [making.nameSpace]: digests },
    deviceKeyInfo: { deviceKey: coseKey(making.deviceKey) },
    docType: making.docType,
    validityInfo: {
      signed: tagged(0, '2026-09-01T00:00:00Z'),
      validFrom: tagged(0, '2026-09-01T00:00:00Z'),
      validUntil: tagged(0, '2027-09-01T00:00:00Z'),
    },
  }
  changes.mso?.(mso)
  const headers: Headers = {
    protected: new Map([[1, making.issuerAlg]]),
    unprotected: new Map<Value, Value>([[33, making.pki.chain]]),
  }
  changes.issuerHeaders?.(headers)
  const signer = {
    key: createPrivateKey({ key: { ...making.pki.leaf.privateJwk }, format: 'jwk' }),
    alg: making.issuerAlg,
  }
  const message = makeSign1(headers, encode(embedded(mso)), signer)
  changes.issuerAuth?.(message)
  const issuerSigned: Fields = { nameSpaces, issuerAuth: message }
  changes.issuerSigned?.(issuerSigned)
  return issuerSigned
}

function makeDeviceSigned(making: Making, changes: Changes): Value {
  const nameSpaces = 'deviceNameSpaces' in changes ? changes.deviceNameSpaces : embedded({})
  const transcript = changes.transcript ?? making.transcript
  const authentication: Value[] = ['DeviceAuthentication', transcript, making.docType, nameSpaces]
  changes.deviceAuthentication?.(authentication)
  const payload = encode(embedded(authentication))
  const headers: Headers = {
    protected: new Map([[1, making.readerKey ? 5 : making.device.alg]]),
    unprotected: new Map(),
  }
  changes.deviceHeaders?.(headers)
  const message = making.readerKey
    ? makeMac0(headers, payload, macKey(making.device.key, making.readerKey, transcript))
    : makeSign1(headers, payload, making.device)
  message[2] = null
  changes.deviceMessage?.(message)
  const deviceAuth: Fields = { [making.readerKey ? 'deviceMac' : 'deviceSignature']: message }
  changes.deviceAuth?.(deviceAuth)
  const deviceSigned: Fields = { nameSpaces, deviceAuth }
  changes.deviceSigned?.(deviceSigned)
  return deviceSigned
}

export function makeSign1(headers: Headers, payload: Uint8Array, { key, alg }: Signer): Value[] {
  const header = encode(headers.protected)
  const signed = encode(['Signature1', header, Buffer.alloc(0), payload])
  const signature = sign(HASHES[alg] ?? null, signed, { key, dsaEncoding: 'ieee-p1363' })
  return [header, headers.unprotected, payload, signature]
}

export function makeMac0(headers: Headers, payload: Uint8Array, key: Uint8Array): Value[] {
  const header = encode(headers.protected)
  const authenticated = encode(['MAC0', header, Buffer.alloc(0), payload])
  return [header, headers.unprotected, payload, createHmac('sha256', key).update(authenticated).digest()]
}

function macKey(privateKey: KeyObject, publicKey: KeyObject, transcript: Value): Uint8Array {
  const salt = createHash('sha256')
    .update(encode(embedded(transcript)))
    .digest()
  return new Uint8Array(hkdfSync('sha256', diffieHellman({ privateKey, publicKey }), salt, 'EMacKey', 32))
}

/** The COSE_Key of a public key. */
export function coseKey(key: KeyObject): Map<Value, Value> {
  const { kty, crv, x, y } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  const coordinate = (text: unknown) => Buffer.from(String(text), 'base64url')
  const curve = { 'P-256': 1, 'P-384': 2, 'P-521': 3, Ed25519: 6 }[String(crv)] ?? 0
  if (kty === 'OKP')
    return new Map<Value, Value>([
      [1, 1],
      [-1, curve],
      [-2, coordinate(x)],
    ])
  return new Map<Value, Value>([
    [1, 2],
    [-1, curve],
    [-2, coordinate(x)],
    [-3, coordinate(y)],
  ])
}

/** The transcript of OpenID4VP 1.0 B.2.6.1. */
export function makeTranscript(info: readonly Value[], name = 'OpenID4VPHandover'): Value {
  return [
    null,
    null,
    [
      name,
      createHash('sha256')
        .update(encode([...info]))
        .digest(),
    ],
  ]
}

export function makePrivateKey(curve: 'P-256' | 'P-384' | 'P-521' | 'Ed25519'): KeyObject {
  return curve === 'Ed25519'
    ? generateKeyPairSync('ed25519').privateKey
    : generateKeyPairSync('ec', { namedCurve: curve }).privateKey
}
