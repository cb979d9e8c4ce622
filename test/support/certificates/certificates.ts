// An issuer's public key infrastructure for tests, minted with @peculiar/x509, which shares no code with
// src/trust. Every option changes one thing of a good certificate.

import '../reflect-metadata.ts'
import * as x509 from '@peculiar/x509'
import { encodeBase64 } from '../../../src/codec/base64url.ts'
import { concatBytes } from '../../../src/codec/bytes.ts'

/** Certificates are valid from 2024 to 2049 by default, which includes any `now` of a test. */
export const VALID_FROM = new Date('2024-01-01T00:00:00Z')
export const VALID_UNTIL = new Date('2049-12-31T23:59:59Z')

export type KeyKind = 'P-256' | 'P-384' | 'P-521' | 'Ed25519' | 'RSA-1024' | 'RSA-2048' | 'RSA-2048-e3'

export type KeyUsageName =
  | 'digitalSignature'
  | 'nonRepudiation'
  | 'keyEncipherment'
  | 'keyCertSign'
  | 'cRLSign'

/** A name in the form of @peculiar/x509. */
export type AltName = { readonly type: 'dns' | 'email' | 'url' | 'ip' | 'dn'; readonly value: string }

export type RawExtension = { readonly oid: string; readonly critical: boolean; readonly value: Uint8Array }

export type CertificateOptions = {
  /** `C=…,O=…,CN=…`, in the order it is encoded. */
  readonly subject?: string
  /** A name in place of the issuer's own. */
  readonly issuerName?: string
  readonly notBefore?: Date
  readonly notAfter?: Date
  readonly keyKind?: KeyKind
  readonly keys?: CryptoKeyPair
  /** The certified SubjectPublicKeyInfo in place of the one of `keys`. */
  readonly spki?: Uint8Array<ArrayBuffer>
  readonly hash?: 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512'
  /** `null`: no basicConstraints. */
  readonly ca?: boolean | null
  readonly pathLength?: number
  /** `null`: no key usage. */
  readonly keyUsage?: readonly KeyUsageName[] | null
  readonly extendedKeyUsage?: readonly string[]
  readonly altNames?: readonly AltName[]
  /** Hexadecimal. */
  readonly serialNumber?: string
  /** Addresses of revocation lists. */
  readonly crls?: readonly string[]
  /** Extensions beside the above, encoded by the caller. */
  readonly extensions?: readonly RawExtension[]
}

/** A certificate with its private key, in the forms tests need. */
export type Minted = {
  readonly der: Uint8Array<ArrayBuffer>
  readonly pem: string
  /** Standard base64 of the DER, as in `x5c`. */
  readonly x5c: string
  readonly subject: string
  readonly keys: CryptoKeyPair
  /** Empty for RSA keys. */
  readonly privateJwk: JsonWebKey
  readonly publicJwk: JsonWebKey
}

/** An issuer's certificates: `chain` is what goes into `x5c`, leaf first and without the root. */
export type IssuerPki = {
  readonly root: Minted
  readonly intermediate: Minted
  readonly leaf: Minted
  readonly chain: Uint8Array<ArrayBuffer>[]
}

/** A root, an intermediate and a document signer below it, each with its changes. */
export async function mintIssuerPki(
  changes: {
    readonly root?: CertificateOptions
    readonly intermediate?: CertificateOptions
    readonly leaf?: CertificateOptions
  } = {},
): Promise<IssuerPki> {
  const root = await mintRoot(changes.root)
  const intermediate = await mintIntermediate(root, changes.intermediate)
  const leaf = await mintLeaf(intermediate, changes.leaf)
  return { root, intermediate, leaf, chain: [leaf.der, intermediate.der] }
}

/** A self-signed certification authority. */
export function mintRoot(options: CertificateOptions = {}): Promise<Minted> {
  return mintCertificate({ subject: 'C=DE,O=Test Trust,CN=Test Root CA', ...AUTHORITY, ...options })
}

/** A certification authority below another. */
export function mintIntermediate(issuer: Minted, options: CertificateOptions = {}): Promise<Minted> {
  return mintCertificate(
    { subject: 'C=DE,O=Test Trust,CN=Test Issuing CA', ...AUTHORITY, ...options },
    issuer,
  )
}

/** A document signer. */
export function mintLeaf(issuer: Minted, options: CertificateOptions = {}): Promise<Minted> {
  return mintCertificate(
    { subject: 'C=DE,O=Test Issuer,CN=Test Document Signer', ...SIGNER, ...options },
    issuer,
  )
}

/** Creates a certificate; self-signed without an issuer. */
export async function mintCertificate(options: CertificateOptions, issuer?: Minted): Promise<Minted> {
  const keys = options.keys ?? (await mintKeys(options.keyKind ?? 'P-256'))
  const signer = issuer?.keys ?? keys
  const subject = options.subject ?? 'CN=Test'
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: options.serialNumber ?? '2a',
    subject,
    issuer: options.issuerName ?? issuer?.subject ?? subject,
    notBefore: options.notBefore ?? VALID_FROM,
    notAfter: options.notAfter ?? VALID_UNTIL,
    publicKey: options.spki ?? keys.publicKey,
    signingKey: signer.privateKey,
    signingAlgorithm: { name: signer.privateKey.algorithm.name, hash: options.hash ?? 'SHA-256' },
    extensions: toExtensions(options),
  })
  return toMinted(new Uint8Array(certificate.rawData), subject, keys)
}

/** The same certificate with other bytes, for mutations by hand. */
export function withDer(minted: Minted, der: Uint8Array<ArrayBuffer>): Minted {
  const x5c = encodeBase64(der)
  const pem = `-----BEGIN CERTIFICATE-----\n${x5c.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`
  return { ...minted, der, x5c, pem }
}

/** An extractable signing key pair. */
export async function mintKeys(kind: KeyKind): Promise<CryptoKeyPair> {
  const keys = await crypto.subtle.generateKey(KEY_PARAMETERS[kind], true, ['sign', 'verify'])
  return keys as CryptoKeyPair
}

/** The name constraints extension; the names in it are encoded by @peculiar/x509, addresses as given. */
export function nameConstraints(subtrees: {
  readonly permitted?: readonly (AltName | Uint8Array)[]
  readonly excluded?: readonly (AltName | Uint8Array)[]
}): RawExtension {
  const list = (tag: number, names: readonly (AltName | Uint8Array)[] | undefined) =>
    names
      ? tlv(tag, ...names.map((name) => tlv(0x30, name instanceof Uint8Array ? name : encodeName(name))))
      : new Uint8Array()
  const value = tlv(0x30, list(0xa0, subtrees.permitted), list(0xa1, subtrees.excluded))
  return { oid: '2.5.29.30', critical: true, value }
}

/** One DER element around `parts`. */
export function tlv(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = concatBytes(...parts)
  const { length } = content
  const octets = [length >> 16, (length >> 8) & 0xff, length & 0xff]
  const needed = octets.slice(length < 0x100 ? 2 : length < 0x10000 ? 1 : 0)
  const header = length < 0x80 ? [length] : [0x80 | needed.length, ...needed]
  return concatBytes(Uint8Array.of(tag, ...header), content)
}

const AUTHORITY: CertificateOptions = { ca: true, keyUsage: ['keyCertSign', 'cRLSign'] }
const SIGNER: CertificateOptions = { ca: false, keyUsage: ['digitalSignature'] }

const RSA = { name: 'RSASSA-PKCS1-v1_5', publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' }
const KEY_PARAMETERS = {
  'P-256': { name: 'ECDSA', namedCurve: 'P-256' },
  'P-384': { name: 'ECDSA', namedCurve: 'P-384' },
  'P-521': { name: 'ECDSA', namedCurve: 'P-521' },
  Ed25519: { name: 'Ed25519' },
  'RSA-1024': { ...RSA, modulusLength: 1024 },
  'RSA-2048': { ...RSA, modulusLength: 2048 },
  'RSA-2048-e3': { ...RSA, modulusLength: 2048, publicExponent: Uint8Array.of(3) },
} as const

const KEY_USAGE_BITS = {
  digitalSignature: 1,
  nonRepudiation: 2,
  keyEncipherment: 4,
  keyCertSign: 32,
  cRLSign: 64,
} as const

function toExtensions(options: CertificateOptions) {
  const { ca = null, keyUsage = null } = options
  const bits = keyUsage?.reduce((sum, name) => sum | KEY_USAGE_BITS[name], 0)
  return [
    ...(ca === null ? [] : [new x509.BasicConstraintsExtension(ca, options.pathLength, true)]),
    ...(bits === undefined ? [] : [new x509.KeyUsagesExtension(bits, true)]),
    ...(options.extendedKeyUsage ? [new x509.ExtendedKeyUsageExtension([...options.extendedKeyUsage])] : []),
    ...(options.altNames ? [new x509.SubjectAlternativeNameExtension([...options.altNames])] : []),
    ...(options.crls ? [new x509.CRLDistributionPointsExtension([...options.crls])] : []),
    ...(options.extensions ?? []).map(
      ({ oid, critical, value }) => new x509.Extension(oid, critical, new Uint8Array(value)),
    ),
  ]
}

function encodeName(name: AltName): Uint8Array {
  return new Uint8Array(new x509.GeneralName(name.type, name.value).rawData)
}

async function toMinted(der: Uint8Array<ArrayBuffer>, subject: string, keys: CryptoKeyPair): Promise<Minted> {
  const isRsa = keys.publicKey.algorithm.name === RSA.name
  const privateJwk = isRsa ? {} : ((await crypto.subtle.exportKey('jwk', keys.privateKey)) as JsonWebKey)
  const { d: _, key_ops: __, ext: ___, ...publicJwk } = privateJwk as JsonWebKey
  return withDer(
    { der, pem: '', x5c: '', subject, keys, publicJwk, privateJwk: privateJwk as JsonWebKey },
    der,
  )
}
