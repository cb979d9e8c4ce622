// Warnings about a registration certificate (api/verifier). The relying party gets them before a wallet
// refuses a request or warns a person. The settings have no request, so the certificate is compared with the
// known credential types.

import { FORMATS } from '../../formats/index.ts'
import { isCovered } from '../../openid4vp/registration/coverage.ts'
import type { RegisteredCredential } from '../../openid4vp/registration/registration-certificate.ts'
import type { VerifierRegistration } from '../../openid4vp/request/verifier-info.ts'
import { BUILT_IN_TYPES } from '../../policy/built-in-types.ts'
import { pathIn, withRegisteredPids } from '../../policy/catalogue.ts'
import type { CredentialTypeDefinition, CredentialTypeFormat } from '../../policy/policy.ts'
import type { SettingsView, SigningIdentity } from '../document/settings.ts'
import { validReaders } from './reader-certificate.ts'
import { isRegistered, registeredCredentials } from './verifier-registration.ts'

/** A warning without its text. */
export type RegistrationWarning = {
  readonly code: string
  readonly pointer: string
  readonly values?: Readonly<Record<string, string>>
}

/** Returns the warnings, which are the same in test mode and live mode. `now` is Unix milliseconds. */
export function registrationWarnings(
  { verifier, reader_certificates, further_verifiers, enforce_registration, credential_types }: SettingsView,
  now: number,
): readonly RegistrationWarning[] {
  const identities = [
    ...(verifier ? [{ ...verifier, place: '/verifier' }] : []),
    ...further_verifiers.map((one, i) => ({ ...one, place: `/verifier/further/${i}` })),
  ]
  const [own = [], ...others] = identities.map(registrationsOf)
  if (enforce_registration === true && [own, ...others].every((each) => each.length === 0))
    return [{ code: 'registration_missing', pointer: '/enforce_registration' }]
  const warnings: RegistrationWarning[] = [own, ...others].flatMap((each) =>
    identityWarnings(each, credential_types, now),
  )
  // In a request of `org-iso-mdoc`, wallets compare the registration with the first reader certificate only.
  const isUnbound = (domain: string) => {
    const [first] = validReaders(reader_certificates, domain, now)
    return first && !own.every(({ registration }) => isRegistered(registration, first.certificate_chain_pem))
  }
  if (verifier && reader_certificates.some(({ domains }) => domains.some(isUnbound)))
    warnings.push({ code: 'registration_other_subject', pointer: '/verifier/reader_certificates' })
  return [...new Map(warnings.map((one) => [JSON.stringify(one), one])).values()]
}

type Registration = Pick<SigningIdentity, 'certificate_chain_pem'> & {
  readonly registration: VerifierRegistration
  readonly pointer: string
}

/** Returns the default registration of an identity, and those for intended uses. */
function registrationsOf({
  certificate_chain_pem,
  registration,
  uses = [],
  place,
}: Omit<SigningIdentity, 'signing_jwk'> & { readonly place: string }): readonly Registration[] {
  const ofUses = uses.map((one, i) => [one, `uses/${i}`] as const)
  const all = registration ? [[registration, 'registration'] as const, ...ofUses] : ofUses
  return all.map(([one, name]) => ({
    certificate_chain_pem,
    registration: one,
    pointer: `${place}/${name}/certificate`,
  }))
}

/**
 * Returns the warnings about the registrations of one identity. A type is not registered if none of them
 * covers it.
 */
function identityWarnings(
  registrations: readonly Registration[],
  added: readonly CredentialTypeDefinition[],
  now: number,
): readonly RegistrationWarning[] {
  const all: RegisteredCredential[] = []
  const faults = registrations.flatMap(({ pointer, ...one }): RegistrationWarning[] => {
    const registered = registeredCredentials(one, now)
    if (!registered.ok) return [{ code: registered.error, pointer }]
    all.push(...registered.value)
    const types = withRegisteredPids([...BUILT_IN_TYPES, ...added], registered.value, FORMATS)
    const isCovering = types.some(
      (type) => uncoveredScopes(type, registered.value).length < listScopes(type).length,
    )
    return isCovering ? [] : [{ code: 'registration_covers_nothing', pointer }]
  })
  return faults.length > 0 || registrations.length === 0 ? faults : uncoveredTypes(added, all)
}

function uncoveredTypes(
  added: readonly CredentialTypeDefinition[],
  registered: readonly RegisteredCredential[],
): readonly RegistrationWarning[] {
  return added.flatMap((type, i) => {
    const scopes = uncoveredScopes(type, registered)
    if (scopes.length === 0) return []
    const names = scopes.map(({ format, name }) => `${name} (${format})`).join(', ')
    const values = { type: type.name, scopes: names }
    return [{ code: 'type_not_registered', pointer: `/credential_types/${i}`, values }]
  })
}

type TypeScope = CredentialTypeFormat & { readonly format: string; readonly name: string }

function listScopes({ formats }: CredentialTypeDefinition): readonly TypeScope[] {
  return Object.entries(formats).flatMap(([format, type]) =>
    Object.keys(type.scopes).map((name) => ({ ...type, format, name })),
  )
}

/** Returns each scope that lacks a registration for one or more identifiers of the type. */
function uncoveredScopes(
  type: CredentialTypeDefinition,
  registered: readonly RegisteredCredential[],
): readonly TypeScope[] {
  return listScopes(type).filter(({ format, name, identifiers, scopes }) => {
    const { path = [] } = scopes[name] ?? {}
    return !identifiers.every((identifier) =>
      listAges(pathIn(identifier, { scope: name, path, boolean: false }).path).some((path) =>
        isCovered(registered, { format, identifier, path }, FORMATS),
      ),
    )
  })
}

/**
 * Returns a list with the path. For a path with `NN`, returns a path for each age from 01 to 99. A scope is
 * covered if the registration covers one of these paths.
 */
function listAges(path: CredentialTypeFormat['scopes'][string]['path']) {
  if (!JSON.stringify(path).includes('NN')) return [path]
  return Array.from({ length: 99 }, (_, i) =>
    path.map((step) =>
      typeof step === 'string' ? step.replace('NN', String(i + 1).padStart(2, '0')) : step,
    ),
  )
}
