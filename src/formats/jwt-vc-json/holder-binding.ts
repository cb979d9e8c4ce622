// Verifies the VP JWT as proof of possession (OpenID4VP 1.0 B.1.3.1.5). The verified credential names a key
// or a DID. This key, or a key of the DID, must sign the VP JWT for this request. The `holder` of the
// presentation alone proves nothing.

import { type Json, member } from '../../codec/json.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { verifyJws } from '../../crypto/jws.ts'
import { err, ok, type Result } from '../../result.ts'
import { resolveDidKeys } from '../../trust/did/did.ts'
import { readId } from '../../trust/vcdm.ts'
import type { Context, HolderRefusal, RequestBinding } from '../verification/format.ts'
import { checkMissingProof, isCurrent, matchRequest, parseHolderKey } from '../verification/holder-proof.ts'
import { tracer } from '../verification/tracer.ts'
import type { Credential } from './credential.ts'
import type { DecodedPresentation, SignedJwt } from './presentation.ts'

/**
 * Verifies holder binding. Returns the key that signed the VP JWT. Returns `undefined` if no proof was sent
 * and the query requires none.
 */
export async function verifyHolderBinding(
  { presentation, credential }: DecodedPresentation,
  { subject }: Credential,
  expected: RequestBinding,
  context: Context,
): Promise<Result<PublicJwk | undefined, HolderRefusal>> {
  if (presentation === undefined) {
    const missing = checkMissingProof(expected, context.trace)
    return missing.ok ? ok(undefined) : missing
  }
  const proven = await verifyProof(presentation, { subject, credential }, expected, context)
  const proof = tracer(context.trace)('holder_binding', proven)
  if (!proof.ok) return proof
  const matched = matchRequest(presentation.jws.payload, expected, context.trace)
  return matched.ok ? proof : matched
}

/** The holder that the issuer named: by the `cnf` of the credential, or by its subject. */
type Holder = { readonly subject: string | undefined; readonly credential: SignedJwt }

async function verifyProof(
  { jws, content: vp }: SignedJwt,
  holder: Holder,
  { requestedAt }: RequestBinding,
  context: Context,
): Promise<Result<PublicJwk, HolderRefusal>> {
  const presenter = parsePresenter(member(jws.payload, 'iss'), readId(member(vp, 'holder')))
  const kid = member(jws.header, 'kid')
  if (presenter === undefined || (kid !== undefined && typeof kid !== 'string'))
    return err({ reason: 'malformed_holder_binding' })
  const keys = await resolveHolderKeys(holder, presenter, { kid, algorithm: jws.algorithm.name }, context)
  if (!keys.ok) return keys
  const verified = await Promise.all(keys.value.map((key) => verifyJws(jws, key)))
  const key = keys.value[verified.indexOf(true)]
  if (key === undefined) return err({ reason: 'invalid_holder_signature' })
  const current = isCurrent(jws.payload, { ...context, requestedAt })
  if (current === undefined) return err({ reason: 'malformed_holder_binding' })
  return current ? ok(key) : err({ reason: 'holder_binding_not_current' })
}

/**
 * Returns the presenter: `iss` of the proof, or `holder` if the proof has no `iss`. If both are present, they
 * must be equal (VCDM 1.1 §6.3.1). Returns an empty string if both are absent. Returns `undefined` if they
 * differ, or if one is empty or not a string.
 */
function parsePresenter(iss: Json | undefined, holder: Json | undefined): string | undefined {
  const presenter = iss === undefined ? holder : iss
  if (presenter === undefined) return ''
  const isName = typeof presenter === 'string' && presenter !== ''
  return isName && (holder === undefined || holder === presenter) ? presenter : undefined
}

/**
 * Returns the keys that may sign the proof. If the issuer signed a `cnf`, only its key may sign. Otherwise
 * the keys of the subject's DID may sign.
 */
async function resolveHolderKeys(
  { subject, credential: { jws } }: Holder,
  presenter: string,
  signature: { readonly kid: string | undefined; readonly algorithm: string },
  context: Context,
): Promise<Result<readonly PublicJwk[], HolderRefusal>> {
  if (Object.hasOwn(jws.payload, 'cnf')) {
    const key = parseHolderKey(jws.payload, context)
    return key === undefined ? err({ reason: 'holder_key_missing' }) : ok([key])
  }
  if (subject?.startsWith('did:') !== true) return err({ reason: 'holder_key_missing' })
  if (presenter !== '' && presenter !== subject) return err({ reason: 'invalid_holder_signature' })
  // For a did:web, the DID document is fetched from the host in the DID. This is allowed, because a trusted
  // issuer signed the DID (api/outgoing).
  const keys = await resolveDidKeys(subject, 'authentication', signature, context)
  if (keys.ok) return keys
  return err({ reason: keys.error === 'unavailable' ? 'holder_key_unavailable' : 'holder_key_missing' })
}
