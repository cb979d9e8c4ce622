// The VP JWT as proof of possession (OpenID4VP 1.0 B.1.3.1.5): signed by the key or the DID that the verified credential
// names, for this request. What the presentation says of its holder selects; it proves nothing.

import { isJsonObject, type Json, member } from '../../codec/json.ts'
import { type PublicJwk, parsePublicJwk } from '../../crypto/jwk.ts'
import { verifyJws } from '../../crypto/jws.ts'
import { err, ok, type Result } from '../../result.ts'
import { resolveDidKeys } from '../../trust/did/did.ts'
import { idOf } from '../../trust/vcdm.ts'
import type { Context, HolderRefusal, RequestBinding } from '../format.ts'
import { isCurrent } from '../proof-currency.ts'
import { tracer } from '../tracer.ts'
import type { Credential } from './credential.ts'
import type { DecodedPresentation, SignedJwt } from './presentation.ts'

/** Tells whether the presenter is the holder. Binding may be left out where our request did not ask for it; a proof that is there counts. */
export async function verifyHolderBinding(
  { presentation, credential: { jws } }: DecodedPresentation,
  credential: Credential,
  expected: RequestBinding,
  context: Context,
): Promise<Result<boolean, HolderRefusal>> {
  const traced = tracer(context.trace)
  if (presentation === undefined && expected.holderBinding)
    return traced('holder_binding', err({ reason: 'holder_binding_missing' }))
  if (presentation === undefined) {
    for (const check of ['holder_binding', 'nonce', 'audience'] as const) context.trace(check, 'skip')
    return ok(false)
  }
  const holder = { subject: credential.subject, confirmation: member(jws.payload, 'cnf') }
  const proof = traced('holder_binding', await verifyProof(presentation, holder, expected, context))
  if (!proof.ok) return proof
  const { payload } = presentation.jws
  // §14.1, §14.8: exactly ours, as strings; a list of audiences may name others beside us.
  const nonce = traced('nonce', matching(member(payload, 'nonce') === expected.nonce, 'nonce_mismatch'))
  if (!nonce.ok) return nonce
  return traced('audience', matching(member(payload, 'aud') === expected.audience, 'audience_mismatch'))
}

function matching<Reason extends HolderRefusal['reason']>(
  isMatch: boolean,
  reason: Reason,
): Result<true, { readonly reason: Reason }> {
  return isMatch ? ok(true) : err({ reason })
}

/** Who the issuer says the holder is. */
type Holder = { readonly subject: string | undefined; readonly confirmation: Json | undefined }

async function verifyProof(
  { jws, content: vp }: SignedJwt,
  holder: Holder,
  { requestedAt }: RequestBinding,
  context: Context,
): Promise<Result<true, HolderRefusal>> {
  const presenter = readPresenter(member(jws.payload, 'iss'), idOf(member(vp, 'holder')))
  const kid = member(jws.header, 'kid')
  if (presenter === undefined || (kid !== undefined && typeof kid !== 'string'))
    return err({ reason: 'malformed_holder_binding' })
  const keys = await holderKeys(holder, presenter, { kid, algorithm: jws.algorithm.name }, context)
  if (!keys.ok) return keys
  const verdicts = await Promise.all(keys.value.map((key) => verifyJws(jws, key)))
  if (!verdicts.includes(true)) return err({ reason: 'invalid_holder_signature' })
  const current = isCurrent(jws.payload, { now: context.now, requestedAt })
  if (current === undefined) return err({ reason: 'malformed_holder_binding' })
  return matching(current, 'holder_binding_not_current')
}

/** VCDM 1.1 §6.3.1: `iss` is the `holder`. An empty word where neither is there; `undefined` where they are no words or two. */
function readPresenter(iss: Json | undefined, holder: Json | undefined): string | undefined {
  const presenter = iss ?? holder ?? ''
  return typeof presenter === 'string' && (holder ?? presenter) === presenter ? presenter : undefined
}

/** The keys that the proof may have been made with: the issuer's `cnf` alone where there is one, else those of the subject's DID. */
async function holderKeys(
  { subject, confirmation }: Holder,
  presenter: string,
  signature: { readonly kid: string | undefined; readonly algorithm: string },
  context: Context,
): Promise<Result<readonly PublicJwk[], HolderRefusal>> {
  if (confirmation !== undefined) {
    const key = isJsonObject(confirmation) ? parsePublicJwk(member(confirmation, 'jwk')) : undefined
    return key === undefined ? err({ reason: 'holder_key_missing' }) : ok([key])
  }
  if (subject?.startsWith('did:') !== true) return err({ reason: 'holder_key_missing' })
  if (presenter !== '' && presenter !== subject) return err({ reason: 'invalid_holder_signature' })
  // CONTRACT 7: a did:web is fetched here because a trusted issuer signed it.
  const keys = await resolveDidKeys(subject, 'authentication', signature, context)
  if (keys.ok) return keys
  return err({ reason: keys.error === 'unavailable' ? 'holder_key_unavailable' : 'holder_key_missing' })
}
