// The rules about the verifier (R17–R21): the Client Identifier, and its proof in the JOSE header.

import { createHash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { areUnique, isSubset, type Loose, type Opened, type Rule } from './request-rules.ts'

const B64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The header parameter that goes with a prefix (§5.9.3). */
const PROOFS: Readonly<Record<string, string>> = {
  x509_hash: 'x5c',
  x509_san_dns: 'x5c',
  decentralized_identifier: 'kid',
  verifier_attestation: 'jwt',
}

export const IDENTITY_RULES: readonly Rule[] = [
  [
    'R17',
    'client_id has a prefix of signed requests (§5.9.3)',
    ({ claims }) => claims.client_id.split(':')[0] in PROOFS,
    ['openid4vp-1.0', 'haip-1.0'],
  ],
  [
    'R17',
    'the header has alg, typ and what proves the client_id, and nothing else but a time beside a registration and a kid beside iss (§5.9.3)',
    ({ header: { iat, ...header }, claims }) =>
      proofOf(claims) in header &&
      isSubset(Object.keys(header), ['alg', 'typ', proofOf(claims), ...('iss' in claims ? ['kid'] : [])]) &&
      iat === (claims.verifier_info === undefined ? undefined : claims.iat),
  ],
  [
    'R17',
    'beside iss, kid is the thumbprint of the key (RFC 7638)',
    ({ header: { kid }, claims, signingJwk: { crv, kty, x, y } = {} }) =>
      !('iss' in claims) ||
      kid === createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url'),
  ],
  [
    'E1',
    'verifier_info is a list of format and data, text or object, one of each format (§5.1)',
    ({ claims: { verifier_info: info } }) => info === undefined || isVerifierInfo(info),
  ],
  ['R17', 'x509_san_dns is a dNSName of the leaf and the host of both URIs (§5.9.3)', holdsSanDns],
  [
    'R18',
    'x509_hash is the SHA-256 of the leaf (§5.9.3)',
    ({ claims, chain }) =>
      !claims.client_id.startsWith('x509_hash:') ||
      claims.client_id === `x509_hash:${createHash('sha256').update(chain[0]!.raw).digest('base64url')}`,
  ],
  ['R19', 'x5c is standard base64, in order, without an anchor or a self-signed leaf (HAIP §5)', holdsChain],
  ['R20', 'the document of the DID has the key that kid names, and nothing private (§5.9.3)', holdsDid],
  [
    'R21',
    'the attestation is typed, runs, and is about this client, key and response_uri (§12)',
    holdsAttestation,
  ],
]

/** Without a prefix, as in draft 18, a certificate is the proof. */
function proofOf({ client_id }: Loose): string {
  return PROOFS[client_id.split(':')[0]] ?? 'x5c'
}

function holdsSanDns({ claims, outer, chain }: Opened): boolean {
  if (!claims.client_id.startsWith('x509_san_dns:')) return true
  const host = claims.client_id.slice('x509_san_dns:'.length)
  const names = (chain[0]!.subjectAltName ?? '').split(', ')
  const uris = [claims.response_uri, outer.get('request_uri')]
  return names.includes(`DNS:${host}`) && uris.every((uri) => new URL(uri!).hostname === host)
}

function holdsChain({ header, claims, chain }: Opened): boolean {
  if (proofOf(claims) !== 'x5c') return true
  const ordered = chain.every((certificate, index) => {
    const issuer = chain[index + 1]
    return issuer === undefined || (certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
  })
  const noneSelfSigned = chain.every((certificate) => certificate.subject !== certificate.issuer)
  return chain.length > 0 && header.x5c.every((der: string) => B64.test(der)) && ordered && noneSelfSigned
}

function holdsDid({ header, claims, didDocument }: Opened): boolean {
  if (proofOf(claims) !== 'kid') return true
  const did = claims.client_id.slice('decentralized_identifier:'.length)
  const { id, verificationMethod, authentication } = didDocument!
  const named = verificationMethod.map((method) => method.id)
  return (
    id === did &&
    header.kid.startsWith(`${did}#`) &&
    named.includes(header.kid) &&
    authentication.includes(header.kid) &&
    areUnique(named) &&
    verificationMethod.every(({ controller, publicKeyJwk }) => controller === did && !('d' in publicKeyJwk))
  )
}

function holdsAttestation({ header, claims, signingJwk, now }: Opened): boolean {
  if (proofOf(claims) !== 'jwt') return true
  const { client_id, response_uri } = claims
  const { sub, iss, exp, nbf = now, cnf, redirect_uris = [response_uri] } = decodeJwt<Loose>(header.jwt)
  return (
    decodeProtectedHeader(header.jwt).typ === 'verifier-attestation+jwt' &&
    typeof iss === 'string' &&
    client_id === `verifier_attestation:${sub}` &&
    exp > now &&
    nbf <= now &&
    cnf.jwk.x === signingJwk!.x &&
    !('d' in cnf.jwk) &&
    redirect_uris.includes(response_uri)
  )
}

function isVerifierInfo(info: readonly Loose[]): boolean {
  const entries = info.every(
    ({ format, data, ...rest }) =>
      typeof format === 'string' &&
      ['string', 'object'].includes(typeof data) &&
      isSubset(Object.keys(rest), []),
  )
  return entries && info.length > 0 && new Set(info.map(({ format }) => format)).size === info.length
}
