// Public resources that a decision used, for evidence (api/evidence). Status lists, revocation lists and
// trust lists are materials, which are stored outside the evidence container. DID documents and other
// documents with keys are files in the container.

import { utf8 } from '../../codec/bytes.ts'
import type { Config } from '../../config.ts'
import type { Env } from '../../env.ts'
import type { EvidenceInput, FetchedKeys } from '../../evidence/container/input.ts'
import type { FetchedCopy } from '../../net/guarded-fetch.ts'
import { buildDidDocument } from '../../openid4vp/request/verifier-did.ts'
import { keepMaterial } from '../../relying-party/materials/keep-material.ts'
import { keepIssue } from '../../relying-party/trust-lists/trust-lists.ts'
import type { ListReference } from '../../trust/anchors/anchor.ts'
import type { SessionDocument } from '../document/document.ts'
import { openVerifier } from '../request/generation-keys.ts'
import type { RequestTerms } from '../request/terms.ts'

/**
 * Resources that a decision used. `lacksTrustList`: true if a trust list that vouched for a credential is not
 * in `materials`.
 */
type UsedResources = Pick<EvidenceInput, 'materials' | 'fetched_keys'> & { readonly lacksTrustList: boolean }

/**
 * Stores the lists as materials, which are kept outside the evidence container. Returns the materials and the
 * documents with keys. Throws if a list that the evaluation fetched cannot be stored. `copies`: the resources
 * that the evaluation fetched. `vouching`: the trust lists of the anchors that vouched for the credentials.
 * `now` is Unix milliseconds.
 */
export async function usedResources(
  env: Env,
  { relying_party_id }: SessionDocument,
  {
    copies,
    vouching,
  }: { readonly copies: readonly FetchedCopy[]; readonly vouching: readonly ListReference[] },
  now: number,
): Promise<UsedResources> {
  const lists = copies.filter((copy) => !isKeys(copy))
  const issues = await Promise.all(vouching.map((list) => keepIssue(env, list, relying_party_id, now)))
  const kept = await Promise.all(
    lists.map(async ({ url, media_type, body, fetched_at }) => {
      const sha256 = await keepMaterial(env, body, relying_party_id, now)
      return { sha256, bytes: body.length, media_type, source: url, fetched_at }
    }),
  )
  return {
    materials: [...kept, ...issues.filter((issue) => issue !== undefined)],
    lacksTrustList: issues.includes(undefined),
    fetched_keys: copies.filter(isKeys).map(({ url, media_type, body, fetched_at }) => {
      return { kind: media_type.includes('did') ? 'did' : 'issuer', body, source: url, fetched_at }
    }),
  }
}

/** Returns true for a DID document, issuer metadata or a key set. Every other resource is a list. */
function isKeys({ media_type }: FetchedCopy): boolean {
  return media_type.endsWith('json')
}

/**
 * Returns the DID document with the key that signed the request, if a DID identifies the verifier. The
 * published document of a did:web may later have other keys.
 */
export async function verifierKeys(config: Config, terms: RequestTerms): Promise<readonly FetchedKeys[]> {
  const identity = 'kid' in terms.verifier ? await openVerifier(config, terms) : null
  if (identity === null || !('kid' in identity.proof)) return []
  const [did = ''] = identity.proof.kid.split('#', 1)
  const document = await buildDidDocument(did, [identity.signingJwk])
  return [{ kind: 'did', body: utf8(JSON.stringify(document)) }]
}
