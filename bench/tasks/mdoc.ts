// Verifies one mdoc with a device signature. The candidates are this project, @owf/mdoc, and signature checks
// and hashes of the platform alone. Each function throws if it does not accept the presentation.

import { X509Certificate } from 'node:crypto'
import { CoseKey, DeviceResponse, type MdocContext, SessionTranscript, Verifier } from '@owf/mdoc'
import { verifyMdoc } from '../../src/formats/mdoc/verify.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'

export type MdocInput = {
  readonly presentation: string
  readonly anchor: TrustAnchor
  readonly rootPem: string
  readonly nonce: string
  readonly audience: string
  readonly responseUri: string
  /** Unix seconds. */
  readonly now: number
  /** Number of ES256 verifications: MSO, device, and the signer's certificate. */
  readonly signatures: number
  /** Number of bytes of each item that is hashed. */
  readonly hashed: readonly number[]
}

export async function verifyMdocWithOurs(input: MdocInput): Promise<void> {
  const { nonce, audience, now, anchor, responseUri } = input
  const handover = { kind: 'redirect', responseUri, encryptionKey: null } as const
  const expected = { nonce, audience, holderBinding: true, requestedAt: now - 20, handover }
  const verified = await verifyMdoc(input.presentation, expected, {
    now,
    anchors: [anchor],
    typeOf: () => ({ name: 'mdl', builtIn: true }),
    fetchResource: () => Promise.reject(new Error('nothing is fetched')),
    trace: () => undefined,
  })
  if (!verified.ok) throw new Error(verified.error.reason)
}

/** Verifies as the library's own tests do, with the platform's cryptography. */
export async function verifyMdocWithLibrary(input: MdocInput): Promise<void> {
  const { audience: clientId, nonce, responseUri } = input
  const session = { clientId, nonce, responseUri }
  const sessionTranscript = await SessionTranscript.forOid4Vp(session, CONTEXT)
  await Verifier.verifyDeviceResponse(
    {
      deviceResponse: DeviceResponse.fromEncodedForOid4Vp(input.presentation),
      sessionTranscript,
      trustedCertificates: [new Uint8Array(new X509Certificate(input.rootPem).raw)],
      now: new Date(input.now * 1000),
      onCheck: ({ status, check }) => {
        if (status === 'FAILED') throw new Error(check)
      },
    },
    CONTEXT,
  )
}

/** Verifies signatures and hashes only. Keys are imported and inputs are decoded already. */
export async function verifyNothingButProofs(input: MdocInput): Promise<void> {
  const { key, signature, data } = await knownSignature()
  for (let i = 0; i < input.signatures; i++) {
    if (!(await crypto.subtle.verify(ES256, key, signature, data))) throw new Error('not verified')
  }
  for (const bytes of input.hashed) await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
}

type KnownSignature = { key: CryptoKey; signature: ArrayBuffer; data: Uint8Array<ArrayBuffer> }

let known: Promise<KnownSignature> | undefined

/** Returns a signature of an MSO of usual length, created once. */
function knownSignature(): Promise<KnownSignature> {
  known ??= (async () => {
    const data = new Uint8Array(600)
    const pair = (await crypto.subtle.generateKey(ES256_KEY, false, ['sign', 'verify'])) as CryptoKeyPair
    return { key: pair.publicKey, signature: await crypto.subtle.sign(ES256, pair.privateKey, data), data }
  })()
  return known
}

const ES256 = { name: 'ECDSA', hash: 'SHA-256' }
const ES256_KEY = { name: 'ECDSA', namedCurve: 'P-256' }

const CONTEXT: MdocContext = {
  crypto: {
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    digest: async ({ digestAlgorithm, bytes }) =>
      new Uint8Array(await crypto.subtle.digest(digestAlgorithm, new Uint8Array(bytes))),
    calculateEphemeralMacKey: unused,
  },
  cose: {
    sign1: {
      sign: unused,
      verify: async ({ key, sign1 }) => {
        const { kty, crv, x, y } = key.jwk
        const imported = await crypto.subtle.importKey(
          'jwk',
          { kty, crv, x, y } as JsonWebKey,
          ES256_KEY,
          false,
          ['verify'],
        )
        const [signature, data] = [new Uint8Array(sign1.signature), new Uint8Array(sign1.toBeSigned)]
        return crypto.subtle.verify(ES256, imported, signature, data)
      },
    },
    mac0: { sign: unused, verify: unused },
  },
  x509: {
    getIssuerNameField: ({ certificate, field }) =>
      new X509Certificate(certificate).issuer
        .split('\n')
        .flatMap((part) => (part.startsWith(`${field}=`) ? [part.slice(field.length + 1)] : [])),
    getPublicKey: ({ certificate, alg }) => {
      const jwk = new X509Certificate(certificate).publicKey.export({ format: 'jwk' })
      return CoseKey.fromJwk({ ...jwk, alg })
    },
    verifyCertificateChain: ({ trustedCertificates, x5chain, now }) => {
      const path = [...x5chain, ...trustedCertificates].map((der) => new X509Certificate(der))
      path.slice(0, -1).forEach((certificate, i) => {
        const issuer = path[i + 1] as X509Certificate
        const verifies = certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
        if (!verifies || Date.parse(certificate.validTo) < (now?.getTime() ?? 0)) throw new Error('no path')
      })
    },
    getCertificateData: ({ certificate }) => {
      const { issuer, subject, serialNumber, fingerprint256, validFrom, validTo } = new X509Certificate(
        certificate,
      )
      return {
        issuerName: issuer,
        subjectName: subject,
        serialNumber,
        thumbprint: fingerprint256,
        notBefore: new Date(validFrom),
        notAfter: new Date(validTo),
        pem: '',
      }
    },
  },
}

function unused(): never {
  throw new Error('not used here')
}
