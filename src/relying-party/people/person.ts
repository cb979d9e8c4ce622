// A person who signed in to the console: what the ID token says about them, and the scopes of their roles.

import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import type { Actor } from '../audit/actor.ts'
import { isSameClient } from '../document/console-sign-in.ts'
import { type ConsoleSignIn, type ConsoleSignInView, SCOPES, type Scope } from '../document/settings.ts'
import type { IdToken } from './id-token.ts'

/** Data about a person, as the cookie of a sign-in contains them. */
export type Person = {
  readonly relying_party_id: string
  readonly issuer: string
  readonly client_id: string
  /** `sub` of the ID token. */
  readonly subject: string
  readonly name: string | null
  readonly email: string | null
  /** The person's roles that gave scopes at the sign-in. */
  readonly roles: readonly string[]
}

/** Limit of a name or an email address, in characters. */
const NAME_CHARACTERS = 100

/** Returns the person of a verified ID token. */
export function toPerson(
  relyingPartyId: string,
  setting: ConsoleSignIn,
  { claims, subject }: IdToken,
): Person {
  const { issuer, client_id } = setting
  const name = shortText(claims.preferred_username) ?? shortText(claims.name)
  const roles = readRoles(claims as JsonObject, setting)
  return {
    relying_party_id: relyingPartyId,
    issuer,
    client_id,
    subject,
    name,
    email: shortText(claims.email),
    roles,
  }
}

/** Returns a person as the audit log names them. */
export function personActor({ subject, name, email }: Person): Extract<Actor, { kind: 'person' }> {
  return { kind: 'person', subject, name, email }
}

/**
 * Returns the scopes that the roles of a person have in the current setting. There are none if the setting
 * was removed, or names another client.
 */
export function scopesOf(
  setting: ConsoleSignInView | null | undefined,
  person: Pick<Person, 'issuer' | 'client_id' | 'roles'>,
): readonly Scope[] {
  if (!setting || !isSameClient(setting, person)) return []
  const granted = person.roles.flatMap((role) =>
    Object.hasOwn(setting.roles, role) ? (setting.roles[role] ?? []) : [],
  )
  return SCOPES.filter((scope) => granted.includes(scope))
}

/**
 * Returns the claim's roles that are also in `roles` of the setting. The claim is a text, or a list of texts.
 */
function readRoles(claims: JsonObject, { roles_claim, roles }: ConsoleSignIn): readonly string[] {
  const claim = findClaim(claims, roles_claim)
  const values: readonly Json[] = Array.isArray(claim) ? claim : claim === undefined ? [] : [claim]
  return Object.keys(roles).filter((role) => values.includes(role))
}

/**
 * Returns the claim of this name. If there is none, the name is a path: `a.b` is the member `b` of the claim
 * `a`.
 */
function findClaim(claims: JsonObject, name: string): Json | undefined {
  const whole = member(claims, name)
  if (whole !== undefined) return whole
  let value: Json | undefined = claims
  for (const part of name.split('.')) value = isJsonObject(value) ? member(value, part) : undefined
  return value
}

function shortText(value: unknown): string | null {
  const line = typeof value === 'string' ? value.replace(/\p{C}/gu, '').trim() : ''
  return line === '' ? null : line.slice(0, NAME_CHARACTERS)
}
