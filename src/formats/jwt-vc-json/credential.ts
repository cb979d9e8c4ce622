// The credential of a VC JWT (VCDM 1.1 §6.3.1): claims of the JWT and properties of `vc` that mean the same must say the same,
// and what only one of them says holds for both.

import { isJsonObject, type JsonObject, member } from '../../codec/json.ts'
import { err, ok, type Result } from '../../result.ts'
import { agreedText, agreedTime, idOf, wordsOf } from '../../trust/vcdm.ts'
import type { SignedJwt } from './presentation.ts'

/** What a VC JWT says. Nothing of it is verified. */
export type Credential = {
  readonly types: readonly string[]
  readonly issuer: string
  /** The identifier of the subject, who is the holder unless `cnf` names a key. */
  readonly subject: string | undefined
  /** The credential with what only the JWT says: what claims paths are applied to. */
  readonly root: JsonObject
  /** Unix seconds, and the JWT's `aud`, under the names of RFC 7519 §4.1. */
  readonly validity: JsonObject
}

export type CredentialFault = { readonly reason: 'invalid_claim'; readonly claim: string }

/** Reads the credential, refusing one that contradicts itself. */
export function readCredential({
  jws: { payload },
  content: vc,
}: SignedJwt): Result<Credential, CredentialFault> {
  const subjectProperty = member(vc, 'credentialSubject')
  // A JWT has one `sub`, so it speaks of one subject.
  if (!isJsonObject(subjectProperty)) return invalid('vc.credentialSubject')
  const issuer = agreedText('iss', member(payload, 'iss'), idOf(member(vc, 'issuer')))
  if (!issuer.ok) return invalid(issuer.error)
  if (issuer.value === undefined) return invalid('iss')
  const id = agreedText('jti', member(payload, 'jti'), member(vc, 'id'))
  if (!id.ok) return invalid(id.error)
  const subject = agreedText('sub', member(payload, 'sub'), member(subjectProperty, 'id'))
  if (!subject.ok) return invalid(subject.error)
  const validity = readValidity(payload, vc)
  if (!validity.ok) return validity
  const credentialSubject = { ...withText('id', subject.value), ...subjectProperty }
  const filled = { ...withText('id', id.value), issuer: issuer.value, ...vc, credentialSubject }
  return ok({
    types: wordsOf(vc, 'type'),
    issuer: issuer.value,
    subject: subject.value,
    root: filled,
    validity: validity.value,
  })
}

function invalid(claim: string): Result<never, CredentialFault> {
  return err({ reason: 'invalid_claim', claim })
}

function withText(name: string, text: string | undefined): JsonObject {
  return text === undefined ? {} : { [name]: text }
}

/** The times of both, and the narrowest window they leave. */
function readValidity(payload: JsonObject, vc: JsonObject): Result<JsonObject, CredentialFault> {
  const nbf = agreedTime('nbf', member(payload, 'nbf'), member(vc, 'issuanceDate'))
  if (!nbf.ok) return invalid(nbf.error)
  const exp = agreedTime('exp', member(payload, 'exp'), member(vc, 'expirationDate'))
  if (!exp.ok) return invalid(exp.error)
  // Reserved by VCDM 1.1 for its successor, and used already: they narrow the window, and are not passed over.
  const from = agreedTime('vc.validFrom', undefined, member(vc, 'validFrom'))
  if (!from.ok) return invalid(from.error)
  const until = agreedTime('vc.validUntil', undefined, member(vc, 'validUntil'))
  if (!until.ok) return invalid(until.error)
  const starts = [nbf.value, from.value].filter((time) => time !== undefined)
  const ends = [exp.value, until.value].filter((time) => time !== undefined)
  const times = {
    ...(starts.length > 0 && { nbf: Math.max(...starts) }),
    ...(ends.length > 0 && { exp: Math.min(...ends) }),
  }
  const claims = ['iat', 'aud'].flatMap((name) => {
    const value = member(payload, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return ok({ ...Object.fromEntries(claims), ...times })
}
