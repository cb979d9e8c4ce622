// Decodes a presentation: a VP JWT around one VC JWT, or only the VC JWT if holder binding was waived
// (OpenID4VP 1.0 B.1.3.1.5; VCDM 1.1 §6.3.1). Nothing is verified here.

import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import { type DecodedJws, decodeJws } from '../../crypto/jws.ts'
import { JWT_VC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { isVersion1, readWords } from '../../trust/vcdm.ts'
import type { CredentialRefusal } from '../verification/format.ts'
import { jwsRefusal } from '../verification/issuer-jwt.ts'

/** The two JWTs. `presentation` is undefined for a credential without a VP JWT. */
export type DecodedPresentation = {
  readonly credential: SignedJwt
  readonly presentation: SignedJwt | undefined
}

/** A JWT, and the VCDM object in its `vc` or `vp`. */
export type SignedJwt = { readonly jws: DecodedJws; readonly content: JsonObject }

/** Decodes a presentation. */
export function decodePresentation(presentation: Json): Result<DecodedPresentation, CredentialRefusal> {
  if (typeof presentation !== 'string') return err({ reason: 'malformed_credential' })
  const outer = decodeJwt(presentation, JWT_VC.presentation)
  if (!outer.ok) return outer
  if (Object.hasOwn(outer.value.payload, 'vc')) {
    const credential = parseContent(outer.value, 'vc')
    return credential.ok ? ok({ credential: credential.value, presentation: undefined }) : credential
  }
  const vp = parseContent(outer.value, 'vp')
  if (!vp.ok) return vp
  const encoded = onlyCredential(vp.value.content)
  if (!encoded.ok) return encoded
  const inner = decodeJwt(encoded.value, JWT_VC.credential)
  if (!inner.ok) return inner
  // A JWT without `vc` is refused, because it is not a credential. So a presentation inside a presentation is
  // refused, too (§13.2).
  const credential = parseContent(inner.value, 'vc')
  return credential.ok ? ok({ credential: credential.value, presentation: vp.value }) : credential
}

/**
 * Decodes a JWT whose `typ` is absent or `JWT` (VCDM 1.1 §6.3.1). `vc+jwt` and `vp+jwt` belong to another
 * data model.
 */
function decodeJwt(
  compact: string,
  limits: (typeof JWT_VC)[keyof typeof JWT_VC],
): Result<DecodedJws, CredentialRefusal> {
  const jws = decodeJws(compact, limits)
  if (!jws.ok) return err(jwsRefusal(jws.error, 'malformed_credential'))
  const typ = member(jws.value.header, 'typ')
  return typ === undefined || typ === 'JWT' ? jws : err({ reason: 'wrong_token_type' })
}

/**
 * Members at the top level of a JWT that follows VC-JOSE-COSE. In VCDM 1.1 these members are inside `vc` or
 * `vp`. A JWT that mixes VC-JOSE-COSE and VCDM 1.1 is refused.
 */
const OF_ANOTHER_ENCODING = ['@context', 'type', 'credentialSubject', 'verifiableCredential']

function parseContent(jws: DecodedJws, name: 'vc' | 'vp'): Result<SignedJwt, CredentialRefusal> {
  const content = member(jws.payload, name)
  const others = [...OF_ANOTHER_ENCODING, name === 'vc' ? 'vp' : 'vc']
  if (!isJsonObject(content) || others.some((other) => Object.hasOwn(jws.payload, other)))
    return err({ reason: 'malformed_credential' })
  if (!isVersion1(content)) return err({ reason: 'invalid_claim', claim: `${name}.@context` })
  const type = name === 'vc' ? 'VerifiableCredential' : 'VerifiablePresentation'
  return readWords(content, 'type').includes(type)
    ? ok({ jws, content })
    : err({ reason: 'invalid_claim', claim: `${name}.type` })
}

/**
 * Returns the only credential of a presentation. `verifiableCredential` must be a list of one JWT, because a
 * presentation answers one credential query (§8.1).
 */
function onlyCredential(vp: JsonObject): Result<string, CredentialRefusal> {
  const credentials = member(vp, 'verifiableCredential')
  const [credential] = Array.isArray(credentials) && credentials.length === 1 ? credentials : []
  return typeof credential === 'string'
    ? ok(credential)
    : err({ reason: 'invalid_claim', claim: 'vp.verifiableCredential' })
}
