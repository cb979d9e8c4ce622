// Creates the verifier's identity for local use: a certificate authority and a leaf for the host of BASE_URL.
// HAIP 1.0 §5: the leaf is not self-signed, and the chain does not contain the trust anchor.

import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { keep, writePrivately } from './state.mjs'

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY = 86_400_000

/** Returns the file of the leaf for a host. */
export function verifierFile(directory, host) {
  return join(directory, 'keys', `verifier-${host.replace(/[^a-z0-9.-]/gi, '_')}.json`)
}

/**
 * Stores `verifier-ca.pem` and a leaf for each host under the state directory.
 * Returns VERIFIER_SIGNING_JWK and VERIFIER_CERTIFICATE_CHAIN_PEM as src/config.ts reads them.
 */
export async function keepVerifier(directory, host) {
  const authority = await keepAuthority(directory)
  const file = verifierFile(directory, host)
  const text = await keep(
    file,
    () => mintLeaf(authority, host),
    (kept) => isGoodLeaf(kept, authority),
  )
  const { signing_jwk, certificate_chain_pem } = JSON.parse(text)
  return {
    VERIFIER_SIGNING_JWK: JSON.stringify(signing_jwk),
    VERIFIER_CERTIFICATE_CHAIN_PEM: certificate_chain_pem,
  }
}

async function keepAuthority(directory) {
  const authority = JSON.parse(await keep(join(directory, 'keys', 'verifier-ca.json'), mintAuthority))
  writePrivately(join(directory, 'verifier-ca.pem'), authority.certificate_pem)
  return authority
}

function isGoodLeaf(text, authority) {
  const leaf = new X509Certificate(JSON.parse(text).certificate_chain_pem)
  const issuer = new X509Certificate(authority.certificate_pem)
  return leaf.verify(issuer.publicKey) && Date.parse(leaf.validTo) - Date.now() > 30 * DAY
}

async function mintAuthority() {
  const x509 = await loadX509()
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Local verifier authority',
    keys,
    signingAlgorithm: P256,
    ...validity(3650),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return JSON.stringify({
    key_pem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
    certificate_pem: `${certificate.toString('pem')}\n`,
  })
}

async function mintLeaf(authority, host) {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(authority.certificate_pem)
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(authority.key_pem),
    P256,
    false,
    ['sign'],
  )
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    // Some wallets require such a subject of an access certificate (docs/wallets.md). ZZ is no country.
    subject: [
      { C: ['ZZ'] },
      { O: ['Local verifier'] },
      { '2.5.4.97': ['NTRZZ-0'] },
      { CN: ['Local verifier'] },
    ],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: P256,
    ...validity(365),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.SubjectAlternativeNameExtension(subjectNames(host)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', keys.privateKey)
  return JSON.stringify({
    signing_jwk: { kty, crv, x, y, d },
    certificate_chain_pem: `${certificate.toString('pem')}\n`,
  })
}

/** Returns a DNS name, or the address of an IP host, for which `x509_san_dns` cannot be used. */
function subjectNames(host) {
  const address = host.replace(/^\[|\]$/g, '')
  return [isIP(address) ? { type: 'ip', value: address } : { type: 'dns', value: host }]
}

function validity(days) {
  const now = Date.now()
  return { notBefore: new Date(now - 60_000), notAfter: new Date(now + days * DAY) }
}

/**
 * The library is loaded only if a certificate must be created, because loading takes longer than the rest of
 * the start.
 */
export async function loadX509() {
  // The library requires the metadata polyfill, and uses only these three functions of it.
  Object.assign(Reflect, { getMetadata() {}, getOwnMetadata() {}, defineMetadata() {} })
  return import('@peculiar/x509')
}
