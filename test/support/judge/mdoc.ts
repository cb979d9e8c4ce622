import { createHash, createPublicKey, type JsonWebKey, verify, X509Certificate } from 'node:crypto'
import { CoseKey, DeviceResponse, type MdocContext, Verifier } from '@owf/mdoc'
import type { Anchor, Asked } from './judge.ts'
import { SKEW, verifyPath } from './trust.ts'

/** Throws the library's error unless @owf/mdoc accepts the presentation. */
export async function judgeMdoc(presentation: string, asked: Asked): Promise<void> {
  const deviceResponse = DeviceResponse.fromEncodedForOid4Vp(presentation)
  const { documents = [] } = deviceResponse
  if (documents.length === 0) throw new Error('no document')
  const anchors = asked.trusted(documents.map(({ docType }) => docType))
  await Verifier.verifyDeviceResponse(
    {
      deviceResponse,
      sessionTranscript: await asked.transcript(),
      trustedCertificates: certificatesOf(anchors),
      now: new Date(asked.now * 1000),
      skewSeconds: SKEW,
    },
    contextFor(anchors, asked.now),
  )
}

function certificatesOf(anchors: readonly Anchor[]): Uint8Array[] {
  return anchors.flatMap(({ x509_ca_pem, x509_certificate_pem }) => {
    const pem = x509_ca_pem ?? x509_certificate_pem
    return pem === undefined ? [] : [new Uint8Array(new X509Certificate(pem).raw)]
  })
}

const ALGORITHMS: Readonly<Record<string, readonly [hash: string | null, curve: string]>> = {
  ES256: ['sha256', 'P-256'],
  ES384: ['sha384', 'P-384'],
  ES512: ['sha512', 'P-521'],
  EdDSA: [null, 'Ed25519'],
}

/** The library's own names of two curves. */
const NAMES: Readonly<Record<string, string>> = { 'P-384': 'p-384', 'P-521': 'p-521' }
const fixed = (curve: string) => curve.replace(/^p/, 'P')

/** The functions of the library for cryptography and certificates, implemented with node:crypto. */
function contextFor(anchors: readonly Anchor[], now: number): MdocContext {
  return {
    crypto: {
      random: unused,
      digest: ({ digestAlgorithm, bytes }) =>
        createHash(digestAlgorithm.replace('-', '')).update(bytes).digest(),
      calculateEphemeralMacKey: unused,
    },
    cose: {
      sign1: {
        sign: unused,
        verify: ({ key, sign1 }) => {
          const [name, curve] = ALGORITHMS[sign1.signatureAlgorithmName] ?? []
          const { kty, crv = '', x, y } = key.jwk as JsonWebKey
          if (name === undefined || fixed(crv) !== curve)
            throw new Error('the algorithm does not fit the key')
          const jwk = { kty, crv: curve, x, ...(y !== undefined && { y }) } as JsonWebKey
          const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
          const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
          return verify(name, sign1.toBeSigned, options, sign1.signature)
        },
      },
      mac0: { sign: unused, verify: unused },
    },
    x509: {
      getIssuerNameField: ({ certificate, field }) => nameField(new X509Certificate(certificate), field),
      getPublicKey: ({ certificate, alg }) => {
        const jwk = new X509Certificate(certificate).publicKey.export({ format: 'jwk' })
        return CoseKey.fromJwk({ ...jwk, crv: NAMES[jwk.crv ?? ''] ?? jwk.crv, alg })
      },
      verifyCertificateChain: ({ x5chain }) => void verifyPath(x5chain, anchors, now),
      getCertificateData: ({ certificate }) => dataOf(new X509Certificate(certificate)),
    },
  }
}

function nameField({ issuer }: X509Certificate, field: string): string[] {
  return issuer
    .split('\n')
    .flatMap((part) => (part.startsWith(`${field}=`) ? [part.slice(field.length + 1)] : []))
}

function dataOf(certificate: X509Certificate) {
  return {
    issuerName: certificate.issuer,
    subjectName: certificate.subject,
    serialNumber: certificate.serialNumber,
    thumbprint: certificate.fingerprint256,
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
    pem: '',
  }
}

function unused(): never {
  throw new Error('a verifier does not need this')
}
