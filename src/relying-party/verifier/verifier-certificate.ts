// Validation of a relying party's own verifier identity when the settings are changed (OpenID4VP 1.0 §5.9.3,
// HAIP 1.0 §5). A wallet rejects a request with a wrong certificate, and does not inform the relying party.

import * as z from 'zod/mini'
import { utf8 } from '../../codec/bytes.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { ATTESTATION_ERRORS, parseVerifierAttestation } from '../../openid4vp/request/verifier-attestation.ts'
import type { CertificateRule } from '../../trust/refusal.ts'
import { type Certificate, isSelfIssued } from '../../trust/x509/certificate.ts'
import { checkValidityPeriod } from '../../trust/x509/certificate-path.ts'
import { findBrokenRule } from '../../trust/x509/certificate-profile.ts'
import { verifyCertificateSignature } from '../../trust/x509/certificate-signature.ts'
import { isSameName } from '../../trust/x509/distinguished-name.ts'
import {
  anchorCertificates,
  decodePemCertificates,
  findByLeaf,
  PEM_BEGINNING,
} from '../../trust/x509/pem-certificates.ts'
import { subjectKeyJwk } from '../../trust/x509/subject-key.ts'
import type { Sent, SigningIdentity } from '../document/settings.ts'
import { isExpiredRegistration, registeredUses, verifierRegistration } from './verifier-registration.ts'

/** Limits of a chain: its certificates, and the characters of its PEM. */
const MAXIMUM_CERTIFICATES = 5
const MAXIMUM_PEM = 20_000

/** Returns the schemas of the members of an identity. */
export function identityMembers() {
  return {
    signing_jwk: signingJwk,
    certificate_chain_pem: certificateChainPem,
    root_certificate_pem: certificateChainPem,
    attestation_jwt: z.string(),
    registration: verifierRegistration(),
    uses: registeredUses(),
  }
}

/** Facts with which an identity is compared. */
export type IdentityRules = {
  /** Unix milliseconds. */
  readonly now: number
  /** Identities whose private keys are stored: a change may leave these keys out. Absent: a creation. */
  readonly stored?: readonly StoredIdentity[]
}

/** Returns the required members of an identity, for the API description. Without `stored`, also its key. */
export function requiredMembers({ stored }: IdentityRules, others: readonly string[]) {
  return { required: stored === undefined ? ['signing_jwk', ...others] : others }
}

/** An identity as it is stored, apart from its private key. */
export type StoredIdentity = Omit<SigningIdentity, 'signing_jwk'>

type Context = Pick<z.core.$RefinementCtx, 'addIssue'>
type Chain = Sent<Pick<SigningIdentity, 'signing_jwk' | 'certificate_chain_pem'>>

/**
 * Checks that the members of an identity fit together. Asynchronous, because it verifies signatures. A root,
 * an attestation or a registration that is already stored for this identity is accepted even after its
 * expiry. Otherwise it would prevent a change of another identity.
 */
export async function checkIdentity(
  identity: Sent<SigningIdentity>,
  rules: IdentityRules,
  context: Context,
): Promise<void> {
  const { now } = rules
  const kept = findByLeaf(rules.stored ?? [], identity.certificate_chain_pem)
  const isValid = await checkChain(identity, rules, context)
  const root = isValid ? await rootError(identity, kept, now) : undefined
  if (root !== undefined) {
    context.addIssue({ code: 'custom', path: ['root_certificate_pem'], message: root })
  }
  const attestation = attestationError(identity, kept, now)
  if (attestation !== undefined) {
    context.addIssue({ code: 'custom', path: ['attestation_jwt'], message: attestation })
  }
  const known = kept ? registrationsOf(kept).map(({ certificate }) => certificate) : []
  for (const { certificate, path } of registrationsOf(identity)) {
    if (!known.includes(certificate) && isExpiredRegistration(certificate, now))
      context.addIssue({ code: 'custom', path, message: NOT_EXPIRED })
  }
}

const NOT_EXPIRED = 'must not have expired'

/** Returns the registration certificates of an identity, with their paths in it. */
function registrationsOf({ registration, uses = [] }: Pick<SigningIdentity, 'registration' | 'uses'>) {
  const own = registration ? [{ ...registration, path: ['registration', 'certificate'] }] : []
  return [...own, ...uses.map((use, i) => ({ ...use, path: ['uses', i, 'certificate'] }))]
}

/**
 * Checks a chain and its private key. The key may be left out if a stored identity has the same leaf
 * certificate. Returns true if the chain is valid. `usages`: extended key usages, of which the leaf must have
 * at least one.
 */
export async function checkChain(
  chain: Chain,
  rules: IdentityRules,
  context: Context,
  usages?: readonly string[],
): Promise<boolean> {
  const { signing_jwk, certificate_chain_pem } = chain
  if (signing_jwk === undefined && findByLeaf(rules.stored ?? [], certificate_chain_pem) === undefined) {
    const message = rules.stored === undefined ? 'This member is required.' : KEY_NOT_STORED
    context.addIssue({ code: 'custom', path: ['signing_jwk'], message, params: { code: 'required' } })
  }
  const error = await chainError(chain, rules, usages)
  if (error !== undefined) {
    context.addIssue({ code: 'custom', path: ['certificate_chain_pem'], message: error })
  }
  return error === undefined
}

const KEY_NOT_STORED =
  'is required, because no stored certificate of verifier equals the first certificate of this chain'

/** PEM text of one or more certificates. Only its length is checked here. */
export const certificateChainPem = z
  .string()
  .check(z.maxLength(MAXIMUM_PEM), z.meta({ pattern: PEM_BEGINNING.source }))

const coordinate = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/, 'must be base64url of 32 bytes'))

/** A private key (P-256). Members that only describe the key are checked and dropped. */
export const signingJwk = z
  .pipe(
    z.strictObject({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: coordinate,
      y: coordinate,
      d: coordinate,
      kid: z.optional(z.string().check(z.maxLength(200))),
      use: z.optional(z.literal('sig')),
      alg: z.optional(z.literal('ES256')),
      key_ops: z.optional(z.array(z.enum(['sign', 'verify'])).check(z.maxLength(2))),
      ext: z.optional(z.boolean()),
    }),
    z.transform(({ kty, crv, x, y, d }) => ({ kty, crv, x, y, d })),
  )
  .check(z.refine(isKeyPair, 'must be a P-256 key pair: d must be the private key of x and y'))

/**
 * Returns true if `d` belongs to `x` and `y`. Signs and verifies once, because an import does not compare
 * them.
 */
export async function isKeyPair(jwk: SigningIdentity['signing_jwk']): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const { d, ...publicJwk } = jwk
  try {
    const privateKey = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
    const publicKey = await crypto.subtle.importKey('jwk', publicJwk, algorithm, false, ['verify'])
    const probe = utf8('wallet-verifier/key-pair')
    const signature = await crypto.subtle.sign(algorithm, privateKey, probe)
    return await crypto.subtle.verify(algorithm, publicKey, signature, probe)
  } catch {
    return false // WebCrypto rejects keys that are not on the curve
  }
}

/**
 * Returns an error message about the chain; `undefined` if the chain is valid. A missing key is no error
 * here, because `checkChain` reports it.
 */
export async function chainError(
  { signing_jwk, certificate_chain_pem }: Chain,
  { now, stored = [] }: IdentityRules,
  usages?: readonly string[],
): Promise<string | undefined> {
  const chain = decodePemCertificates(certificate_chain_pem)
  const [leaf] = chain ?? []
  if (chain === undefined || leaf === undefined || chain.length > MAXIMUM_CERTIFICATES) {
    return `must be 1 to ${MAXIMUM_CERTIFICATES} PEM certificates, leaf first, and nothing else`
  }
  if (signing_jwk !== undefined && !isCertificateOf(leaf, signing_jwk))
    return 'must begin with the certificate of signing_jwk'
  // HAIP 1.0 §5: neither a self-signed leaf nor the trust anchor itself is sent.
  if (chain.some(isSelfIssued)) return 'must not contain a self-signed certificate: leave the root out'
  const rule = findBrokenRule([leaf, ...chain.slice(1)], { extendedKeyUsage: usages })
  if (rule === 'extended_key_usage' && usages !== undefined)
    return `must have the extended key usage ${usages} in the first certificate`
  // Without `usages`, the extended key usage is not checked. The issuer and the wallet's trust list decide if
  // a certificate for TLS only is allowed.
  if (rule !== undefined && rule !== 'extended_key_usage') return RULES[rule]
  // The dates of a stored chain are not checked again. A stored chain that has expired must not prevent the
  // change of another identity.
  const isStored =
    signing_jwk === undefined && stored.some((one) => one.certificate_chain_pem === certificate_chain_pem)
  const isOutdated = chain.some((one) => checkValidityPeriod(one, now / 1000) !== undefined)
  if (isOutdated && !isStored) {
    return 'must contain only certificates that are valid now'
  }
  const links = chain.slice(1).map((issuer, i) => isIssuedBy(chain[i], issuer))
  return (await Promise.all(links)).every(Boolean)
    ? undefined
    : 'must have each certificate issued by the next'
}

/** Returns an error message about the root of the chain; `undefined` if the root is valid or absent. */
async function rootError(
  { certificate_chain_pem, root_certificate_pem }: Sent<SigningIdentity>,
  kept: StoredIdentity | undefined,
  now: number,
): Promise<string | undefined> {
  if (root_certificate_pem === undefined) return undefined
  const [root, ...others] = decodePemCertificates(root_certificate_pem) ?? []
  const top = decodePemCertificates(certificate_chain_pem)?.at(-1)
  if (root === undefined || others.length > 0) return 'must be one PEM certificate, and nothing else'
  if (!(await isIssuedBy(root, root)) || !(await isIssuedBy(top, root))) {
    return 'must be the self-signed authority that issued the last certificate of certificate_chain_pem'
  }
  const isKept = root_certificate_pem === kept?.root_certificate_pem
  return isKept || checkValidityPeriod(root, now / 1000) === undefined ? undefined : 'must be valid now'
}

const RULES: Readonly<Record<Exclude<CertificateRule, 'extended_key_usage'>, string>> = {
  leaf_is_ca: 'must begin with a leaf, not with an authority',
  issuer_is_not_ca: 'must contain only authorities after the first certificate',
  path_length: 'must respect pathLenConstraint: an authority in it allows fewer certificates below it',
  key_usage:
    'must have the key usage digitalSignature in the first certificate, and keyCertSign in the others',
  name_constraints:
    'must respect nameConstraints: a certificate has a name that its authority may not certify',
  critical_extension: 'must not contain an unknown critical extension',
  chain_too_long: 'must have fewer certificates',
  weak_key_or_signature: 'must not contain a weak key or signature',
  issuing_country: 'must have an authority in the same country',
}

/**
 * Returns true if a dNSName of the leaf equals the host, as `x509_san_dns` requires (OpenID4VP 1.0 §5.9.3). A
 * wildcard does not match.
 */
export function namesHost(certificateChainPem: string, hostname: string): boolean {
  const [leaf] = anchorCertificates(certificateChainPem)
  const names = leaf?.extensions.subjectAltNames ?? []
  return names.some((name) => name.form === 'dns' && name.value.toLowerCase() === hostname)
}

/**
 * Returns an error message about the attestation; `undefined` if the attestation is absent or accepted. An
 * attestation that becomes valid later is accepted.
 */
function attestationError(
  { attestation_jwt, signing_jwk, certificate_chain_pem }: Sent<SigningIdentity>,
  kept: StoredIdentity | undefined,
  now: number,
): string | undefined {
  if (attestation_jwt === undefined) return undefined
  const key = signing_jwk ?? leafKey(certificate_chain_pem)
  if (key === undefined) return 'must have a certificate_chain_pem with the key of the attestation'
  const attestation = parseVerifierAttestation(attestation_jwt, key)
  if (!attestation.ok) return ATTESTATION_ERRORS[attestation.error]
  const isKept = attestation_jwt === kept?.attestation_jwt
  return !isKept && attestation.value.expiresAt <= now / 1000 ? NOT_EXPIRED : undefined
}

function leafKey(certificateChainPem: string): PublicJwk | undefined {
  const [leaf] = decodePemCertificates(certificateChainPem) ?? []
  return leaf?.subjectKey && subjectKeyJwk(leaf.subjectKey)
}

function isCertificateOf(leaf: Certificate, { crv, x, y }: SigningIdentity['signing_jwk']): boolean {
  const key = leaf.subjectKey && subjectKeyJwk(leaf.subjectKey)
  return key?.crv === crv && key.x === x && key.y === y
}

async function isIssuedBy(certificate: Certificate | undefined, issuer: Certificate): Promise<boolean> {
  if (certificate === undefined || !issuer.extensions.basicConstraints?.ca) return false
  if (!isSameName(certificate.issuer, issuer.subject)) return false
  return (await verifyCertificateSignature(certificate, issuer)) === 'valid'
}
