// Mdocs and their presentations as @owf/mdoc makes them; node:crypto does its mathematics. The library also
// builds the session transcript. No code of src/ is used.

import { createHash, type JsonWebKey, randomBytes, sign } from 'node:crypto'
import {
  CoseKey,
  DateOnly,
  DeviceKey,
  DeviceRequest,
  DocRequest,
  Holder,
  Issuer,
  type IssuerSigned,
  ItemsRequest,
  type MdocContext,
  SessionTranscript,
  SignatureAlgorithm,
} from '@owf/mdoc'
import { calculateJwkThumbprint } from 'jose'
import type { IssuerPki } from '../certificates/certificates.ts'
import type { RequestPayload } from './wallet.ts'

/** Extended key usage of mdoc document signers (ISO/IEC 18013-5 Annex B.1.4). */
export const MDOC_SIGNER = '1.0.18013.5.1.2'

export type NameSpaces = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export type MdocIssuing = {
  readonly pki: IssuerPki
  readonly docType: string
  readonly nameSpaces: NameSpaces
  /** The holder's private key: its public half goes into the MSO. */
  readonly device: JsonWebKey
  readonly signed?: Date
  readonly validFrom?: Date
  readonly validUntil?: Date
}

/** A full-date (RFC 8943) as the library encodes it. */
export function fullDate(text: string): unknown {
  return new DateOnly(text)
}

/** An mdoc with all its elements, signed with ES256. */
export function issueMdoc(issuing: MdocIssuing): Promise<IssuerSigned> {
  const { pki, docType, nameSpaces, device } = issuing
  const issuer = new Issuer(docType, CONTEXT)
  for (const [name, elements] of Object.entries(nameSpaces)) issuer.addIssuerNamespace(name, elements)
  const now = Math.floor(Date.now() / 1000) * 1000
  const signed = issuing.signed ?? new Date(now - 86_400_000)
  return issuer.sign({
    signingKey: coseKey(pki.leaf.privateJwk as JsonWebKey),
    algorithm: SignatureAlgorithm.ES256,
    digestAlgorithm: 'SHA-256',
    validityInfo: {
      signed,
      validFrom: issuing.validFrom ?? signed,
      validUntil: issuing.validUntil ?? new Date(now + 86_400_000),
    },
    deviceKeyInfo: { deviceKey: DeviceKey.fromJwk(publicMembers(device)) },
    certificates: [...pki.chain],
  })
}

export type MdocPresenting = {
  readonly docType: string
  readonly device: JsonWebKey
  readonly transcript: SessionTranscript
  /** Disclosed elements by namespace. */
  readonly disclose: Readonly<Record<string, readonly string[]>>
}

/** A presentation signed by the device, in base64url. */
export async function presentMdoc(issued: IssuerSigned, how: MdocPresenting): Promise<string> {
  const namespaces = Object.fromEntries(
    Object.entries(how.disclose).map(([name, elements]) => [
      name,
      Object.fromEntries(elements.map((element) => [element, false])),
    ]),
  )
  const itemsRequest = ItemsRequest.create({ docType: how.docType, namespaces })
  const response = await Holder.createDeviceResponseForDeviceRequest(
    {
      deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
      sessionTranscript: how.transcript,
      issuerSigned: [issued],
      signature: { signingKey: coseKey(how.device) },
    },
    CONTEXT,
  )
  return response.encodedForOid4Vp
}

/**
 * Session of a request as a wallet builds it (OpenID4VP 1.0 B.2.6.1; in the drafts ISO/IEC TS 18013-7 B.4.4).
 */
export async function transcriptOf(
  request: Pick<RequestPayload, 'client_id' | 'nonce' | 'response_uri' | 'client_metadata'>,
  mdocGeneratedNonce = '',
): Promise<SessionTranscript> {
  const { client_id: clientId, nonce, response_uri: responseUri } = request
  if (request.client_metadata.vp_formats !== undefined) {
    const session = { clientId, responseUri, verifierGeneratedNonce: nonce, mdocGeneratedNonce }
    return SessionTranscript.forOid4VpDraft18(session, CONTEXT)
  }
  const jwkThumbprint = await thumbprintOf(request.client_metadata)
  return SessionTranscript.forOid4Vp({ clientId, nonce, responseUri, jwkThumbprint }, CONTEXT)
}

/**
 * Session for the browser's API (OpenID4VP 1.0 B.2.6.2). The origin without a prefix replaces the Client
 * Identifier.
 */
export async function dcApiTranscriptOf(
  { nonce, client_metadata }: Pick<RequestPayload, 'nonce' | 'client_metadata'>,
  origin: string,
): Promise<SessionTranscript> {
  const jwkThumbprint = await thumbprintOf(client_metadata)
  return SessionTranscript.forOid4VpDcApi({ origin, nonce, jwkThumbprint }, CONTEXT)
}

/**
 * Session of ISO/IEC TS 18013-7 Annex C. The library has no such handover, but takes the value that another
 * encoder made.
 */
export function annexCTranscriptOf(value: readonly unknown[]): SessionTranscript {
  return Object.create(SessionTranscript.prototype, { encodedStructure: { value } })
}

/** Null without a key. The library accepts null, although its types do not allow it. */
async function thumbprintOf({ jwks }: RequestPayload['client_metadata']): Promise<Uint8Array> {
  const [key] = jwks?.keys ?? []
  return key === undefined ? (null as never) : Buffer.from(await calculateJwkThumbprint(key), 'base64url')
}

/** Dependencies of the library for creating documents. Verification needs more: see bench/. */
export const CONTEXT: Pick<MdocContext, 'cose' | 'crypto'> = {
  crypto: {
    random: randomBytes,
    digest: ({ digestAlgorithm, bytes }) =>
      createHash(digestAlgorithm.replace('-', '')).update(bytes).digest(),
    calculateEphemeralMacKey: () => {
      throw new Error('this holder signs')
    },
  },
  cose: {
    sign1: {
      sign: ({ toBeSigned, key }) =>
        sign('sha256', toBeSigned, { ...privateKeyOf(key), dsaEncoding: 'ieee-p1363' }),
      verify: () => false,
    },
    mac0: {
      sign: () => {
        throw new Error('this holder signs')
      },
      verify: () => false,
    },
  },
}

function privateKeyOf(key: CoseKey) {
  const { kty, crv, x, y, d } = key.jwk as JsonWebKey
  return { key: { kty, crv, x, y, d } as JsonWebKey, format: 'jwk' } as const
}

function coseKey(jwk: JsonWebKey): CoseKey {
  return CoseKey.fromJwk({ ...publicMembers(jwk), d: jwk.d })
}

function publicMembers({ kty, crv, x, y }: JsonWebKey): Record<string, unknown> {
  return { kty, crv, x, y, alg: 'ES256' }
}
