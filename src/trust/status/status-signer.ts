// Verification of the signer of a status list. The credential's own anchor, or an anchor with the purpose
// `status` for the credential's type, must trust the signer (api/trust).

import type { PublicJwk } from '../../crypto/jwk.ts'
import { STATUS_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import type { TrustAnchor } from '../anchors/anchor.ts'
import { anchoredIssuer, resolveSigner } from '../anchors/resolve-signer.ts'
import type { TrustedSigner } from '../anchors/signer.ts'
import { NOT_CHECKED } from '../revocation/certificate-revocation.ts'
import type { CachedStatusToken } from './status-cache.ts'
import type { StatusContext } from './status-context.ts'
import type { StatusListError } from './status-token.ts'

/**
 * Verifies the token's signature with keys that the relying party's anchors trust. Trust is resolved at each
 * call, because each relying party has its own anchors. A signature is verified once for each key.
 */
export async function verifyStatusSigner(
  remembered: CachedStatusToken,
  context: StatusContext,
): Promise<Result<{ readonly isConfirmed: boolean }, StatusListError>> {
  const signers = await resolveSigners(remembered, context)
  if (signers.length === 0) return err('untrusted_signer')
  for (const { keys, path } of signers) {
    for (const key of keys) {
      if (await verifyOnce(remembered, key)) return checkSignerCertificates(path, context)
    }
  }
  return err('invalid_signature')
}

/**
 * Checks the revocation of the signer's certificates, if the setting is not `off`. A revoked signer is
 * rejected. A signer with unknown revocation is accepted only with `accept_unknown`.
 */
async function checkSignerCertificates(
  path: TrustedSigner['path'],
  { certificateRevocation = 'off', checkCertificates, ...source }: StatusContext,
): Promise<Result<{ readonly isConfirmed: boolean }, StatusListError>> {
  if (certificateRevocation === 'off') return ok({ isConfirmed: true })
  const { status } = (await checkCertificates?.(path, source)) ?? NOT_CHECKED
  if (status === 'revoked') return err('revoked_signer')
  const isConfirmed = status !== 'unavailable'
  return isConfirmed || certificateRevocation === 'accept_unknown'
    ? ok({ isConfirmed })
    : err('unconfirmed_signer')
}

async function verifyOnce(
  { token, verifications, share }: CachedStatusToken,
  key: PublicJwk,
): Promise<boolean> {
  const name = `${key.crv}.${key.x}.${key.y ?? ''}`
  const verification = verifications.get(name)
  if (verification !== undefined) return verification
  const isVerified = await token.verify(key)
  if (isVerified) share()
  // The number of cached failures is limited. Otherwise the keys of many relying parties could fill the
  // memory.
  if (isVerified || verifications.size < VERIFICATIONS) verifications.set(name, isVerified)
  return isVerified
}

const VERIFICATIONS = 16

/**
 * Object identifier that issuers use for id-kp-oauthStatusSigning (Token Status List §10). If the list
 * signer's certificate has extended key usages, one must be this usage or a usage of the credential's signer.
 * So a certificate for another purpose cannot sign a status list.
 */
const STATUS_SIGNING = '1.3.6.1.5.5.7.3.30'

async function resolveSigners(
  { token }: CachedStatusToken,
  { anchors, signerUsages = [], ...context }: StatusContext,
): Promise<readonly TrustedSigner[]> {
  const trusted = statusAnchors(anchors, context)
  const trustedSigners: TrustedSigner[] = []
  for (const iss of findIssuers(token.signer, trusted)) {
    const signers = await resolveSigner(
      { ...token.signer, iss },
      {
        ...context,
        anchors: trusted,
        purpose: 'status',
        usageIfRestricted: [STATUS_SIGNING, ...signerUsages],
      },
    )
    if (signers.ok) trustedSigners.push(...signers.value)
  }
  return trustedSigners
}

/**
 * Returns the issuers to try for a token. If the token has neither `iss` nor chain, the issuers that our
 * anchors name are tried. The keys still come from the anchor.
 */
function findIssuers(
  { iss, chain }: CachedStatusToken['token']['signer'],
  anchors: readonly TrustAnchor[],
): readonly (string | undefined)[] {
  if (iss !== undefined || chain !== undefined) return [iss]
  const issuers = anchors.map(anchoredIssuer).filter((issuer) => issuer !== undefined)
  return [...new Set(issuers)].slice(0, STATUS_LIST.issuersTried)
}

/**
 * Returns copies of the anchors that may trust the list's signer. Each copy is limited to the purpose
 * `status` and to the credential's type.
 */
function statusAnchors(
  anchors: readonly TrustAnchor[],
  { credentialType, credentialAnchor }: Omit<StatusContext, 'anchors'>,
): readonly TrustAnchor[] {
  const covers = ({ credential_types }: TrustAnchor) =>
    credential_types.includes(credentialType.name) ||
    (!credentialType.builtIn && credential_types.includes('*'))
  const ownAnchors = anchors.filter(
    (anchor) =>
      anchor.name === credentialAnchor.name &&
      anchor.assurance_level === credentialAnchor.assurance_level &&
      (anchor.purpose ?? ['issuer']).includes('issuer') &&
      covers(anchor),
  )
  const others = anchors.filter(
    (anchor) => anchor.purpose?.includes('status') && !ownAnchors.includes(anchor),
  )
  // If a `status` anchor names the exact type, `status` anchors with `*` are not used. The credential's own
  // anchor is always used.
  const namedAnchors = others.filter(({ credential_types }) => credential_types.includes(credentialType.name))
  const applicable = namedAnchors.length > 0 ? namedAnchors : others.filter(covers)
  return [...ownAnchors, ...applicable].map((anchor) => ({
    ...anchor,
    purpose: ['status'],
    credential_types: [credentialType.name],
  }))
}
