// A trust anchor as an operator hands it to the admin API (CONTRACT 8), checked whole at that edge: what is stored can
// be used. Unknown members are refused by name, for a misspelt limit would be no limit.

import * as z from 'zod'
import { parsePublicJwk } from '../crypto/jwk.ts'
import { PEM } from '../limits.ts'
import { err, ok, type Result } from '../result.ts'
import { ASSURANCE_LEVELS, type TrustAnchor } from './anchor.ts'
import { decodePemCertificates } from './anchor-certificates.ts'
import { issuerMetadataUrl } from './issuer-metadata.ts'
import { subjectKeyJwk } from './subject-key.ts'

/** What is wrong with a member: a JSON Pointer (RFC 6901) into the anchor, and words for the operator. */
export type AnchorFault = { readonly pointer: string; readonly message: string }

/** Parses one trust anchor, or names every fault found. */
export function parseTrustAnchor(value: unknown): Result<TrustAnchor, readonly AnchorFault[]> {
  const parsed = ANCHOR.safeParse(value)
  if (!parsed.success) return err(parsed.error.issues.flatMap(toFaults))
  const { purpose, eku, issuer, jwks, x509_ca_pem, x509_certificate_pem, issuer_url, did, ...common } =
    parsed.data
  const shared = { ...common, ...(purpose && { purpose }), ...(eku && { eku }) }
  if (did !== undefined) return err([{ pointer: '/did', message: 'did anchors come with the JWT VC format' }])
  if ((issuer === undefined) !== (jwks === undefined)) {
    return err([{ pointer: '', message: 'issuer and jwks belong together' }])
  }
  const mechanisms: TrustAnchor[] = []
  if (x509_ca_pem !== undefined) mechanisms.push({ ...shared, x509_ca_pem })
  if (x509_certificate_pem !== undefined) mechanisms.push({ ...shared, x509_certificate_pem })
  if (issuer_url !== undefined) mechanisms.push({ ...shared, issuer_url })
  if (issuer !== undefined && jwks !== undefined) mechanisms.push({ ...shared, issuer, jwks })
  const [anchor, ...others] = mechanisms
  return anchor !== undefined && others.length === 0
    ? ok(anchor)
    : err([{ pointer: '', message: ONE_MECHANISM }])
}

const ONE_MECHANISM =
  'must have exactly one of x509_ca_pem, x509_certificate_pem, issuer_url, and issuer with jwks'

const JWK = z
  .strictObject({
    kty: z.enum(['EC', 'OKP']),
    crv: z.enum(['P-256', 'P-384', 'P-521', 'Ed25519']),
    x: z.string().max(100),
    y: z.string().max(100).optional(),
    kid: z.string().min(1).max(256).optional(),
    alg: z.string().min(1).max(32).optional(),
    use: z.literal('sig').optional(),
    key_ops: z
      .array(z.string().max(32))
      .max(8)
      .refine((operations) => operations.includes('verify'), 'must include verify')
      .optional(),
  })
  .transform(({ kid, alg, ...key }, context) => {
    const publicJwk = parsePublicJwk(key)
    if (publicJwk !== undefined) return { ...publicJwk, ...(kid && { kid }), ...(alg && { alg }) }
    context.addIssue({ code: 'custom', message: 'must be a public key with canonical base64url coordinates' })
    return z.NEVER
  })

const OBJECT_IDENTIFIER = /^[0-2](?:\.(?:0|[1-9]\d{0,38})){1,31}$/

const ANCHOR = z.strictObject({
  name: z.string().min(1).max(100),
  credential_types: z.array(z.string().min(1).max(100)).min(1).max(50),
  assurance_level: z.enum(ASSURANCE_LEVELS),
  purpose: z
    .array(z.enum(['issuer', 'status']))
    .min(1)
    .max(2)
    .optional(),
  eku: z
    .array(z.string().max(128).regex(OBJECT_IDENTIFIER, 'must be an object identifier in dotted form'))
    .min(1)
    .max(16)
    .optional(),
  x509_ca_pem: pem().superRefine(refuseUnlessAuthorities).optional(),
  x509_certificate_pem: pem().superRefine(refuseUnlessSigner).optional(),
  issuer_url: z
    .string()
    .max(2048)
    .refine(
      (url) => issuerMetadataUrl(url) !== undefined,
      'must be an https URL without user, query or fragment',
    )
    .optional(),
  did: z.string().max(2048).optional(),
  issuer: z.string().min(1).max(2048).optional(),
  jwks: z.strictObject({ keys: z.array(JWK).min(1).max(32) }).optional(),
})

function pem() {
  return z.string().max(PEM.characters)
}

function refuseUnlessAuthorities(text: string, context: z.RefinementCtx): void {
  const certificates = decodePemCertificates(text)
  if (certificates === undefined)
    context.addIssue({ code: 'custom', message: 'must be PEM of 1 to 16 certificates' })
  for (const { extensions, subject, subjectKey } of certificates ?? []) {
    const certifies = extensions.keyUsage?.keyCertSign ?? true
    if (!extensions.basicConstraints?.ca || !certifies || subject.rdns.length === 0) {
      context.addIssue({
        code: 'custom',
        message: 'must be a certification authority (basicConstraints, keyCertSign)',
      })
    }
    if (subjectKey === undefined)
      context.addIssue({ code: 'custom', message: 'has a weak or unknown kind of key' })
    if (extensions.hasUnknownCritical) {
      context.addIssue({ code: 'custom', message: 'has a critical extension that is not processed' })
    }
  }
}

function refuseUnlessSigner(text: string, context: z.RefinementCtx): void {
  const [certificate, ...others] = decodePemCertificates(text) ?? []
  if (certificate === undefined || others.length > 0) {
    context.addIssue({ code: 'custom', message: 'must be PEM of one certificate' })
  } else if (certificate.subjectKey === undefined || subjectKeyJwk(certificate.subjectKey) === undefined) {
    context.addIssue({ code: 'custom', message: 'must hold a P-256, P-384, P-521 or Ed25519 key' })
  }
}

/** zod names unknown members together, at their object; each gets a pointer of its own. */
function toFaults(issue: z.core.$ZodIssue): readonly AnchorFault[] {
  if (issue.code !== 'unrecognized_keys') return [{ pointer: toPointer(issue.path), message: issue.message }]
  return issue.keys.map((key) => ({
    pointer: toPointer([...issue.path, key]),
    message: 'is not a known member',
  }))
}

function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
