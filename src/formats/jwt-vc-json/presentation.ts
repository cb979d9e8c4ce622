// What a wallet presents: a VP JWT around one VC JWT, or, where no holder binding was asked for, the VC JWT alone
// (OpenID4VP 1.0 B.1.3.1.5; VCDM 1.1 §6.3.1). Only taken apart here; nothing is verified.

import { isJsonObject, type Json, type JsonObject, member } from '../../codec/json.ts'
import { type DecodedJws, decodeJws } from '../../crypto/jws.ts'
import { JWT_VC } from '../../limits.ts'
import { err, ok, type Result } from '../../result.ts'
import { isVersion1, wordsOf } from '../../trust/vcdm.ts'
import type { PresentationRefusal } from '../format.ts'
import { JWS_REFUSALS } from '../issuer-jwt.ts'

/** The two JWTs. `presentation` is undefined for a credential that came alone. */
export type DecodedPresentation = {
  readonly credential: SignedJwt
  readonly presentation: SignedJwt | undefined
}

/** A JWT, and the VCDM object that it carries in `vc` or `vp`. */
export type SignedJwt = { readonly jws: DecodedJws; readonly content: JsonObject }

/** Takes a presentation apart. */
export function decodePresentation(presentation: Json): Result<DecodedPresentation, PresentationRefusal> {
  if (typeof presentation !== 'string') return err({ reason: 'malformed_credential' })
  const outer = decodeJwt(presentation, JWT_VC.presentation)
  if (!outer.ok) return outer
  if (Object.hasOwn(outer.value.payload, 'vc')) {
    const credential = contentOf(outer.value, 'vc')
    return credential.ok ? ok({ credential: credential.value, presentation: undefined }) : credential
  }
  const vp = contentOf(outer.value, 'vp')
  if (!vp.ok) return vp
  const encoded = onlyCredential(vp.value.content)
  if (!encoded.ok) return encoded
  const inner = decodeJwt(encoded.value, JWT_VC.credential)
  if (!inner.ok) return inner
  // No `vc` in there: something else than a credential, a presentation inside the presentation among them (§13.2).
  const credential = contentOf(inner.value, 'vc')
  return credential.ok ? ok({ credential: credential.value, presentation: vp.value }) : credential
}

/** VCDM 1.1 §6.3.1: `typ`, where it is there, is `JWT`. `vc+jwt` and `vp+jwt` are another encoding, of another data model. */
function decodeJwt(compact: string, limits: typeof JWT_VC.presentation | typeof JWT_VC.credential) {
  const jws = decodeJws(compact, limits)
  if (!jws.ok) return err(JWS_REFUSALS[jws.error])
  const typ = member(jws.value.header, 'typ')
  return typ === undefined || typ === 'JWT' ? jws : err<PresentationRefusal>({ reason: 'wrong_token_type' })
}

/** Members of VCDM objects that JWTs without `vc` and `vp` have beside their claims (VC-JOSE-COSE): the two are not mixed. */
const OF_ANOTHER_ENCODING = ['@context', 'type', 'credentialSubject', 'verifiableCredential']

function contentOf(jws: DecodedJws, name: 'vc' | 'vp'): Result<SignedJwt, PresentationRefusal> {
  const content = member(jws.payload, name)
  const others = [...OF_ANOTHER_ENCODING, name === 'vc' ? 'vp' : 'vc']
  if (!isJsonObject(content) || others.some((other) => Object.hasOwn(jws.payload, other)))
    return err({ reason: 'malformed_credential' })
  if (!isVersion1(content)) return err({ reason: 'invalid_claim', claim: `${name}.@context` })
  const type = name === 'vc' ? 'VerifiableCredential' : 'VerifiablePresentation'
  return wordsOf(content, 'type').includes(type)
    ? ok({ jws, content })
    : err({ reason: 'invalid_claim', claim: `${name}.type` })
}

/** One presentation answers one credential query (§8.1), so it holds one credential: a JWT, in a list of one. */
function onlyCredential(vp: JsonObject): Result<string, PresentationRefusal> {
  const credentials = member(vp, 'verifiableCredential')
  const [credential] = Array.isArray(credentials) && credentials.length === 1 ? credentials : []
  return typeof credential === 'string'
    ? ok(credential)
    : err({ reason: 'invalid_claim', claim: 'vp.verifiableCredential' })
}
