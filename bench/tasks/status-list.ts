// Looks up one credential in a Token Status List: a cached list, or a hostile list that is fetched first.
// Each function throws on an unexpected result.

import { utf8 } from '../../src/codec/bytes.ts'
import type { FetchResource } from '../../src/net/guarded-fetch.ts'
import { ok } from '../../src/result.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { STATUS_LIST_JWT } from '../../src/trust/status/status-jwt.ts'
import { checkStatus } from '../../src/trust/status/status-list.ts'

export type StatusListInput = {
  readonly token: string
  readonly uri: string
  readonly index: number
  readonly anchor: TrustAnchor
  /** Unix seconds. */
  readonly now: number
}

/** Looks up an entry of a cached list of a million entries. Trust and entry are checked each time. */
export async function lookUpRemembered(input: StatusListInput): Promise<void> {
  remembered ??= served(input)
  const found = await lookUp(input, remembered)
  if (!found.ok || found.value.status !== 'valid') throw new Error('not valid')
}

let remembered: FetchResource | undefined

/** Looks up a list that inflates to 64 MiB and is not cached. */
export async function lookUpBomb(input: StatusListInput): Promise<void> {
  const found = await lookUp(input, served(input))
  if (found.ok || found.error !== 'too_large') throw new Error('not refused for its size')
}

/**
 * Lower bound of a lookup that checks trust: one ES256 verification. The text has a usual length, and the key
 * is imported already.
 */
export async function verifyOneSignature(): Promise<void> {
  known ??= makeSignature()
  const { key, signature, data } = await known
  if (!(await crypto.subtle.verify(ES256, key, signature, data))) throw new Error('not verified')
}

let known: ReturnType<typeof makeSignature> | undefined

async function makeSignature() {
  const data = crypto.getRandomValues(new Uint8Array(1024))
  const curve = { name: 'ECDSA', namedCurve: 'P-256' }
  const pair = (await crypto.subtle.generateKey(curve, false, ['sign', 'verify'])) as CryptoKeyPair
  const signature = await crypto.subtle.sign(ES256, pair.privateKey, data)
  return { key: pair.publicKey, signature, data }
}

const ES256 = { name: 'ECDSA', hash: 'SHA-256' }

function lookUp({ uri, index, anchor, now }: StatusListInput, fetchResource: FetchResource) {
  const credentialType = { name: 'pid', builtIn: true }
  const context = { now, anchors: [anchor], fetchResource, credentialType, credentialAnchor: anchor }
  return checkStatus({ uri, index, form: STATUS_LIST_JWT }, context)
}

/** Returns a fetcher without a cache. */
function served({ token }: StatusListInput): FetchResource {
  const body = utf8(token)
  return async () => ok({ body, contentType: 'application/statuslist+jwt' })
}
