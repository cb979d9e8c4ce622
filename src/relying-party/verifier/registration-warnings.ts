// Warnings about a registration certificate (api/verifier). The relying party gets them before a wallet
// refuses a request or warns a person. The settings have no request, so the certificate is compared with the
// known credential types.

import { FORMATS } from '../../formats/index.ts'
import { isCovered } from '../../openid4vp/registration/coverage.ts'
import type { RegisteredCredential } from '../../openid4vp/registration/registration-certificate.ts'
import { BUILT_IN_TYPES } from '../../policy/built-in-types.ts'
import { pathIn } from '../../policy/catalogue.ts'
import type { CredentialTypeDefinition, CredentialTypeFormat } from '../../policy/policy.ts'
import type { SettingsView } from '../document/settings.ts'
import { registeredCredentials } from './verifier-registration.ts'

/** A warning without its text. */
export type RegistrationWarning = {
  readonly code: string
  readonly pointer: string
  readonly values?: Readonly<Record<string, string>>
}

const CERTIFICATE = '/verifier/registration/certificate'

/** Returns the warnings, which are the same in test mode and live mode. `now` is Unix milliseconds. */
export function registrationWarnings(
  { verifier, enforce_registration, credential_types }: SettingsView,
  now: number,
): readonly RegistrationWarning[] {
  if (!verifier?.registration) {
    if (enforce_registration !== true) return []
    return [{ code: 'registration_missing', pointer: '/enforce_registration' }]
  }
  const { registration, certificate_chain_pem } = verifier
  const registered = registeredCredentials({ registration, certificate_chain_pem }, now)
  if (registered.ok) return uncoveredTypes(credential_types, registered.value)
  return [{ code: registered.error, pointer: CERTIFICATE }]
}

function uncoveredTypes(
  added: readonly CredentialTypeDefinition[],
  registered: readonly RegisteredCredential[],
): readonly RegistrationWarning[] {
  const types = [...BUILT_IN_TYPES, ...added]
  if (types.every((type) => uncoveredScopes(type, registered).length === scopesOf(type).length))
    return [{ code: 'registration_covers_nothing', pointer: CERTIFICATE }]
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

/** Returns the scopes of the type that lack a registration for at least one of its identifiers. */
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
 * Returns the path of a scope. For a path with `NN`, returns one path for each age from 01 to 99. One covered
 * path is enough for the scope.
 */
function agesOf(path: CredentialTypeFormat['scopes'][string]['path']) {
  if (!JSON.stringify(path).includes('NN')) return [path]
  return Array.from({ length: 99 }, (_, i) =>
    path.map((step) =>
      typeof step === 'string' ? step.replace('NN', String(i + 1).padStart(2, '0')) : step,
    ),
  )
}
