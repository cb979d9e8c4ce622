// Resolution of the key that signed a request, in this wallet (OpenID4VP 1.0 §5.9.3). The key comes from a
// certificate chain, or from a fetched DID document. `jose` and node's own X.509 do the cryptography, without
// code of the service.

import { X509Certificate } from 'node:crypto'
import type { CallbackContext } from '@openid4vc/oauth2'
import {
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  importX509,
  type JWK,
  jwtVerify,
} from 'jose'

/** Trust settings of the wallet. */
export type VerifierTrust = {
  /** The authority (PEM) whose verifier certificates are trusted. */
  readonly verifierCa: string
  readonly fetch: (url: string) => Promise<Response>
  /** Issuers of trusted Verifier Attestations; none by default. */
  readonly attestationIssuer?: AttestationIssuer
}

export type AttestationIssuer = { readonly iss: string; readonly publicJwk: JWK }

export type DidDocument = {
  readonly id: string
  readonly verificationMethod: readonly {
    readonly id: string
    readonly type: string
    readonly controller: string
    readonly publicKeyJwk: JWK
  }[]
  readonly authentication: readonly string[]
  readonly assertionMethod: readonly string[]
}

type VerifyJwt = CallbackContext['verifyJwt']
type Verified = Awaited<ReturnType<VerifyJwt>>

/** Verifies a signed request. */
export function requestVerifier(trust: VerifierTrust): VerifyJwt {
  return async (signer, { compact }) => {
    if (signer.method === 'x5c') {
      return verifyWithChain(compact, signer.x5c, new X509Certificate(trust.verifierCa))
    }
    return signer.method === 'did'
      ? verifyWithDid(compact, signer.didUrl, trust)
      : verifyWithAttestation(compact, trust)
  }
}

/**
 * §5.9.3, §12: the attestation has a trusted issuer, this client and this response_uri, and its key signed
 * the request.
 */
async function verifyWithAttestation(
  compact: string,
  { attestationIssuer }: VerifierTrust,
): Promise<Verified> {
  const { jwt } = decodeProtectedHeader(compact) as { jwt?: string }
  if (jwt === undefined || attestationIssuer === undefined) return { verified: false }
  const { iss, publicJwk } = attestationIssuer
  const request = decodeJwt<{ client_id: string; response_uri: string }>(compact)
  const subject = request.client_id.replace(/^verifier_attestation:/, '')
  const options = { issuer: iss, subject, typ: 'verifier-attestation+jwt', requiredClaims: ['exp', 'cnf'] }
  const attestation = await jwtVerify<{ cnf: { jwk: JWK }; redirect_uris?: readonly string[] }>(
    jwt,
    await importJWK(publicJwk, 'ES256'),
    options,
  )
  const { cnf, redirect_uris } = attestation.payload
  if (redirect_uris?.includes(request.response_uri) === false) return { verified: false }
  await compactVerify(compact, await importJWK(cnf.jwk, 'ES256'), { algorithms: ['ES256'] })
  return { verified: true, signerJwk: cnf.jwk as never }
}

/** Resolves a did:web (did:web §3.2). */
export async function resolveDidWeb(did: string, fetch: VerifierTrust['fetch']): Promise<DidDocument> {
  const [scheme, method, host = '', ...path] = did.split(':')
  if (scheme !== 'did' || method !== 'web') throw new Error(`not a did:web: ${did}`)
  const place = path.length === 0 ? '.well-known' : path.map(decodeURIComponent).join('/')
  const response = await fetch(`https://${decodeURIComponent(host)}/${place}/did.json`)
  if (response.status !== 200) throw new Error(`the DID document is HTTP ${response.status}`)
  const document = (await response.json()) as DidDocument
  if (document.id !== did) throw new Error(`the document of ${document.id} stands where ${did} has its own`)
  return document
}

async function verifyWithDid(compact: string, didUrl: string, { fetch }: VerifierTrust): Promise<Verified> {
  const [did = ''] = didUrl.split('#')
  const document = await resolveDidWeb(did, fetch)
  const method = document.verificationMethod.find(({ id, controller }) => id === didUrl && controller === did)
  if (method === undefined || !document.authentication.includes(didUrl)) return { verified: false }
  await compactVerify(compact, await importJWK(method.publicKeyJwk, 'ES256'), { algorithms: ['ES256'] })
  return { verified: true, signerJwk: method.publicKeyJwk as never }
}

async function verifyWithChain(
  compact: string,
  x5c: readonly string[],
  anchor: X509Certificate,
): Promise<Verified> {
  const path = [...x5c.map(readCertificate), anchor]
  const chained = path.every((certificate, index) => {
    const issuer = path[index + 1] ?? anchor
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  })
  if (!chained) return { verified: false }
  const leaf = path[0] ?? anchor
  await compactVerify(compact, await importX509(leaf.toString(), 'ES256'), { algorithms: ['ES256'] })
  return { verified: true, signerJwk: leaf.publicKey.export({ format: 'jwk' }) as never }
}

export function readCertificate(der: string): X509Certificate {
  return new X509Certificate(Buffer.from(der, 'base64'))
}
