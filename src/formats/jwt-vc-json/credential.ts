// The credential in a VC JWT (VCDM 1.1 §6.3.1). A JWT claim and a property of `vc` with the same meaning must
// have the same value. If only one of them is present, its value is used.

import { isJsonObject, type JsonObject, member } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import { agreedText, agreedTime, readId, readWords } from '../../trust/vcdm.ts'
import type { CredentialRefusal } from '../verification/format.ts'
import type { SignedJwt } from './presentation.ts'

/** Decoded content of a VC JWT. Nothing is verified. */
export type Credential = {
  readonly types: readonly string[]
  readonly issuer: string
  /** Identifier of the subject, who is the holder unless `cnf` names a key. */
  readonly subject: string | undefined
  /** The `vc` object, completed from the JWT claims. Claims paths start at this object. */
  readonly root: JsonObject
  /** Times in Unix seconds and the `aud` of the JWT, under the claim names of RFC 7519 §4.1. */
  readonly validity: JsonObject
}

/** Parses the credential. Refuses a credential that contradicts itself. */
export function parseCredential({
  jws: { payload },
  content: vc,
}: SignedJwt): Result<Credential, CredentialRefusal> {
  const subjectProperty = member(vc, 'credentialSubject')
  // A JWT has one `sub`, so the credential must have one subject. A list of subjects is rejected.
  if (!isJsonObject(subjectProperty)) return invalid('vc.credentialSubject')
  const issuer = agreedText('iss', member(payload, 'iss'), readId(member(vc, 'issuer')))
  if (!issuer.ok) return invalid(issuer.error)
  if (issuer.value === undefined) return invalid('iss')
  const id = agreedText('jti', member(payload, 'jti'), member(vc, 'id'))
  if (!id.ok) return invalid(id.error)
  const subject = agreedText('sub', member(payload, 'sub'), member(subjectProperty, 'id'))
  if (!subject.ok) return invalid(subject.error)
  const validity = parseValidity(payload, vc)
  if (!validity.ok) return validity
  const credentialSubject = { ...withText('id', subject.value), ...subjectProperty }
  return ok({
    types: readWords(vc, 'type'),
    issuer: issuer.value,
    subject: subject.value,
    root: { ...withText('id', id.value), issuer: issuer.value, ...vc, credentialSubject },
    validity: validity.value,
  })
}

function invalid(claim: string): Result<never, CredentialRefusal> {
  return err({ reason: 'invalid_claim', claim })
}

function withText(name: string, text: string | undefined): JsonObject {
  return text === undefined ? {} : { [name]: text }
}

/** Returns the validity period that both the JWT and `vc` allow, with `iat` and `aud` of the JWT. */
function parseValidity(payload: JsonObject, vc: JsonObject): Result<JsonObject, CredentialRefusal> {
  const nbf = agreedTime('nbf', member(payload, 'nbf'), member(vc, 'issuanceDate'))
  if (!nbf.ok) return invalid(nbf.error)
  const exp = agreedTime('exp', member(payload, 'exp'), member(vc, 'expirationDate'))
  if (!exp.ok) return invalid(exp.error)
  // VCDM 1.1 reserves `validFrom` and `validUntil` for its successor, but some issuers already set them. They
  // can only shorten the validity period.
  const from = agreedTime('vc.validFrom', undefined, member(vc, 'validFrom'))
  if (!from.ok) return invalid(from.error)
  const until = agreedTime('vc.validUntil', undefined, member(vc, 'validUntil'))
  if (!until.ok) return invalid(until.error)
  const starts = [nbf.value, from.value].filter((time) => time !== undefined)
  const ends = [exp.value, until.value].filter((time) => time !== undefined)
  const claims = ['iat', 'aud'].flatMap((name) => {
    const value = member(payload, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return ok({
    ...Object.fromEntries(claims),
    ...(starts.length > 0 && { nbf: Math.max(...starts) }),
    ...(ends.length > 0 && { exp: Math.min(...ends) }),
  })
}
