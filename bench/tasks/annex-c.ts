// Opens and verifies one response of `org-iso-mdoc`. The candidates are this project, and the platform's
// cryptography alone. Each function throws if it does not accept the response.

import { openHpke } from '../../src/crypto/hpke.ts'
import type { PrivateJwk } from '../../src/crypto/jwk.ts'
import { buildDcApiTranscript } from '../../src/formats/mdoc/session-transcript.ts'
import { parseDocuments } from '../../src/iso18013-7/device-response.ts'
import { parseEncryptedResponse } from '../../src/iso18013-7/encrypted-response.ts'
import { mdocOfAnnexC } from '../../src/iso18013-7/format.ts'
import { documentQuery } from '../../src/openid4vp/dcql/document-query.ts'
import type { DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'
import { type MdocInput, verifyNothingButProofs } from './mdoc.ts'

export type AnnexCInput = Pick<MdocInput, 'now' | 'signatures' | 'hashed'> & {
  readonly response: string
  readonly origin: string
  readonly encryptionInfo: string
  readonly encryptionKey: PrivateJwk
  readonly anchor: TrustAnchor
  readonly query: DcqlQuery
}

export async function openAnnexCWithOurs(input: AnnexCInput): Promise<void> {
  const { response, origin, encryptionInfo, encryptionKey, query, now, anchor } = input
  const message = parseEncryptedResponse({ response })
  const info = await buildDcApiTranscript({ origin, encryptionInfo })
  const opened = message.ok ? await openHpke(message.value, encryptionKey, { info }) : undefined
  const documents = documentQuery(query)
  const parsed = opened && documents && parseDocuments(opened, query, documents)
  if (!parsed?.ok) throw new Error('the response does not open')
  const handover = { kind: 'iso_dc_api', origin, encryptionInfo, encryptionKey } as const
  const expected = { nonce: '', audience: '', holderBinding: true, requestedAt: now - 20, handover }
  for (const presentation of parsed.value.groups.flatMap(({ presentations }) => presentations)) {
    const verified = await mdocOfAnnexC.verify(presentation, expected, {
      now,
      anchors: [anchor],
      typeOf: () => ({ name: 'mdl', builtIn: true }),
      fetchResource: () => Promise.reject(new Error('nothing is fetched')),
      trace: () => undefined,
    })
    if (!verified.ok) throw new Error(verified.error.reason)
  }
}

/** HMACs of HPKE: extract and expand in the KEM, then three extracts and two expands in the key schedule. */
const HMACS = 7

/** One key agreement, the HMACs, one decryption, and the signatures and hashes. Keys are imported already. */
export async function openNothingButProofs(input: AnnexCInput): Promise<void> {
  const { pair, hmac, aes, sealed } = await material(input.response.length)
  await crypto.subtle.deriveBits({ name: 'ECDH', public: pair.publicKey } as never, pair.privateKey, 256)
  for (let i = 0; i < HMACS; i++) await crypto.subtle.sign('HMAC', hmac, new Uint8Array(64))
  await crypto.subtle.decrypt(GCM, aes, sealed)
  await verifyNothingButProofs(input as never)
}

const ECDH = { name: 'ECDH', namedCurve: 'P-256' }
const GCM = { name: 'AES-GCM', iv: new Uint8Array(12) }

let known: ReturnType<typeof createMaterial> | undefined

function material(characters: number) {
  known ??= createMaterial(characters)
  return known
}

async function createMaterial(characters: number) {
  const pair = (await crypto.subtle.generateKey(ECDH, false, ['deriveBits'])) as CryptoKeyPair
  const hmacKey = { name: 'HMAC', hash: 'SHA-256' }
  const hmac = await crypto.subtle.importKey('raw', new Uint8Array(32), hmacKey, false, ['sign'])
  const aes = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ])
  const plaintext = new Uint8Array(Math.floor((characters * 3) / 4))
  return { pair, hmac, aes, sealed: await crypto.subtle.encrypt(GCM, aes, plaintext) }
}
