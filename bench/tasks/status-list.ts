// One credential looked up in a Token Status List: remembered from an earlier look, and fetched for the first time where the
// list is made to hurt. Each throws where the answer is another than it should be.

import { utf8 } from '../../src/codec/bytes.ts'
import type { FetchResource } from '../../src/net/guarded-fetch.ts'
import { ok } from '../../src/result.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { checkStatus } from '../../src/trust/status/status-list.ts'

export type StatusListInput = {
  readonly token: string
  readonly uri: string
  readonly index: number
  readonly anchor: TrustAnchor
  /** Unix seconds. */
  readonly now: number
}

/** The list is a million entries and was fetched before: trust and entry are asked anew. */
export async function lookUpRemembered(input: StatusListInput): Promise<void> {
  remembered ??= served(input)
  const found = await lookUp(input, remembered)
  if (!found.ok || found.value.status !== 'valid') throw new Error('not valid')
}

let remembered: FetchResource | undefined

/** A list that inflates to 64 MiB, fetched by nobody before. */
export async function lookUpBomb(input: StatusListInput): Promise<void> {
  const found = await lookUp(input, served(input))
  if (found.ok || found.error !== 'too_large') throw new Error('not refused for its size')
}

/** What a look costs at the least that trusts nothing: one ES256 verification of a text of usual length, key imported. */
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
  return checkStatus({ uri, index, form: 'jwt' }, context)
}

/** A fetcher that nothing is remembered for. */
function served({ token }: StatusListInput): FetchResource {
  const body = utf8(token)
  return async () => ok({ body, contentType: 'application/statuslist+jwt' })
}
