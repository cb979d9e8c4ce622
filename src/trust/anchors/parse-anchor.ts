// Parsing of a trust anchor from the admin API (api/trust). Every rule is checked here, so every stored
// anchor can be used. Unknown members are rejected, because a misspelt restriction would have no effect.

import * as z from 'zod/mini'
import { toPointer } from '../../codec/json-pointer.ts'
import { describeIssue, list, text } from '../../codec/schema.ts'
import { parsePublicJwk } from '../../crypto/jwk.ts'
import { ISSUER_NAME, PEM, TRUST_LIST } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { didKey, isKnownDid } from '../did/did.ts'
import type { Certificate } from '../x509/certificate.ts'
import { decodePemCertificates, PEM_BEGINNING } from '../x509/pem-certificates.ts'
import { subjectKeyJwk } from '../x509/subject-key.ts'
import { ASSURANCE_LEVELS, type TrustAnchor } from './anchor.ts'
import { issuerMetadataUrl } from './issuer-metadata.ts'
import { isOfSandbox, isSandboxIssuer, isSandboxKey } from './sandbox-anchor.ts'

/** An invalid member: a JSON Pointer (RFC 6901) into the anchor, and a message for the operator. */
type AnchorError = { readonly pointer: string; readonly message: string }

/** Parses one trust anchor, or returns every error found. */
export function parseTrustAnchor(value: unknown): Result<TrustAnchor, readonly AnchorError[]> {
  const parsed = anchorShape.safeParse(value, { error: describeIssue })
  if (!parsed.success) return err(parsed.error.issues.flatMap(toErrors))
  const { issuer, jwks } = parsed.data
  if ((issuer === undefined) !== (jwks === undefined)) {
    return err([{ pointer: '', message: 'issuer and jwks must be given together' }])
  }
  const mechanisms = MECHANISMS.filter((name) => parsed.data[name] !== undefined)
  return mechanisms.length === 1
    ? ok(parsed.data as TrustAnchor) // exactly one mechanism, as the type requires
    : err([{ pointer: '', message: ONE_MECHANISM }])
}

const MECHANISMS = ['x509_ca_pem', 'x509_certificate_pem', 'issuer_url', 'did', 'issuer'] as const

const ONE_MECHANISM =
  'must have exactly one of x509_ca_pem, x509_certificate_pem, issuer_url, did, and issuer with jwks'

const NO_AUTHORITY =
  'must be a certification authority (basicConstraints, keyCertSign): pin a signer by x509_certificate_pem instead'

const OF_SANDBOX = 'is of the sandbox, whose keys are public'

const coordinate = text(100).check(z.regex(/^[A-Za-z0-9_-]+$/, 'must be base64url'))

const JWK = z.pipe(
  z.strictObject({
    kty: z.enum(['EC', 'OKP']),
    crv: z.enum(['P-256', 'P-384', 'P-521', 'Ed25519']),
    x: coordinate,
    y: z.optional(coordinate),
    kid: z.optional(text(256)),
    alg: z.optional(text(32)),
    use: z.optional(z.literal('sig')),
    key_ops: z.optional(
      z.array(text(32)).check(
        z.maxLength(8),
        z.refine((operations) => operations.includes('verify'), 'must include verify'),
        z.meta({ contains: { const: 'verify' } }),
      ),
    ),
  }),
  z.transform(({ kid, alg, ...key }, { issues }) => {
    const publicJwk = parsePublicJwk(key)
    if (publicJwk !== undefined && isSandboxKey(publicJwk))
      issues.push({ code: 'custom', input: key, message: OF_SANDBOX })
    if (publicJwk !== undefined) return { ...publicJwk, ...(kid && { kid }), ...(alg && { alg }) }
    const message =
      'must be a public key with canonical base64url coordinates of a point of its curve, not of small order'
    issues.push({ code: 'custom', input: key, message })
    return z.NEVER
  }),
)

const OBJECT_IDENTIFIER = /^[0-2](?:\.(?:0|[1-9]\d{0,38})){1,31}$/

const objectIdentifier = text(128).check(
  z.regex(OBJECT_IDENTIFIER, 'must be an object identifier in dotted form'),
)

const issuerUrl = text(ISSUER_NAME.characters).check(
  z.refine(
    (url) => issuerMetadataUrl(url) !== undefined,
    'must be an https URL without user, query or fragment',
  ),
  z.refine((url) => !isSandboxIssuer(url), OF_SANDBOX),
  z.meta({ pattern: '^[^?#]+$' }),
)

const pem = text(PEM.characters).check(z.meta({ pattern: PEM_BEGINNING.source }))

/**
 * The shape of an anchor on the wire. `parseTrustAnchor` then checks that the anchor has exactly one
 * mechanism.
 */
export const anchorShape = z
  .strictObject({
    name: text(100),
    credential_types: list(text(100), 50),
    assurance_level: z.enum(ASSURANCE_LEVELS),
    purpose: z.optional(list(z.enum(['issuer', 'status']), 2)),
    eku: z.optional(list(objectIdentifier, 16)),
    subject_namespace: z.optional(text(100)),
    sets: z.optional(list(text(64), TRUST_LIST.subscribed)),
    x509_ca_pem: z.optional(pem.check(z.superRefine(refuseUnlessAuthorities))),
    x509_certificate_pem: z.optional(pem.check(z.superRefine(refuseUnlessSigner))),
    issuer_url: z.optional(issuerUrl),
    did: z.optional(
      text(ISSUER_NAME.characters).check(
        z.refine(isKnownDid, 'must be a did:web, did:key or did:jwk'),
        z.refine(isOwnDid, OF_SANDBOX),
        z.meta({ pattern: '^did:(web|key|jwk):.' }),
      ),
    ),
    issuer: z.optional(
      text(ISSUER_NAME.characters).check(z.refine((issuer) => !isSandboxIssuer(issuer), OF_SANDBOX)),
    ),
    jwks: z.optional(z.strictObject({ keys: list(JWK, 32) })),
  })
  .check(
    z.meta({
      dependentRequired: { issuer: ['jwks'], jwks: ['issuer'] },
      if: { type: 'object' }, // generators do not read conditions (openapi/plain-types.ts)
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { oneOf: MECHANISMS.map((name) => ({ required: [name] })) },
    }),
  )

function isOwnDid(did: string): boolean {
  const key = didKey(did)
  return !isSandboxIssuer(did) && (key === undefined || !isSandboxKey(key))
}

function refuseUnlessAuthorities(pemText: string, context: z.core.$RefinementCtx): void {
  const certificates = decodePemCertificates(pemText)
  if (certificates === undefined)
    context.addIssue({ code: 'custom', message: 'must be PEM of 1 to 16 certificates' })
  for (const { extensions, subject, subjectKey } of certificates ?? []) {
    const certifies = extensions.keyUsage?.keyCertSign ?? true
    if (!extensions.basicConstraints?.ca || !certifies || subject.rdns.length === 0) {
      context.addIssue({
        code: 'custom',
        message: NO_AUTHORITY,
      })
    }
    if (subjectKey === undefined)
      context.addIssue({ code: 'custom', message: 'has a weak or unknown kind of key' })
    if (extensions.hasUnknownCritical) {
      context.addIssue({ code: 'custom', message: 'has a critical extension that is not processed' })
    }
  }
  refuseSandbox(certificates ?? [], context)
}

function refuseUnlessSigner(pemText: string, context: z.core.$RefinementCtx): void {
  const [certificate, ...others] = decodePemCertificates(pemText) ?? []
  if (certificate === undefined || others.length > 0) {
    context.addIssue({ code: 'custom', message: 'must be PEM of one certificate' })
  } else if (certificate.subjectKey === undefined || subjectKeyJwk(certificate.subjectKey) === undefined) {
    context.addIssue({ code: 'custom', message: 'must hold a P-256, P-384, P-521 or Ed25519 key' })
  } else refuseSandbox([certificate], context)
}

/**
 * Rejects sandbox certificates and keys, because a configured anchor is also trusted in live mode. In test
 * mode the anchors of the sandbox are added automatically.
 */
function refuseSandbox(certificates: readonly Certificate[], context: z.core.$RefinementCtx): void {
  if (certificates.some(isOfSandbox)) context.addIssue({ code: 'custom', message: OF_SANDBOX })
}

/**
 * Converts an issue of zod to errors. zod reports all unknown members of an object in one issue. Here each
 * unknown member gets its own pointer.
 */
function toErrors(issue: z.core.$ZodIssue): readonly AnchorError[] {
  if (issue.code !== 'unrecognized_keys') return [{ pointer: toPointer(issue.path), message: issue.message }]
  return issue.keys.map((key) => ({
    pointer: toPointer([...issue.path, key]),
    message: 'is not a known member',
  }))
}
