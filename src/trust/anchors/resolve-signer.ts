// Resolution of the keys that may have made a signature. Only our own anchors decide. The anchor chooses the
// mechanism, never the token. An `iss` with an anchor of its own is verified by that anchor, whatever chain
// is sent and however the issuer is spelt.

import { encodeBase64url } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { ISSUER_NAME } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { resolveDidKeys } from '../did/did.ts'
import { fitsAlgorithm, selectKeys } from '../key-set.ts'
import type { TrustRefusal } from '../refusal.ts'
import type { Certificate } from '../x509/certificate.ts'
import { cacheCertificates } from '../x509/certificate-cache.ts'
import {
  type CertificateChain,
  checkValidityPeriod,
  decodeCertificateChain,
  verifyCertificatePath,
} from '../x509/certificate-path.ts'
import { formatDistinguishedName } from '../x509/distinguished-name.ts'
import { anchorCertificates } from '../x509/pem-certificates.ts'
import { subjectKeyJwk } from '../x509/subject-key.ts'
import type { TrustAnchor } from './anchor.ts'
import { resolveMetadataKeys } from './issuer-metadata.ts'
import { canonicalIssuer, normalizeIssuer } from './issuer-name.ts'
import { isOfSandbox, isSandboxIssuer, isSandboxKey } from './sandbox-anchor.ts'
import type { SignerClaims, TrustContext, TrustedSigner } from './signer.ts'

/**
 * Finds the keys that may have made a signature, and the anchor that trusts them. A chain has one signer, by
 * the first anchor of the relying party's list that trusts it. An anchored `iss` may have several anchors,
 * each with its own keys. Only issuer metadata that an anchor names is fetched.
 */
export async function resolveSigner(
  claims: SignerClaims,
  context: TrustContext,
): Promise<Result<readonly TrustedSigner[], TrustRefusal>> {
  const anchors = anchorsForPurpose(context)
  const applicable = applicableAnchors(context)
  const { iss, chain } = claims
  if (iss !== undefined && iss.length > ISSUER_NAME.characters) return err({ reason: 'untrusted_issuer' })
  // api/trust: an `iss` with an anchor of its own is verified by that anchor alone. This holds also if the
  // anchor does not cover the type. If a chain were accepted instead, the presenter would choose the
  // mechanism (SD-JWT VC §2.5). Another spelling of the issuer selects no key, so it is refused.
  if (iss !== undefined && hasOwnAnchor(iss, anchors)) {
    return resolveAnchoredIssuer(iss, claims, { ...context, anchors: applicable })
  }
  return chain === undefined
    ? err({ reason: 'untrusted_issuer' })
    : resolveChain(chain, claims, { ...context, anchors: applicable })
}

/** Returns the anchors that may vouch for a type. */
export function applicableAnchors(
  context: Pick<TrustContext, 'anchors' | 'credentialType' | 'purpose' | 'acceptsAnchor'>,
): readonly TrustAnchor[] {
  const { acceptsAnchor = () => true, credentialType } = context
  // The protocol's rule comes last: an anchor that it does not accept still has its issuer and its types.
  return anchorsForType(anchorsForPurpose(context), credentialType).filter(acceptsAnchor)
}

function anchorsForPurpose({
  anchors,
  purpose,
}: Pick<TrustContext, 'anchors' | 'purpose'>): readonly TrustAnchor[] {
  return anchors.filter((anchor) => (anchor.purpose ?? ['issuer']).includes(purpose))
}

function hasOwnAnchor(iss: string, anchors: readonly TrustAnchor[]): boolean {
  const name = normalizeIssuer(iss)
  return anchors
    .map(anchoredIssuer)
    .some((issuer) => issuer !== undefined && normalizeIssuer(issuer) === name)
}

/** api/trust: `*` covers types that the relying party added, and only types that no anchor names. */
function anchorsForType(
  anchors: readonly TrustAnchor[],
  type: TrustContext['credentialType'],
): readonly TrustAnchor[] {
  const exact = anchors.filter((anchor) => anchor.credential_types.includes(type.name))
  if (exact.length > 0 || type.builtIn) return exact
  return anchors.filter((anchor) => anchor.credential_types.includes('*'))
}

/** The issuer of an anchor. A certification authority has no single issuer. */
export function anchoredIssuer(anchor: TrustAnchor): string | undefined {
  if ('issuer' in anchor) return anchor.issuer
  if ('issuer_url' in anchor) return anchor.issuer_url
  return 'did' in anchor ? anchor.did : undefined
}

async function resolveAnchoredIssuer(
  iss: string,
  claims: SignerClaims,
  context: TrustContext,
): Promise<Result<readonly TrustedSigner[], TrustRefusal>> {
  if (!context.acceptsSandbox && isSandboxIssuer(iss)) return err({ reason: 'untrusted_issuer' })
  const signers: TrustedSigner[] = []
  let refusal: TrustRefusal = { reason: 'untrusted_issuer' }
  for (const anchor of context.anchors) {
    if (anchoredIssuer(anchor) !== iss) continue
    const keys = await anchoredKeys(iss, anchor, claims, context)
    if (keys.ok && keys.value.length > 0)
      signers.push({ ...NO_CERTIFICATES, keys: keys.value, issuer: iss, anchor: describeAnchor(anchor) })
    else refusal = keys.ok ? { reason: 'issuer_key_not_found' } : keys.error
    if (signers.length === ANCHORS_TRIED) break
  }
  return signers.length > 0 ? ok(signers) : err(refusal)
}

/** The keys of an anchor with one issuer. Refuses keys of the sandbox in live mode. */
async function anchoredKeys(
  iss: string,
  anchor: TrustAnchor,
  claims: SignerClaims,
  context: TrustContext,
): Promise<Result<readonly PublicJwk[], TrustRefusal>> {
  const keys = await publishedKeys(iss, anchor, claims, context)
  const isRefused = keys.ok && !context.acceptsSandbox && keys.value.some(isSandboxKey)
  return isRefused ? err({ reason: 'untrusted_issuer' }) : keys
}

/** The keys of an anchor, by its mechanism. */
async function publishedKeys(
  iss: string,
  anchor: TrustAnchor,
  claims: SignerClaims,
  context: TrustContext,
): Promise<Result<readonly PublicJwk[], TrustRefusal>> {
  if ('jwks' in anchor) return ok(selectKeys(anchor.jwks.keys, claims))
  if (!('did' in anchor)) return resolveMetadataKeys(iss, claims, context)
  const keys = await resolveDidKeys(iss, 'assertionMethod', claims, context)
  return keys.ok ? keys : err({ reason: `issuer_metadata_${keys.error}` })
}

const NO_CERTIFICATES = { authorityKeyIdentifiers: [], path: [] } as const

/**
 * Most anchors of one issuer whose keys are tried for one signature: an old and a new anchor, or an anchor
 * for each level.
 */
const ANCHORS_TRIED = 4

async function resolveChain(
  encoded: readonly Uint8Array<ArrayBuffer>[],
  claims: SignerClaims,
  context: TrustContext,
): Promise<Result<readonly TrustedSigner[], TrustRefusal>> {
  const chain = decodeCertificateChain(encoded)
  if (!chain.ok) return chain
  const decision = await findTrustingAnchor(chain.value, context)
  if (!decision.ok) return decision
  const { anchor, verified, path } = decision.value
  const isRefused = !context.acceptsSandbox && [...verified, ...path].some(isOfSandbox)
  if (isRefused) return err({ reason: 'untrusted_issuer' })
  cacheCertificates(verified)
  const [leaf] = chain.value
  const key = leaf.subjectKey && subjectKeyJwk(leaf.subjectKey)
  if (key === undefined || !fitsAlgorithm(key, claims.algorithm))
    return err({ reason: 'issuer_key_not_found' })
  return ok([
    {
      keys: [key],
      issuer: provenIssuer(claims.iss, leaf),
      anchor: describeAnchor(anchor),
      authorityKeyIdentifiers: verified.flatMap(authorityKeyIdentifier),
      path,
    },
  ])
}

/**
 * The anchor that trusts a chain, and the certificates it trusts: beside a pinned leaf all other certificates
 * are unverified.
 */
async function findTrustingAnchor(
  chain: CertificateChain,
  { anchors, now, acceptsAnchorInChain, requiresKeyUsage, usageIfRestricted }: TrustContext,
) {
  const [leaf] = chain
  const pinned = anchors.find((anchor) => isPinned(leaf, anchor))
  if (pinned !== undefined) {
    const refusal = checkValidityPeriod(leaf, now)
    return refusal === undefined ? ok({ anchor: pinned, verified: [leaf], path: [] }) : err(refusal)
  }
  const authorities = anchors.flatMap((anchor) => {
    if (!('x509_ca_pem' in anchor)) return []
    const certificates = anchorCertificates(anchor.x509_ca_pem)
    const demand = {
      extendedKeyUsage: anchor.eku,
      usageIfRestricted: anchor.eku === undefined ? usageIfRestricted : undefined,
      acceptsAnyKeyUsage: !requiresKeyUsage,
    }
    return certificates.map((certificate) => ({ certificate, ...demand, anchor }))
  })
  const found = await verifyCertificatePath(chain, authorities, now, { acceptsAnchorInChain })
  if (!found.ok) return found
  const { authority, verified } = found.value
  return ok({ anchor: authority.anchor, verified, path: [...verified, authority.certificate] })
}

/** api/trust: the whole certificate is compared byte for byte. Only its dates are checked. */
function isPinned(leaf: Certificate, anchor: TrustAnchor): boolean {
  if (!('x509_certificate_pem' in anchor)) return false
  const [pinned] = anchorCertificates(anchor.x509_certificate_pem)
  return pinned !== undefined && equalBytes(pinned.encoded, leaf.encoded)
}

/**
 * api/trust: an `iss` beside a chain is reported only if the leaf contains it. Otherwise the leaf's subject
 * is reported.
 */
function provenIssuer(iss: string | undefined, leaf: Certificate): string | null {
  // Other spellings are not compared: two readers could see two issuers in them.
  const url = iss === undefined ? undefined : canonicalIssuer(iss)
  if (iss === undefined || url === undefined) return formatDistinguishedName(leaf.subject)
  // SD-JWT VC §2.2.2.2: a host proves an https URL without a query.
  const host = url.protocol === 'https:' && url.search === '' ? url.hostname : undefined
  const carriesIt = leaf.extensions.subjectAltNames.some(
    (name) =>
      (name.form === 'uri' && name.value === iss) ||
      (name.form === 'dns' && host !== undefined && name.value.toLowerCase() === host),
  )
  return carriesIt ? iss : formatDistinguishedName(leaf.subject)
}

/** base64url, as in OpenID4VP 1.0 §6.1.1.1. */
function authorityKeyIdentifier({ extensions }: Certificate): readonly string[] {
  const { authorityKeyIdentifier: identifier } = extensions
  return identifier === undefined ? [] : [encodeBase64url(identifier)]
}

function describeAnchor({ name, assurance_level, list, listUrl }: TrustAnchor): TrustedSigner['anchor'] {
  return { name, assurance_level, ...(list && { list }), ...(listUrl && { listUrl }) }
}
