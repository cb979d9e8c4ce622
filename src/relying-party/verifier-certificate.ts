// A relying party's own verifier identity, judged when it is set: a wallet refuses a request whose certificate is wrong,
// and then it is too late to tell anybody (OpenID4VP 1.0 §5.9.3, HAIP 1.0 §5).

import { X509Certificate } from 'node:crypto'
import * as z from 'zod'
import { utf8 } from '../codec/bytes.ts'
import type { SigningIdentity } from './settings.ts'

/** Certificates of a chain at most, and characters of PEM. */
const MAXIMUM_CERTIFICATES = 5
const MAXIMUM_PEM = 20_000

/** `verifier` of the settings. Asynchronous: the key pair is tried out. `now` is Unix milliseconds. */
export function signingIdentity(now: number): z.ZodType<SigningIdentity> {
  const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be base64url of 32 bytes')
  return z
    .strictObject({
      signing_jwk: z
        .object({
          kty: z.literal('EC'),
          crv: z.literal('P-256'),
          x: coordinate,
          y: coordinate,
          d: coordinate,
        })
        .refine(isKeyPair, 'must be a P-256 key pair whose parts belong together'),
      certificate_chain_pem: z.string().max(MAXIMUM_PEM),
    })
    .superRefine((identity, context) => {
      const fault = chainFault(identity, now)
      if (fault !== undefined) {
        context.addIssue({ code: 'custom', path: ['certificate_chain_pem'], message: fault })
      }
    })
}

/** Signs and verifies once: importing alone does not tell whether `d` belongs to `x` and `y`. */
async function isKeyPair(jwk: SigningIdentity['signing_jwk']): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const { kty, crv, x, y, d } = jwk
  try {
    const privateKey = await crypto.subtle.importKey('jwk', { kty, crv, x, y, d }, algorithm, false, ['sign'])
    const publicKey = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm, false, ['verify'])
    const probe = utf8('wallet-verifier/key-pair')
    const signature = await crypto.subtle.sign(algorithm, privateKey, probe)
    return await crypto.subtle.verify(algorithm, publicKey, signature, probe)
  } catch {
    return false // WebCrypto refuses keys that are not on the curve
  }
}

/** What is wrong with the chain, as a sentence about it; `undefined` where nothing is. */
function chainFault(identity: SigningIdentity, now: number): string | undefined {
  const chain = parseChain(identity.certificate_chain_pem)
  const leaf = chain?.[0]
  if (chain === undefined || leaf === undefined) {
    return `must be 1 to ${MAXIMUM_CERTIFICATES} PEM certificates, leaf first, and nothing else`
  }
  if (!isPublicKeyOf(leaf, identity.signing_jwk)) return 'its first certificate is not for signing_jwk'
  if (leaf.ca) return 'its first certificate is a certification authority, not a leaf'
  // HAIP 1.0 §5: neither a self-signed leaf nor the trust anchor itself is sent.
  if (chain.some(isSelfSigned)) return 'a certificate in it is self-signed: leave the root out'
  if (chain.some((certificate) => !isValidAt(certificate, now))) {
    return 'a certificate in it has expired or is not valid yet'
  }
  const ordered = chain.every((certificate, i) => {
    const issuer = chain[i + 1]
    return issuer === undefined || isIssuedBy(certificate, issuer)
  })
  return ordered ? undefined : 'each certificate must be issued by the next one'
}

function parseChain(pem: string): readonly X509Certificate[] | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []
  const rest = blocks.reduce((text, block) => text.replace(block, ''), pem)
  if (blocks.length === 0 || blocks.length > MAXIMUM_CERTIFICATES || rest.trim() !== '') return undefined
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return undefined // not a certificate
  }
}

function isPublicKeyOf(certificate: X509Certificate, jwk: SigningIdentity['signing_jwk']): boolean {
  const key = certificate.publicKey.export({ format: 'jwk' })
  return key.crv === jwk.crv && key.x === jwk.x && key.y === jwk.y
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey)
}

function isValidAt(certificate: X509Certificate, now: number): boolean {
  return Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo)
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}
