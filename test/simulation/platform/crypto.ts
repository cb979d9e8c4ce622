// WebCrypto over node:crypto, without threads: a thread would decide the order of steps. The cryptography is
// real. Two parts are not: random bytes come from the seed, and generated keys come from a fixed list.

import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

/** Keys that are generated one after the other in each history. */
const POOL = 64
/** Share of operations that complete at once, and are no step of their own. */
const AT_ONCE = 0.85

type Algorithm = string | { readonly name: string; readonly hash?: string | { readonly name: string } }
type Bytes = Uint8Array | ArrayBuffer

/** A key as jose and the service handle it. */
export class SimulatedKey {
  readonly [Symbol.toStringTag] = 'CryptoKey'
  readonly type: string
  readonly extractable: boolean
  readonly algorithm: object
  readonly usages: readonly string[]
  readonly secret: Buffer | KeyObject
  readonly jwk: JsonWebKey | undefined
  constructor(made: {
    type: string
    algorithm: object
    usages: readonly string[]
    secret: Buffer | KeyObject
    jwk?: JsonWebKey
  }) {
    this.type = made.type
    this.extractable = true
    this.algorithm = made.algorithm
    this.usages = made.usages
    this.secret = made.secret
    this.jwk = made.jwk
  }
}

export function openCrypto(scheduler: Scheduler, random: Random) {
  let generated = 0
  const later = <T>(work: () => T): Promise<T> => scheduler.complete(work, AT_ONCE)
  const generate = (algorithm: object, usages: readonly string[]) => {
    const jwk = poolKey(generated++ % POOL)
    const { d, ...publicJwk } = jwk
    return {
      privateKey: new SimulatedKey({ type: 'private', algorithm, usages, secret: keyOf(jwk), jwk }),
      publicKey: new SimulatedKey({
        type: 'public',
        algorithm,
        usages: [],
        secret: keyOf(publicJwk),
        jwk: publicJwk,
      }),
    }
  }
  return {
    getRandomValues: <T extends Uint8Array>(into: T): T => {
      random.bytes(into)
      return into
    },
    randomUUID: () => {
      const bytes = new Uint8Array(16)
      random.bytes(bytes)
      return Buffer.from(bytes).toString('hex')
    },
    subtle: {
      digest: (algorithm: Algorithm, data: Bytes) =>
        later(() => exact(createHash(hashName(algorithm)).update(bufferOf(data)).digest())),
      importKey: (
        format: string,
        data: Bytes | JsonWebKey,
        algorithm: Algorithm,
        _: boolean,
        usages: string[],
      ) => later(() => importKey(format, data, algorithm, usages)),
      exportKey: (format: string, key: SimulatedKey) => later(() => exportKey(format, key)),
      generateKey: (algorithm: Algorithm, _: boolean, usages: string[]) =>
        later(() => generate(Object(algorithm), usages)),
      sign: (algorithm: Algorithm, key: SimulatedKey, data: Bytes) =>
        later(() => exact(signWith(algorithm, key, bufferOf(data)))),
      verify: (algorithm: Algorithm, key: SimulatedKey, signature: Bytes, data: Bytes) =>
        later(() => verifyWith(algorithm, key, { signature: bufferOf(signature), data: bufferOf(data) })),
      encrypt: (parameters: AesGcm, key: SimulatedKey, data: Bytes) =>
        later(() => exact(encryptWith(parameters, key, bufferOf(data)))),
      decrypt: (parameters: AesGcm, key: SimulatedKey, data: Bytes) =>
        later(() => exact(decryptWith(parameters, key, bufferOf(data)))),
      wrapKey: (_: 'raw', key: SimulatedKey, wrapping: SimulatedKey) =>
        later(() => exact(wrapWith(wrapping, key))),
      deriveBits: (parameters: Derivation, key: SimulatedKey, bits: number) =>
        later(() => exact(deriveWith(parameters, key, bits))),
    },
  }
}

type AesGcm = { readonly name: string; readonly iv: Bytes; readonly additionalData?: Bytes }
type Derivation = {
  readonly name: string
  readonly hash?: string
  readonly salt?: Bytes
  readonly info?: Bytes
  readonly public?: SimulatedKey
}

function importKey(format: string, data: Bytes | JsonWebKey, algorithm: Algorithm, usages: string[]) {
  const described = typeof algorithm === 'string' ? { name: algorithm } : algorithm
  if (format === 'raw' && !/^EC/.test(described.name)) {
    const secret = Buffer.from(bufferOf(data as Bytes))
    const hash = described.hash === undefined ? {} : { hash: { name: named(described.hash) } }
    return new SimulatedKey({
      type: 'secret',
      algorithm: { ...described, ...hash, length: 8 * secret.length },
      usages,
      secret,
    })
  }
  if (format !== 'jwk') throw new DOMException(`${format} is not simulated`, 'NotSupportedError')
  const jwk = data as JsonWebKey
  const type = jwk.d === undefined ? 'public' : 'private'
  return new SimulatedKey({ type, algorithm: described, usages, secret: keyOf(jwk), jwk })
}

function exportKey(format: string, { jwk, secret }: SimulatedKey) {
  if (format === 'jwk' && jwk !== undefined) return jwk
  if (format === 'raw' && secret instanceof Uint8Array) return exact(secret)
  throw new DOMException(`${format} is not simulated`, 'NotSupportedError')
}

function signWith(algorithm: Algorithm, { secret }: SimulatedKey, data: Buffer): Buffer {
  if (secret instanceof Uint8Array) return createHmac('sha256', secret).update(data).digest()
  return sign(hashName(algorithm), data, { key: secret, dsaEncoding: 'ieee-p1363' })
}

function verifyWith(
  algorithm: Algorithm,
  { secret }: SimulatedKey,
  { signature, data }: { readonly signature: Buffer; readonly data: Buffer },
): boolean {
  if (secret instanceof Uint8Array)
    return createHmac('sha256', secret).update(data).digest().equals(signature)
  return verify(hashName(algorithm), data, { key: secret, dsaEncoding: 'ieee-p1363' }, signature)
}

const TAG_BYTES = 16

function encryptWith({ iv, additionalData }: AesGcm, { secret }: SimulatedKey, data: Buffer): Buffer {
  const cipher = createCipheriv(cipherOf(secret as Buffer), secret as Buffer, bufferOf(iv))
  if (additionalData !== undefined) cipher.setAAD(bufferOf(additionalData))
  return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()])
}

function decryptWith({ iv, additionalData }: AesGcm, { secret }: SimulatedKey, data: Buffer): Buffer {
  const decipher = createDecipheriv(cipherOf(secret as Buffer), secret as Buffer, bufferOf(iv))
  if (additionalData !== undefined) decipher.setAAD(bufferOf(additionalData))
  decipher.setAuthTag(data.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()])
}

/** AES Key Wrap (RFC 3394) with a key of 256 bits. */
function wrapWith({ secret }: SimulatedKey, { secret: wrapped }: SimulatedKey): Buffer {
  const cipher = createCipheriv('id-aes256-wrap', secret as Buffer, Buffer.alloc(8, 0xa6))
  return Buffer.concat([cipher.update(wrapped as Buffer), cipher.final()])
}

function cipherOf(secret: Buffer): 'aes-128-gcm' | 'aes-256-gcm' {
  return secret.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm'
}

function deriveWith(parameters: Derivation, { secret }: SimulatedKey, bits: number): Buffer {
  if (parameters.name === 'HKDF') {
    const [salt, info] = [bufferOf(parameters.salt ?? []), bufferOf(parameters.info ?? [])]
    return Buffer.from(hkdfSync(hashName(parameters.hash ?? ''), secret as Buffer, salt, info, bits / 8))
  }
  const shared = diffieHellman({
    privateKey: secret as KeyObject,
    publicKey: parameters.public?.secret as KeyObject,
  })
  return shared.subarray(0, bits / 8)
}

/** Keys by their JWK: decoding one costs as much as a signature. */
const decoded = new Map<string, KeyObject>()

/** Decodes a JWK. */
export function keyOf({ kty, crv, x, y, d }: JsonWebKey): KeyObject {
  const name = `${crv} ${x} ${y} ${d}`
  const known = decoded.get(name)
  if (known !== undefined) return known
  const key = { kty, crv, x, ...(y !== undefined && { y }) } as JsonWebKey
  const made =
    d === undefined
      ? createPublicKey({ key, format: 'jwk' })
      : createPrivateKey({ key: { ...key, d }, format: 'jwk' })
  decoded.set(name, made)
  return made
}

const pool: JsonWebKey[] = []

/** Returns key `number` of the list (P-256). */
export function poolKey(number: number): JsonWebKey {
  pool[number] ??= makePoolKey(number)
  return pool[number]
}

function makePoolKey(number: number): JsonWebKey {
  const d = createHash('sha256').update(`key ${number}`).digest()
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(d)
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((bytes) => bytes.toString('base64url'))
  return { kty: 'EC', crv: 'P-256', x: x as string, y: y as string, d: d.toString('base64url') }
}

function named(algorithm: Algorithm): string {
  return typeof algorithm === 'string' ? algorithm : algorithm.name
}

function hashName(algorithm: Algorithm): string {
  const hash = typeof algorithm === 'string' ? algorithm : (algorithm.hash ?? 'SHA-256')
  return named(hash).replace('-', '').toLowerCase()
}

function bufferOf(data: Bytes | never[]): Buffer {
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return Buffer.from(data as ArrayBuffer)
}

function exact(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer
}
