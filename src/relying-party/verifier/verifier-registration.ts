// Registration of a relying party (ETSI TS 119 475). The signature of a registration certificate is not
// verified here: wallets verify it with the keys of the registrars that they trust.

import * as z from 'zod/mini'
import { isJsonObject, type JsonObject } from '../../codec/json.ts'
import { list, OBJECT, text } from '../../codec/schema.ts'
import { REGISTRATION } from '../../limits.ts'
import {
  parseRegistrationCertificate,
  type RegisteredCredential,
  type RegistrationCertificate,
  type RegistrationError,
} from '../../openid4vp/registration/registration-certificate.ts'
import { REGISTRATION_ENCODINGS, type VerifierRegistration } from '../../openid4vp/request/verifier-info.ts'
import { err, type Result } from '../../result.ts'
import type { Certificate } from '../../trust/x509/certificate.ts'
import { attributeValues } from '../../trust/x509/distinguished-name.ts'
import { anchorCertificates } from '../../trust/x509/pem-certificates.ts'
import type { RegisteredUse, SigningIdentity } from '../document/settings.ts'

/** `verifier.registration` of the settings. The expiry of the certificate is not checked here. */
export function verifierRegistration(): z.ZodMiniType<VerifierRegistration> {
  return z.strictObject(registrationMembers())
}

/** Limit of intended uses of one identity. */
const USES = 8

/** `verifier.uses` of the settings: a registration for each intended use. */
export function registeredUses(): z.ZodMiniType<readonly RegisteredUse[]> {
  return list(z.strictObject({ intended_use: text(100), ...registrationMembers() }), USES).check(
    z.refine(
      (uses) => new Set(uses.map(({ intended_use }) => intended_use)).size === uses.length,
      'must not repeat an entry',
    ),
  )
}

function registrationMembers() {
  return {
    certificate: z.string().check(
      z.maxLength(REGISTRATION.characters),
      z.meta({ pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+\\.[^.]*)?$' }),
      z.superRefine((text, context) => {
        const message = certificateError(text)
        if (message !== undefined) context.addIssue({ code: 'custom', message })
      }),
    ),
    dataset,
    encoding: z._default(z.enum(REGISTRATION_ENCODINGS), 'compact'),
  }
}

/**
 * Registered data, stored as JSON text. The registrar defines the members of the data, and not all wallets
 * expect the same types. So the members are not checked.
 */
const dataset = z.pipe(
  z
    .custom<JsonObject>(
      (value) => isJsonObject(value) && Object.keys(value).length > 0,
      'must be an object with members',
    )
    .check(z.meta({ ...OBJECT, minProperties: 1 })),
  z.pipe(
    z.transform((value: JsonObject) => JSON.stringify(value)),
    z.string().check(z.maxLength(REGISTRATION.datasetCharacters)),
  ),
)

function certificateError(text: string): string | undefined {
  const parsed = parseRegistrationCertificate(text)
  return parsed.ok ? undefined : ERRORS[parsed.error]
}

/** Returns true if a registration certificate has expired, or is malformed. */
export function isExpiredRegistration(certificate: string, now: number): boolean {
  const parsed = parseRegistrationCertificate(certificate)
  return !parsed.ok || hasExpired(parsed.value, now)
}

const ERRORS: Readonly<Record<RegistrationError, string>> = {
  malformed: 'must be a compact JWS, or base64url of a CWT',
  wrong_type: 'must have the typ rc-wrp+jwt, or rc-wrp+cwt as a CWT',
}

/**
 * Reasons why a registration covers nothing, each with its message to the relying party. assets/messages.json
 * contains these messages.
 */
export const REGISTRATION_FAULTS = {
  registration_missing: 'Every creation is refused: set a registration, or turn enforce_registration off.',
  registration_unreadable:
    'The registration certificate has no readable credentials: ask the registrar for another.',
  registration_expired: 'The registration certificate has expired: set the one that follows it.',
  registration_other_subject:
    'The registration certificate is for another subject: its sub, or that of its intermediary, must equal the organizationIdentifier (or serialNumber) of the certificate that signs.',
} as const

type RegistrationFault = Exclude<keyof typeof REGISTRATION_FAULTS, 'registration_missing'>

/**
 * Returns the registration that requests for an intended use contain. Without a use, returns the default
 * registration.
 */
export function registrationFor(
  { registration, uses }: Pick<SigningIdentity, 'registration' | 'uses'>,
  use: string | undefined,
): VerifierRegistration | undefined {
  return use === undefined ? registration : uses?.find(({ intended_use }) => intended_use === use)
}

/** Returns the credentials that the registration of a verifier covers. `now` is Unix milliseconds. */
export function registeredCredentials(
  {
    certificate_chain_pem,
    registration,
  }: Pick<SigningIdentity, 'certificate_chain_pem'> & {
    readonly registration: VerifierRegistration
  },
  now: number,
): Result<readonly RegisteredCredential[], RegistrationFault> {
  const parsed = parseRegistrationCertificate(registration.certificate)
  if (!parsed.ok || !parsed.value.credentials.ok) return err('registration_unreadable')
  if (hasExpired(parsed.value, now)) return err('registration_expired')
  return presents(parsed.value, certificate_chain_pem)
    ? parsed.value.credentials
    : err('registration_other_subject')
}

/** Returns true if the first certificate of the chain (PEM) names the subject of the registration. */
export function isRegistered({ certificate }: VerifierRegistration, chainPem: string): boolean {
  const parsed = parseRegistrationCertificate(certificate)
  return parsed.ok && presents(parsed.value, chainPem)
}

function presents({ presenters }: RegistrationCertificate, chainPem: string): boolean {
  const [leaf] = anchorCertificates(chainPem)
  const identifier = leaf && subjectIdentifier(leaf)
  return identifier !== undefined && presenters.includes(identifier)
}

/**
 * Returns the identifier of a verifier from its leaf certificate, if the registration for this use is valid
 * and names this identifier. Otherwise returns `undefined`. `now` is Unix milliseconds.
 */
export function registeredIdentifier(
  verifier: SigningIdentity,
  use: string | undefined,
  now: number,
): string | undefined {
  const { certificate_chain_pem } = verifier
  const registration = registrationFor(verifier, use)
  if (registration === undefined) return undefined
  if (!registeredCredentials({ certificate_chain_pem, registration }, now).ok) return undefined
  const [leaf] = anchorCertificates(certificate_chain_pem)
  return leaf && subjectIdentifier(leaf)
}

function hasExpired({ expiresAt }: RegistrationCertificate, now: number): boolean {
  return expiresAt !== undefined && expiresAt * 1000 <= now
}

const ORGANIZATION_IDENTIFIER = '2.5.4.97'
const SERIAL_NUMBER = '2.5.4.5'

/** Returns the identifier of a legal person, else the identifier of a natural person (§5.1). */
function subjectIdentifier({ subject }: Certificate): string | undefined {
  const [first = attributeValues(subject, SERIAL_NUMBER)[0]] = attributeValues(
    subject,
    ORGANIZATION_IDENTIFIER,
  )
  return first
}
