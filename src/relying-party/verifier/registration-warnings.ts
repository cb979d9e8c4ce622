// Warnings about a registration certificate (api/verifier). The relying party gets them before a wallet
// refuses a request or warns a person. The settings have no request, so the certificate is compared with the
// known credential types.

import { FORMATS } from '../../formats/index.ts'
import { isCovered } from '../../openid4vp/registration/coverage.ts'
import type { RegisteredCredential } from '../../openid4vp/registration/registration-certificate.ts'
import { BUILT_IN_TYPES } from '../../policy/built-in-types.ts'
import { pathIn, withRegisteredPids } from '../../policy/catalogue.ts'
import type { CredentialTypeDefinition, CredentialTypeFormat } from '../../policy/policy.ts'
import type { SettingsView } from '../document/settings.ts'
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
  const registrations = identities.flatMap(({ registration, certificate_chain_pem, place }) =>
    registration === undefined ? [] : [{ registration, certificate_chain_pem, place }],
  )
  if (registrations.length === 0 && enforce_registration === true)
    return [{ code: 'registration_missing', pointer: '/enforce_registration' }]
  const warnings: RegistrationWarning[] = registrations.flatMap(({ place, ...one }) => {
    const pointer = `${place}/registration/certificate`
    const registered = registeredCredentials(one, now)
    if (registered.ok) return uncoveredTypes(credential_types, registered.value, pointer)
    return [{ code: registered.error, pointer }]
  })
  // In a request of `org-iso-mdoc`, wallets compare the registration with the first reader certificate only.
  const own = verifier?.registration
  const isUnbound = (domain: string) => {
    const [first] = validReaders(reader_certificates, domain, now)
    return first && own && !isRegistered(own, first.certificate_chain_pem)
  }
  if (reader_certificates.some(({ domains }) => domains.some(isUnbound)))
    warnings.push({ code: 'registration_other_subject', pointer: '/verifier/reader_certificates' })
  return [...new Map(warnings.map((one) => [JSON.stringify(one), one])).values()]
}

function uncoveredTypes(
  added: readonly CredentialTypeDefinition[],
  registered: readonly RegisteredCredential[],
  pointer: string,
): readonly RegistrationWarning[] {
  const types = withRegisteredPids([...BUILT_IN_TYPES, ...added], registered, FORMATS)
  if (types.every((type) => uncoveredScopes(type, registered).length === scopesOf(type).length))
    return [{ code: 'registration_covers_nothing', pointer }]
  return added.flatMap((type, i) => {
    const scopes = uncoveredScopes(type, registered)
    if (scopes.length === 0) return []
    const names = scopes.map(({ format, name }) => `${name} (${format})`).join(', ')
    const values = { type: type.name, scopes: names }
    return [{ code: 'type_not_registered', pointer: `/credential_types/${i}`, values }]
  })
}

type TypeScope = CredentialTypeFormat & { readonly format: string; readonly name: string }

function scopesOf({ formats }: CredentialTypeDefinition): readonly TypeScope[] {
  return Object.entries(formats).flatMap(([format, type]) =>
    Object.keys(type.scopes).map((name) => ({ ...type, format, name })),
  )
}

/** Returns each scope that lacks a registration for one or more identifiers of the type. */
function uncoveredScopes(
  type: CredentialTypeDefinition,
  registered: readonly RegisteredCredential[],
): readonly TypeScope[] {
  return scopesOf(type).filter(({ format, name, identifiers, scopes }) => {
    const { path = [] } = scopes[name] ?? {}
    return !identifiers.every((identifier) =>
      agesOf(pathIn(identifier, { scope: name, path, boolean: false }).path).some((path) =>
        isCovered(registered, { format, identifier, path }, FORMATS),
      ),
    )
  })
}

/**
 * Returns a list with the path. For a path with `NN`, returns a path for each age from 01 to 99. A scope is
 * covered if the registration covers one of these paths.
 */
function agesOf(path: CredentialTypeFormat['scopes'][string]['path']) {
  if (!JSON.stringify(path).includes('NN')) return [path]
  return Array.from({ length: 99 }, (_, i) =>
    path.map((step) =>
      typeof step === 'string' ? step.replace('NN', String(i + 1).padStart(2, '0')) : step,
    ),
  )
}
