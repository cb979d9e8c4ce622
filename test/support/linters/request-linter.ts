// Rules of a signed request in its protocol, checked from outside: by the scanned URI, the response of
// `request_uri` and its Request Object. No code of the service is used. Each rule has its number in the list
// of obligations (R1–R32) and its clause.

import { X509Certificate } from 'node:crypto'
import {
  calculateJwkThumbprint,
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWK,
} from 'jose'
import type { DidDocument } from '../certificates/verifier-key.ts'
import { DRAFT_RULES } from './draft-rules.ts'
import { IDENTITY_RULES } from './identity-rules.ts'
import { type Loose, type Opened, RULES } from './request-rules.ts'

/** One request as a wallet receives it. */
export type ObservedRequest = {
  /** `openid4vp://?…` */
  readonly uri: string
  /** The body of the answer to `request_uri`. */
  readonly requestObject: string
  /** The HTTP response; absent without HTTP. */
  readonly http?: { readonly status: number; readonly headers: Headers }
  /** The `wallet_nonce` that the wallet posted. */
  readonly walletNonce?: string | undefined
  /** Unix seconds. */
  readonly now: number
  /** Document at the address of the Client Identifier's DID. */
  readonly didDocument?: DidDocument
  /** Default: `openid4vp-1.0`. */
  readonly protocol?: string
  /** True if the relying party requested a confirmation. */
  readonly asksTransactionData?: boolean
}

export type Violation = { readonly rule: string; readonly message: string }

/** Makes a linter. It remembers keys and nonces, as both must be fresh for each request (R1, R30). */
export function createRequestLinter(): (request: ObservedRequest) => Promise<Violation[]> {
  const nonceOfKey = new Map<string, string>()
  const stateOfNonce = new Map<string, string>()
  return async (observed) => {
    const request = await open(observed)
    const { protocol = 'openid4vp-1.0' } = observed
    const rules = [...RULES, ...IDENTITY_RULES, ...DRAFT_RULES].filter(([, , , protocols = [protocol]]) =>
      protocols.includes(protocol),
    )
    const found = rules
      .filter(([, , holds]) => !holdsSafely(holds, request))
      .map(([rule, message]) => ({
        rule,
        message,
      }))
    const { nonce, state } = request.claims
    if (remember(stateOfNonce, nonce, state) !== state) found.push({ rule: 'R1', message: 'nonce is fresh' })
    if (request.thumbprint !== undefined && remember(nonceOfKey, request.thumbprint, nonce) !== nonce) {
      found.push({ rule: 'R30', message: 'encryption key is fresh' })
    }
    return found
  }
}

function remember(map: Map<string, string>, key: string, value: string): string {
  if (!map.has(key)) map.set(key, value)
  return map.get(key)!
}

/** Decodes every part of the request that a rule reads. */
export async function open(observed: ObservedRequest): Promise<Opened> {
  const header: Loose = decodeProtectedHeader(observed.requestObject)
  const claims: Loose = decodeJwt(observed.requestObject)
  const chain = (header.x5c ?? []).map((der: string) => new X509Certificate(Buffer.from(der, 'base64')))
  const key = claims.client_metadata?.jwks?.keys?.[0]
  const signingJwk = signingJwkOf(header, chain[0], observed)
  return {
    ...observed,
    outer: new URL(observed.uri).searchParams,
    header,
    claims,
    metadata: claims.client_metadata ?? {},
    encrypted: String(claims.response_mode).endsWith('.jwt'),
    chain,
    signingJwk,
    signed: await isSigned(observed.requestObject, signingJwk),
    thumbprint: key === undefined ? undefined : await calculateJwkThumbprint(key),
  }
}

/** The key that the header of the request proves. */
function signingJwkOf(header: Loose, leaf: X509Certificate | undefined, { didDocument }: ObservedRequest) {
  if (leaf !== undefined) return leaf.publicKey.export({ format: 'jwk' }) as JWK
  if (header.jwt !== undefined) return decodeJwt<{ cnf: { jwk: JWK } }>(header.jwt).cnf.jwk
  return didDocument?.verificationMethod.find(({ id }) => id === header.kid)?.publicKeyJwk
}

async function isSigned(jws: string, jwk: JWK | undefined): Promise<boolean> {
  if (jwk === undefined) return false
  const { d: _, ...publicJwk } = jwk
  return compactVerify(jws, await importJWK(publicJwk, 'ES256'), { algorithms: ['ES256'] }).then(
    () => true,
    () => false,
  )
}

/** A rule is broken if the request lacks the part that the rule reads. */
export function holdsSafely<T>(holds: (request: T) => unknown, request: T): boolean {
  try {
    return holds(request) === true
  } catch {
    return false
  }
}
