// One presentation of an SD-JWT VC with key binding, verified by this project, by the library most use, and by the platform's
// signature check alone: the floor that no verifier gets below. Each throws where it does not accept the presentation.

import { X509Certificate } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { decodeBase64, decodeBase64url } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import { verifySdJwtVc } from '../../src/formats/sd-jwt-vc/verify.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'

export type SdJwtVcInput = {
  /** Verified in turn. */
  readonly presentations: readonly string[]
  readonly anchor: TrustAnchor
  readonly vct: string
  readonly nonce: string
  readonly audience: string
  /** Unix seconds. */
  readonly now: number
  /** Keys as the library's caller has them at hand: the issuer's of the JWKS, or the root its chain must lead to. */
  readonly issuerJwk: JsonWebKey | null
  readonly rootPem: string | null
  /** How many ES256 verifications the presentation takes: signatures of JWT and KB-JWT, and of each certificate. */
  readonly signatures: number
}

/** EventCounts on from one request to the next: none of the presentations comes again before its turn. */
let verified = 0

export async function verifyWithOurs(input: SdJwtVcInput): Promise<void> {
  const { presentations, nonce, audience, now, anchor, vct } = input
  const presentation = presentations[verified++ % presentations.length] ?? ''
  const handover = {
    kind: 'redirect',
    responseUri: 'https://verifier.example/',
    encryptionKey: null,
  } as const
  const expected = { nonce, audience, holderBinding: true, requestedAt: now - 20, handover }
  const result = await verifySdJwtVc(presentation, expected, {
    now,
    anchors: [anchor],
    typeOf: (_, identifier) => (identifier === vct ? { name: 'pid', builtIn: true } : undefined),
    fetchResource: () => Promise.reject(new Error('nothing is fetched')),
    trace: () => undefined,
  })
  if (!result.ok) throw new Error(result.error.reason)
  if (Object.keys(result.value.claims).length < 10) throw new Error('claims are missing')
}

/** As the library's documentation has it: keys and path are the caller's to bring, nonce and audience his to give. */
export async function verifyWithLibrary(input: SdJwtVcInput): Promise<void> {
  const [presentation = ''] = input.presentations // it remembers none
  const instance = new SDJwtVcInstance({
    hasher: async (data, algorithm) => {
      const bytes = typeof data === 'string' ? utf8(data) : new Uint8Array(data)
      return new Uint8Array(await crypto.subtle.digest(algorithm, bytes))
    },
    verifier: async (data, signature) => {
      const jwk = input.issuerJwk ?? leafKey(presentation, input)
      return verifyEs256(await importEs256(jwk), signature, data)
    },
    kbVerifier: async (data, signature, payload) => {
      const { cnf } = payload as { cnf?: { jwk: JsonWebKey } }
      return cnf !== undefined && verifyEs256(await importEs256(cnf.jwk), signature, data)
    },
  })
  const { kb } = await instance.verify(presentation, {
    keyBindingNonce: input.nonce,
    currentDate: input.now,
  })
  if (kb?.payload.aud !== input.audience) throw new Error('not the audience')
}

/** The path of the chain in `x5c`, checked by the platform: names, signatures, dates. */
function leafKey(presentation: string, { rootPem, now }: SdJwtVcInput): JsonWebKey {
  const header = decodeBase64url(presentation.slice(0, presentation.indexOf('.'))) ?? new Uint8Array()
  const { x5c } = JSON.parse(new TextDecoder().decode(header)) as { x5c: readonly string[] }
  const chain = x5c.map((text) => new X509Certificate(decodeBase64(text) ?? new Uint8Array()))
  const path = [...chain, new X509Certificate(rootPem ?? '')]
  chain.forEach((certificate, i) => {
    const issuer = path[i + 1] as X509Certificate
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) throw new Error('no path')
    if (Date.parse(certificate.validTo) < now * 1000) throw new Error('expired')
  })
  return (chain[0] as X509Certificate).publicKey.export({ format: 'jwk' }) as JsonWebKey
}

/** Keys are imported already, inputs are decoded already: the mathematics and nothing else. */
export async function verifyNothingButSignatures(input: SdJwtVcInput): Promise<void> {
  const { key, signature, data } = await knownSignature(input)
  for (let i = 0; i < input.signatures; i++) {
    if (!(await crypto.subtle.verify(ES256, key, signature, data))) throw new Error('not verified')
  }
}

type KnownSignature = { key: CryptoKey; signature: Uint8Array<ArrayBuffer>; data: Uint8Array<ArrayBuffer> }

let known: Promise<KnownSignature> | undefined

/** Of a credential's usual length, made once. */
function knownSignature({ presentations: [presentation = ''] }: SdJwtVcInput): Promise<KnownSignature> {
  known ??= (async () => {
    const data = utf8(presentation.slice(0, presentation.indexOf('~')))
    const pair = await crypto.subtle.generateKey(ES256_KEY, false, ['sign', 'verify'])
    const { privateKey, publicKey } = pair as CryptoKeyPair
    const signature = new Uint8Array(await crypto.subtle.sign(ES256, privateKey, data))
    return { key: publicKey, signature, data }
  })()
  return known
}

const ES256 = { name: 'ECDSA', hash: 'SHA-256' }
const ES256_KEY = { name: 'ECDSA', namedCurve: 'P-256' }

function importEs256(jwk: JsonWebKey): Promise<CryptoKey> {
  return crypto.subtle.importKey('jwk', jwk, ES256_KEY, false, ['verify'])
}

function verifyEs256(key: CryptoKey, signature: string, data: string): Promise<boolean> {
  return crypto.subtle.verify(ES256, key, decodeBase64url(signature) ?? new Uint8Array(), utf8(data))
}
