// The `sub` of a login: random for one login, or the same whenever the same person logs in to one of the
// relying party's clients. Two relying parties never share a `sub`.

import { encodeBase64url } from '../../codec/base64url.ts'
import { concatBytes, utf8 } from '../../codec/bytes.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { randomBytes } from '../../crypto/random.ts'
import { type Decision, type Policy, waivesHolderBinding } from '../../policy/policy.ts'
import type { SubjectRule } from '../../relying-party/oidc/client.ts'
import type { ProvenClaim } from './released-claims.ts'

/**
 * Version of the computation of a pairwise `sub`. A pairwise `sub` begins with this version (without a prefix
 * in the first version). So each `sub` that a client has stored shows how it was computed.
 */
const VERSION = '2'

/** The `sub`, and the index of the credential from which it is computed; null for a random `sub`. */
export type Subject = { readonly sub: string; readonly credential: number | null }

/**
 * Returns the `sub`. Returns `undefined` if no credential with holder binding has every claim that the rule
 * names.
 */
export async function deriveSubject(
  rule: SubjectRule,
  {
    decision,
    policy,
    proven,
    relyingPartyId,
    key,
  }: {
    readonly decision: Decision
    readonly policy: Policy
    readonly proven: readonly ProvenClaim[]
    readonly relyingPartyId: string
    readonly key: Uint8Array<ArrayBuffer>
  },
): Promise<Subject | undefined> {
  if (rule.type === 'transient') return { sub: encodeBase64url(randomBytes(32)), credential: null }
  // The names are sorted, so that their order in the client's settings does not change the `sub`.
  const names = rule.claims.toSorted()
  for (const [credential, { id, credential_type }] of decision.credentials.entries()) {
    if (waivesHolderBinding(policy, id)) continue
    // All values come from this credential, because one query may return credentials of several issuers.
    const claims = proven.filter((one) => one.credential === credential)
    const values = names.map((name) => claims.find((one) => one.name === name)?.value)
    const texts = values.filter((value) => typeof value === 'string' && value !== '')
    const namespace = decision.subjectNamespaces[credential]
    if (namespace === undefined || texts.length < names.length) continue
    // The type and the names are part of the HMAC's input. In another credential type or another claim, the
    // same value may belong to another person.
    const pairs = names.flatMap((name, i) => [name, String(values[i])])
    const parts = [VERSION, relyingPartyId, namespace, credential_type, ...pairs]
    const digest = await hmacSha256(key, concatBytes(...parts.map(prefixed)))
    return { sub: `${VERSION}.${encodeBase64url(digest)}`, credential }
  }
  return undefined
}

/**
 * Returns the length of a text in bytes, followed by its bytes. So two different lists of texts never give
 * the same input of the HMAC.
 */
function prefixed(text: string): Uint8Array<ArrayBuffer> {
  const bytes = utf8(text)
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, bytes.length)
  return concatBytes(length, bytes)
}
