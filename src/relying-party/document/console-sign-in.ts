// `console_sign_in` of the settings: the OpenID Provider of the relying party's own organisation, by which
// people sign in to the console (docs/console.md). The client secret is sealed and never shown.

import * as z from 'zod/mini'
import { utf8 } from '../../codec/bytes.ts'
import { text } from '../../codec/schema.ts'
import { randomBytes } from '../../crypto/random.ts'
import { type Sealing, seal } from '../../crypto/seal.ts'
import { CONSOLE_SIGN_IN } from '../../limits.ts'
import { OUTBOUND_URL } from '../../net/outbound-url.ts'
import { type ConsoleSignIn, type ConsoleSignInInput, type ConsoleSignInView, SCOPES } from './settings.ts'

export type StoredConsoleSignIn = ConsoleSignInView & { readonly sealed_client_secret: string }
type SealedInput = ConsoleSignInView & { readonly sealed_client_secret?: string }

/** RFC 6749 Appendix A.1 and A.2: visible ASCII characters and spaces. */
const clientText = (maximum: number) =>
  text(maximum).check(z.regex(/^[\x20-\x7e]*$/, 'must have printable ASCII characters only'))

const scopes = z.array(z.enum(SCOPES)).check(
  z.minLength(1),
  z.refine((all) => new Set(all).size === all.length, 'must not repeat an entry'),
  z.meta({ uniqueItems: true }),
)

export const consoleSignIn = z.strictObject({
  issuer: text(CONSOLE_SIGN_IN.issuerCharacters).check(z.meta({ pattern: OUTBOUND_URL })),
  client_id: clientText(CONSOLE_SIGN_IN.clientIdCharacters),
  client_secret: z.exactOptional(clientText(CONSOLE_SIGN_IN.secretCharacters)),
  roles_claim: z._default(text(CONSOLE_SIGN_IN.claimCharacters), 'roles'),
  roles: z.record(text(CONSOLE_SIGN_IN.roleCharacters), scopes).check(
    z.meta({ minProperties: 1, maxProperties: CONSOLE_SIGN_IN.roles }),
    z.refine((roles) => Object.keys(roles).length > 0, 'must have at least one role'),
    z.refine(
      (roles) => Object.keys(roles).length <= CONSOLE_SIGN_IN.roles,
      `must have at most ${CONSOLE_SIGN_IN.roles} roles`,
    ),
    // The cookie of a sign-in contains the names of the person's roles. The names are limited, because a
    // cookie has at most 4,096 bytes.
    z.refine(
      (roles) => utf8(JSON.stringify(Object.keys(roles))).length <= CONSOLE_SIGN_IN.roleBytes,
      `must have names of at most ${CONSOLE_SIGN_IN.roleBytes} bytes together`,
    ),
  ),
})

/**
 * Returns true if both settings name the same client of the same provider. The stored secret of one setting
 * may then be used with the other.
 */
export function isSameClient(
  one: Pick<ConsoleSignIn, 'issuer' | 'client_id'>,
  other: Pick<ConsoleSignIn, 'issuer' | 'client_id'>,
): boolean {
  return one.issuer === other.issuer && one.client_id === other.client_id
}

/** Seals the secret, if the body contains one. */
export async function sealConsoleSignIn(
  { client_secret, ...shown }: ConsoleSignInInput,
  sealing: Sealing,
): Promise<SealedInput> {
  if (client_secret === undefined) return shown
  return { ...shown, sealed_client_secret: await seal(sealing, client_secret, randomBytes(12)) }
}

/**
 * Returns the setting to store. If the body has no secret, the stored secret is kept. If the body then names
 * another provider or client, the stored setting is returned unchanged: the stored secret must not reach
 * another provider.
 */
export function replaceConsoleSignIn(
  current: StoredConsoleSignIn | null,
  next: SealedInput | null,
): StoredConsoleSignIn | null {
  if (next === null) return null
  const { sealed_client_secret, ...shown } = next
  if (sealed_client_secret !== undefined) return { ...shown, sealed_client_secret }
  if (current === null || !isSameClient(current, next)) return current
  return { ...shown, sealed_client_secret: current.sealed_client_secret }
}
