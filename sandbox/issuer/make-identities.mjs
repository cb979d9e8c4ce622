// Creates new keys and certificates of the sandbox issuer (docs/decisions/sandbox.md). The keys are public:
// they are committed, and anyone may issue credentials that test mode accepts. Run by hand, only when a
// certified fact changes.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

// The library requires the metadata polyfill, and uses only these three functions of it.
Object.assign(Reflect, { getMetadata() {}, getOwnMetadata() {}, defineMetadata() {} })
const x509 = await import('@peculiar/x509')

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const ORIGIN = 'https://sandbox.invalid'
const ROOT_NAME = 'C=UT,CN=Sandbox'
const MDOC_SIGNER = '1.0.18013.5.1.2'
const TLS_SERVER = '1.3.6.1.5.5.7.3.1'
const FROM = new Date('2025-01-01T00:00:00Z')
const UNTIL = new Date('2055-01-01T00:00:00Z')

const root = await mintRoot(ROOT_NAME)
const stranger = await mintRoot('C=UT,O=Sandbox,CN=Unknown root')
const namesake = { ...stranger, name: ROOT_NAME }

const identities = {
  good: await mintLeaf(root),
  expired: await mintLeaf(root, { notAfter: new Date('2025-02-01T00:00:00Z') }),
  not_yet_valid: await mintLeaf(root, { notBefore: new Date('2054-12-01T00:00:00Z') }),
  wrong_purpose: await mintLeaf(root, { purpose: TLS_SERVER }),
  revoked: await mintLeaf(root, { serialNumber: '0bad', crl: `${ORIGIN}/crl/revoked` }),
  crl_unavailable: await mintLeaf(root, { crl: `${ORIGIN}/crl/unavailable` }),
  unknown_root: await mintLeaf(stranger),
  signed_by_a_namesake: await mintLeaf(namesake),
  self_signed: await mintSelfSigned(),
}
const list = await x509.X509CrlGenerator.create({
  issuer: ROOT_NAME,
  thisUpdate: FROM,
  nextUpdate: UNTIL,
  entries: [{ serialNumber: '0bad', revocationDate: FROM, reason: x509.X509CrlReason.keyCompromise }],
  signingAlgorithm: P256,
  signingKey: root.keys.privateKey,
})

write('src/trust/anchors/sandbox-root.json', { x509_ca_pem: root.certificate.toString('pem') })
const rootKey = await crypto.subtle.exportKey('jwk', root.keys.publicKey)
const keys = [rootKey, ...Object.values(identities).map(({ jwk }) => jwk)]
write(
  'src/trust/anchors/sandbox-keys.json',
  keys.map(({ x }) => x),
)
write('assets/sandbox/identities.json', {
  root: base64(root.certificate.rawData),
  crl: base64(list.rawData),
  identities,
})

/** Creates a root without optional extensions: the verifier contains this certificate. */
async function mintRoot(name) {
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name,
    keys,
    signingAlgorithm: P256,
    notBefore: FROM,
    notAfter: UNTIL,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  })
  return { name, keys, certificate }
}

async function mintLeaf(issuer, changes = {}) {
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: changes.serialNumber ?? '02',
    subject: 'C=UT,O=Sandbox,CN=Sandbox issuer',
    issuer: issuer.name,
    publicKey: keys.publicKey,
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: P256,
    notBefore: changes.notBefore ?? FROM,
    notAfter: changes.notAfter ?? UNTIL,
    extensions: await leafExtensions(keys, issuer.keys, changes),
  })
  return identity(keys, certificate)
}

async function mintSelfSigned() {
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '03',
    name: 'C=UT,O=Sandbox,CN=Sandbox issuer',
    keys,
    signingAlgorithm: P256,
    notBefore: FROM,
    notAfter: UNTIL,
    extensions: await leafExtensions(keys, keys, {}),
  })
  return identity(keys, certificate)
}

async function leafExtensions(keys, issuerKeys, { purpose = MDOC_SIGNER, crl }) {
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([purpose], true),
    new x509.SubjectAlternativeNameExtension([{ type: 'url', value: ORIGIN }]),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(issuerKeys.publicKey),
    ...(crl === undefined ? [] : [new x509.CRLDistributionPointsExtension([crl])]),
  ]
}

async function identity(keys, certificate) {
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', keys.privateKey)
  return { jwk: { kty, crv, x, y, d }, certificate: base64(certificate.rawData) }
}

function base64(bytes) {
  return Buffer.from(bytes).toString('base64')
}

function write(path, value) {
  writeFileSync(join(ROOT, path), `${JSON.stringify(value, null, 2)}\n`)
}
