// The decoded content of a response, by decoders that share nothing with src/. A changed response may end as
// verified only if its content is that of the good one.
//
// - JWS: header and payload as far as they bind, the bytes of the issuer's parts, and if the signature of the
//   holder verifies.
// - mdoc: for each document the signed bytes, the signatures, the protected headers and the certificates.
// - JWE and HPKE: the bytes of every part.
//
// The spelling of form, JSON, CBOR and base64url is no content, and unknown members are none.

import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { decode, Tagged } from 'cborg'
import { CBOR } from './mutations.ts'

export type Parameters = Readonly<Record<string, unknown>>

/** Returns the content of response parameters, before encryption. */
export function contentOf({ vp_token, state, presentation_submission }: Parameters): unknown {
  return {
    presentations: presentationsIn(parsed(vp_token)),
    state,
    submission: submissionIn(presentation_submission),
  }
}

function presentationsIn(token: unknown): unknown {
  if (Array.isArray(token)) return token.map(presentationContent)
  if (typeof token !== 'object' || token === null) return [presentationContent(token)]
  return Object.fromEntries(
    Object.entries(token).map(([id, group]) => [id, [group].flat().map(presentationContent)]),
  )
}

/** The members that name the presentation of each descriptor. `path_nested` repeats its format. */
function submissionIn(submission: unknown): unknown {
  const value = parsed(submission) as { definition_id?: unknown; descriptor_map?: unknown } | undefined
  if (typeof value !== 'object' || value === null) return value
  const map = value.descriptor_map
  const rows = Array.isArray(map) ? map.map((row) => [row?.id, row?.path]) : map
  return [value.definition_id, rows]
}

/** Parses JSON in a parameter of a plain response. Other values are returned unchanged. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{["]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Returns the content of one presentation; its text if it cannot be decoded. */
export function presentationContent(presentation: unknown): unknown {
  if (typeof presentation !== 'string') return presentation
  try {
    if (presentation.includes('~')) return sdJwtContent(presentation)
    return presentation.includes('.') ? vpContent(presentation) : mdocContent(bytesIn(presentation))
  } catch {
    return presentation
  }
}

function sdJwtContent(text: string): unknown {
  const [issuerJwt = '', ...disclosures] = text.split('~')
  const kbJwt = disclosures.pop() ?? ''
  const [, issued] = issuerJwt.split('.').map(bytesIn)
  const { cnf, _sd_alg: hash = 'sha-256' } = JSON.parse(String(issued))
  const covered = text.slice(0, text.lastIndexOf('~') + 1)
  const digest = createHash(hash.replace('-', '')).update(covered).digest('base64url')
  return {
    issuerJwt: decodedParts(issuerJwt),
    disclosures: disclosures.map((one) => bytesIn(one).toString('hex')),
    holder: jwsContent(kbJwt, cnf.jwk, ['nonce', 'aud']),
    covers: JSON.parse(String(bytesIn(kbJwt.split('.')[1] ?? ''))).sd_hash === digest,
  }
}

function vpContent(text: string): unknown {
  const [header, payload] = text.split('.').slice(0, 2).map(jsonIn)
  const credentials = [payload.vp?.verifiableCredential].flat()
  const did = jsonIn(String(credentials[0]).split('.')[1]).sub
  return {
    holder: jwsContent(text, didJwk(did), ['nonce', 'aud']),
    // The credential names its holder. Both are optional in a presentation (VCDM 1.1 §6.3.1).
    iss: payload.iss ?? did,
    kid: header.kid ?? `${did}#0`,
    credentials: credentials.map((one) => (typeof one === 'string' ? decodedParts(one) : one)),
  }
}

/** Members of the holder's JWS that bind it to the request, and if its signature verifies. */
function jwsContent(jws: string, jwk: JsonWebKey, binding: readonly string[]): unknown {
  const [header, payload, signature] = jws.split('.').map(bytesIn)
  const { alg } = JSON.parse(String(header))
  const claims = JSON.parse(String(payload))
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
  const signed = Buffer.from(jws.slice(0, jws.lastIndexOf('.')))
  return {
    alg,
    claims: binding.map((name) => claims[name]),
    signed: jws.split('.').length === 3 && verify('sha256', signed, key, signature ?? Buffer.alloc(0)),
  }
}

function didJwk(did: unknown): JsonWebKey {
  return JSON.parse(String(bytesIn(String(did).replace('did:jwk:', ''))))
}

/** Returns the content of a DeviceResponse. Unprotected headers other than certificates are no content. */
export function mdocContent(bytes: Uint8Array): unknown {
  const response = decode(bytes, CBOR) as Map<string, unknown>
  const documents = response.get('documents') as Map<string, unknown>[]
  return { status: response.get('status'), documents: documents.map(documentContent) }
}

function documentContent(document: Map<string, unknown>): unknown {
  const issuer = document.get('issuerSigned') as Map<string, unknown>
  const device = document.get('deviceSigned') as Map<string, unknown>
  const nameSpaces = issuer.get('nameSpaces') as Map<string, Tagged[]>
  const auth = device.get('deviceAuth') as Map<string, unknown[]>
  return {
    docType: document.get('docType'),
    nameSpaces: [...nameSpaces].map(([name, items]) => [name, items.map(hexOf).toSorted()]),
    issuerAuth: coseContent(issuer.get('issuerAuth')),
    deviceNameSpaces: hexOf(device.get('nameSpaces')),
    deviceAuth: [...auth].map(([name, message]) => [name, coseContent(message)]),
  }
}

function coseContent(message: unknown): unknown {
  const [header, unprotected, payload, signature] = message as [
    unknown,
    Map<unknown, unknown>,
    unknown,
    unknown,
  ]
  const chain = unprotected.get(33)
  return [header, [chain].flat(), payload, signature].flat().map(hexOf)
}

function hexOf(value: unknown): unknown {
  if (value instanceof Tagged) return hexOf(value.value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

/** Returns the bytes of each part, in hexadecimal. */
export function decodedParts(compact: string): readonly string[] {
  return compact.split('.').map((part) => bytesIn(part).toString('hex'))
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any member
function jsonIn(part: string | undefined): any {
  return JSON.parse(String(bytesIn(part ?? '')))
}

function bytesIn(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}
