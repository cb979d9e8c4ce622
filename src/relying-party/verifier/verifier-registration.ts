// Registration of a relying party (ETSI TS 119 475). Only its form and expiry are checked here: wallets
// verify it with the registrars that they trust.

import * as z from 'zod/mini'
import { decodeBase64url } from '../../codec/base64url.ts'
import { isJsonObject, type JsonObject, member, parseJsonObject } from '../../codec/json.ts'
import { REGISTRATION } from '../../limits.ts'
import { REGISTRATION_ENCODINGS, type VerifierRegistration } from '../../openid4vp/request/verifier-info.ts'

/** `verifier.registration` of the settings. `now` is Unix milliseconds. */
export function verifierRegistration(now: number): z.ZodMiniType<VerifierRegistration> {
  return z.strictObject({
    certificate: z.string().check(
      z.maxLength(REGISTRATION.characters),
      z.superRefine((text, context) => {
        const message = certificateError(text, now)
        if (message !== undefined) context.addIssue({ code: 'custom', message })
      }),
    ),
    dataset,
    encoding: z._default(z.enum(REGISTRATION_ENCODINGS), 'compact'),
  })
}

/** The registrar defines the members and their types, and wallets disagree on them. Stored as text. */
const dataset = z.pipe(
  z.custom<JsonObject>(
    (value) => isJsonObject(value) && Object.keys(value).length > 0,
    'must be an object with members',
  ),
  z.pipe(
    z.transform((value: JsonObject) => JSON.stringify(value)),
    z.string().check(z.maxLength(REGISTRATION.datasetCharacters)),
  ),
)

function certificateError(text: string, now: number): string | undefined {
  const [header, payload, ...rest] = text.split('.').map(decodePart)
  if (!header || !payload || rest.length !== 1) return 'must be a compact JWS'
  if (member(header, 'typ') !== 'rc-wrp+jwt')
    return 'must be a registration certificate: its typ must be rc-wrp+jwt'
  const exp = member(payload, 'exp')
  return typeof exp === 'number' && exp * 1000 <= now ? 'must not have expired' : undefined
}

/** Decodes the JSON object in a part; null for any other text, such as the signature. */
function decodePart(part: string): JsonObject | null {
  const { characters, depth } = REGISTRATION
  const parsed = parseJsonObject(decodeBase64url(part), { length: characters, depth })
  return parsed.ok ? parsed.value : null
}
