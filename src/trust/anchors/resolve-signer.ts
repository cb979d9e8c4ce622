// Resolution of the keys that may have made a signature. Only our own anchors give trust. The anchor, not the
// token, decides which mechanism is used. If an anchor names the `iss` in any spelling, a chain in the token
// is ignored.

import { encodeBase64url } from '../../codec/base64url.ts'
import { equalBytes } from '../../codec/bytes.ts'
import { sha256 } from '../../crypto/digest.ts'
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
 * Finds the keys that may have made a signature, and the anchors that trust these keys. For a chain, the
 * result is one signer, with one anchor that trusts the chain. For an `iss` that anchors name, the result is
 * one signer for each of these anchors, with the keys of that anchor. Fetches only the issuer metadata and
 * DID documents that an anchor names.
 */
export async function resolveSigner(
  claims: SignerClaims,
  context: TrustContext,
): Promise<Result<readonly TrustedSigner[], TrustRefusal>> {
  const anchors = anchorsForPurpose(context)
  const applicable = applicableAnchors(context)
  const { iss, chain } = claims
  if (iss !== undefined && iss.length > ISSUER_NAME.characters) return err({ reason: 'untrusted_issuer' })
  // api/trust: if an anchor names the `iss`, only anchors that name the `iss` are used. This holds even if
  // none of these anchors covers the type. If a chain were accepted instead, the presenter could choose the
  // mechanism (SD-JWT VC §2.5). An `iss` that is spelled differently from the anchor's issuer selects no key,
  // and is rejected.
  if (iss !== undefined && hasOwnAnchor(iss, anchors)) {
    return resolveAnchoredIssuer(iss, claims, { ...context, anchors: applicable })
  }
  return chain === undefined
    ? err({ reason: 'untrusted_issuer' })
    : resolveChain(chain, claims, { ...context, anchors: applicable })
}

/** Returns the anchors that may be used for a credential type and purpose. */
export function applicableAnchors(
  context: Pick<TrustContext, 'anchors' | 'credentialType' | 'purpose' | 'acceptsAnchor'>,
): readonly TrustAnchor[] {
  const { acceptsAnchor = () => true, credentialType } = context
  // `acceptsAnchor` is applied last. So anchors for `*` are not used for a type that a rejected anchor names.
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

/**
 * Returns the anchors for a credential type. `*` covers a type only if the relying party added the type and
 * no anchor names the type (api/trust).
 */
function anchorsForType(
  anchors: readonly TrustAnchor[],
  type: TrustContext['credentialType'],
): readonly TrustAnchor[] {
  const exact = anchors.filter((anchor) => anchor.credential_types.includes(type.name))
  if (exact.length > 0 || type.builtIn) return exact
  return anchors.filter((anchor) => anchor.credential_types.includes('*'))
}

/** Returns the issuer that an anchor names; `undefined` for an anchor with certificates, which names none. */
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
      signers.push({
        ...NO_CERTIFICATES,
        keys: keys.value,
        issuer: iss,
        anchor: describeAnchor(anchor),
        subjectNamespace: namedNamespace(anchor) ?? `issuer:${iss}`,
      })
    else refusal = keys.ok ? { reason: 'issuer_key_not_found' } : keys.error
    if (signers.length === ANCHORS_TRIED) break
  }
  return signers.length > 0 ? ok(signers) : err(refusal)
}

/** Returns the keys of an anchor that names an issuer. In live mode the sandbox's keys are rejected. */
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

/** Returns the keys of an anchor: from its key set, its issuer metadata or its DID. */
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
 * Limit of the anchors of one issuer whose keys are tried for one signature. An issuer can have, for example,
 * an old and a new anchor, or one anchor for each assurance level.
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
  const { anchor, authority, verified, path } = decision.value
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
      subjectNamespace: namedNamespace(anchor) ?? (await keyNamespace(authority)),
      authorityKeyIdentifiers: verified.flatMap(authorityKeyIdentifier),
      path,
    },
  ])
}

function namedNamespace({ subject_namespace: name }: TrustAnchor): string | undefined {
  return name === undefined ? undefined : `name:${name}`
}

/** Returns a namespace for identifiers of persons. Certificates with the same key have the same namespace. */
async function keyNamespace({ subjectPublicKeyInfo }: Certificate): Promise<string> {
  return `key:${encodeBase64url(await sha256(subjectPublicKeyInfo))}`
}

/**
 * Returns the anchor that trusts a chain, the certificate of the anchor, and the verified certificates. If
 * the leaf is pinned, only the leaf is verified.
 */
async function findTrustingAnchor(
  chain: CertificateChain,
  { anchors, now, acceptsAnchorInChain, requiresKeyUsage, usageIfRestricted }: TrustContext,
) {
  const [leaf] = chain
  const pinned = anchors.find((anchor) => isPinned(leaf, anchor))
  if (pinned !== undefined) {
    const refusal = checkValidityPeriod(leaf, now)
    return refusal === undefined
      ? ok({ anchor: pinned, authority: leaf, verified: [leaf], path: [] })
      : err(refusal)
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
  const verifiedPath = await verifyCertificatePath(chain, authorities, now, { acceptsAnchorInChain })
  if (!verifiedPath.ok) return verifiedPath
  const { verified } = verifiedPath.value
  const { anchor, certificate: authority } = verifiedPath.value.authority
  return ok({ anchor, authority, verified, path: [...verified, authority] })
}

/** Returns whether an anchor pins the leaf. The whole certificate is compared byte for byte (api/trust). */
function isPinned(leaf: Certificate, anchor: TrustAnchor): boolean {
  if (!('x509_certificate_pem' in anchor)) return false
  const [pinned] = anchorCertificates(anchor.x509_certificate_pem)
  return pinned !== undefined && equalBytes(pinned.encoded, leaf.encoded)
}

/**
 * Returns the issuer to report (api/trust): the `iss` if a name in the leaf proves it, otherwise the subject
 * of the leaf. Returns `null` if the subject is empty or too long.
 */
function provenIssuer(iss: string | undefined, leaf: Certificate): string | null {
  // Only an `iss` in normal form is compared. Two programs could read any other spelling differently.
  const url = iss === undefined ? undefined : canonicalIssuer(iss)
  if (iss === undefined || url === undefined) return formatDistinguishedName(leaf.subject)
  // A DNS name in the leaf proves an https URL with this host and without a query (SD-JWT VC §2.2.2.2).
  const host = url.protocol === 'https:' && url.search === '' ? url.hostname : undefined
  const carriesIt = leaf.extensions.subjectAltNames.some(
    (name) =>
      (name.form === 'uri' && name.value === iss) ||
      (name.form === 'dns' && host !== undefined && name.value.toLowerCase() === host),
  )
  return carriesIt ? iss : formatDistinguishedName(leaf.subject)
}

/**
 * Returns the AuthorityKeyIdentifier in base64url (OpenID4VP 1.0 §6.1.1.1); an empty list if the certificate
 * has none.
 */
function authorityKeyIdentifier({ extensions }: Certificate): readonly string[] {
  const { authorityKeyIdentifier: identifier } = extensions
  return identifier === undefined ? [] : [encodeBase64url(identifier)]
}

function describeAnchor(anchor: TrustAnchor): TrustedSigner['anchor'] {
  const { name, assurance_level, list, service, listUrls } = anchor
  return {
    name,
    assurance_level,
    ...(list && { list }),
    ...(service && { service }),
    ...(listUrls && { listUrls }),
  }
}
