// Verifies one SD-JWT VC with key binding. The candidates are this project, the most used library, and
// signature checks and digests of the platform alone. The last is the lower bound of every verifier. Each
// function throws if it does not accept the presentation.

import { X509Certificate } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { decodeBase64, decodeBase64url, encodeBase64url } from '../../src/codec/base64url.ts'
import { utf8 } from '../../src/codec/bytes.ts'
import { verifySdJwtVc } from '../../src/formats/sd-jwt-vc/verify.ts'
import type { TrustAnchor } from '../../src/trust/anchors/anchor.ts'

export type SdJwtVcInput = {
  /** Presentations that are verified in turn. */
  readonly presentations: readonly string[]
  readonly anchor: TrustAnchor
  readonly vct: string
  readonly nonce: string
  readonly audience: string
  /** Unix seconds. */
  readonly now: number
  /** Keys that the library's caller must provide: the issuer's JWK, or the root of its chain. */
  readonly issuerJwk: JsonWebKey | null
  readonly rootPem: string | null
  /** Number of ES256 verifications of one presentation: JWT, KB-JWT, and each certificate. */
  readonly signatures: number
}

/** Counter over all requests, so that no presentation repeats before its turn. */
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

/**
 * Verifies as the library's documentation shows. The caller provides keys and path, and checks nonce and
 * audience.
 */
export async function verifyWithLibrary(input: SdJwtVcInput): Promise<void> {
  const [presentation = ''] = input.presentations // the library caches no presentation
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

/** Returns the leaf's key after a check of the chain in `x5c` by the platform: names, signatures, dates. */
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

/**
 * Verifies signatures and computes the digests that the standard demands: of each disclosure
 * (RFC 9901 §4.2.3) and of the presentation, `sd_hash` (§4.3.1). Keys are imported and inputs are decoded
 * already.
 */
export async function verifyNothingButProofs(input: SdJwtVcInput): Promise<void> {
  const { key, signature, data, hashed } = await knownMaterial(input)
  for (let i = 0; i < input.signatures; i++) {
    if (!(await crypto.subtle.verify(ES256, key, signature, data))) throw new Error('not verified')
  }
  for (const bytes of hashed) encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

type Bytes = Uint8Array<ArrayBuffer>
type KnownMaterial = { key: CryptoKey; signature: Bytes; data: Bytes; hashed: readonly Bytes[] }

let known: Promise<KnownMaterial> | undefined

/** Returns a signature of a credential of usual length, and what is hashed, created once. */
function knownMaterial({ presentations: [presentation = ''] }: SdJwtVcInput): Promise<KnownMaterial> {
  known ??= (async () => {
    const [jwt = '', ...disclosures] = presentation.split('~').slice(0, -1)
    const data = utf8(jwt)
    const pair = await crypto.subtle.generateKey(ES256_KEY, false, ['sign', 'verify'])
    const { privateKey, publicKey } = pair as CryptoKeyPair
    const signature = new Uint8Array(await crypto.subtle.sign(ES256, privateKey, data))
    const unbound = presentation.slice(0, presentation.lastIndexOf('~') + 1)
    return { key: publicKey, signature, data, hashed: [...disclosures, unbound].map(utf8) }
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
