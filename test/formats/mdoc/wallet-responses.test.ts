// Responses of other wallets, with the session that each was made for. The session transcript comes from a
// foreign library, and for plain responses also from our own request.

import { SessionTranscript } from '@owf/mdoc'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../src/codec/base64url.ts'
import type { Handover, RequestBinding } from '../../../src/formats/format.ts'
import { mdoc } from '../../../src/formats/mdoc/mdoc.ts'
import { verifyDeviceResponse } from '../../../src/formats/mdoc/verify.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { CONTEXT } from '../../support/people/mdoc.ts'
import { responses } from '../../vectors/wallet-responses.json' with { type: 'json' }

type Response = Omit<(typeof responses)[number], 'session'> & { readonly session: Session }
type Session = {
  readonly kind: string
  readonly clientId: string
  readonly nonce: string
  readonly responseUri: string
  readonly jwkThumbprint?: string
}

const ALL: readonly Response[] = responses
/** The key of an encrypted response is not published, only its thumbprint. */
const PLAIN = ALL.filter(({ session }) => session.jwkThumbprint === undefined)

function contextOf({ now, docType, ...vector }: Response) {
  const { x509_ca_pem, x509_certificate_pem = '' } = vector
  const certificate = x509_ca_pem === undefined ? { x509_certificate_pem } : { x509_ca_pem }
  const anchor: TrustAnchor = {
    name: vector.name,
    credential_types: ['any'],
    assurance_level: 'low',
    ...certificate,
  }
  return {
    now: Date.parse(now) / 1000,
    anchors: [anchor],
    typeOf: (_: string, identifier: string) =>
      identifier === docType ? { name: 'any', builtIn: true } : undefined,
    fetchResource: () => Promise.reject(new Error('nothing may be fetched')),
    trace: () => {},
  }
}

async function verifyWithLibrary(vector: Response, deviceResponse = vector.deviceResponse, changes = {}) {
  const { kind, jwkThumbprint, nonce, ...session } = { ...vector.session, ...changes }
  const thumbprint = jwkThumbprint === undefined ? (null as never) : Buffer.from(jwkThumbprint, 'hex')
  const transcript = await (kind === 'redirect'
    ? SessionTranscript.forOid4Vp({ ...session, nonce, jwkThumbprint: thumbprint }, CONTEXT)
    : SessionTranscript.forOid4VpDraft18(
        { ...session, verifierGeneratedNonce: nonce, mdocGeneratedNonce: '' },
        CONTEXT,
      ))
  const encoded = Uint8Array.from(transcript.encode())
  return verifyDeviceResponse(deviceResponse, { transcript: encoded, privateKey: null }, contextOf(vector))
}

function verifyAsRequested(vector: Response, changes: Partial<Session> = {}) {
  const { kind, clientId, nonce, responseUri } = { ...vector.session, ...changes }
  const handover: Handover =
    kind === 'redirect'
      ? { kind, responseUri, encryptionKey: null }
      : { kind: 'iso_18013_7', responseUri, mdocGeneratedNonce: '', encryptionKey: null }
  const expected: RequestBinding = {
    nonce,
    audience: clientId,
    holderBinding: true,
    requestedAt: 0,
    handover,
  }
  return mdoc.verify(vector.deviceResponse, expected, contextOf(vector))
}

const refused = { ok: false, error: { reason: 'invalid_holder_signature' } }

describe('a published response', () => {
  it.each(ALL)('of $name verifies for its session', async (vector) => {
    expect(await verifyWithLibrary(vector)).toMatchObject({
      ok: true,
      value: { typeIdentifier: vector.docType, holderBound: true, anchor: { name: vector.name } },
    })
  })

  it.each(PLAIN)('of $name verifies for our own request of these values', async (vector) => {
    expect(await verifyAsRequested(vector)).toMatchObject({ ok: true, value: { reasons: [] } })
  })

  it.each(ALL)('of $name is refused for another session', async (vector) => {
    for (const changes of [{ nonce: 'x' }, { clientId: 'x' }, { responseUri: 'https://x.example' }]) {
      expect(await verifyWithLibrary(vector, vector.deviceResponse, changes)).toEqual(refused)
    }
  })

  it.each(PLAIN)('of $name is refused for another request of ours', async (vector) => {
    for (const changes of [{ nonce: 'x' }, { clientId: 'x' }, { responseUri: 'https://x.example' }]) {
      expect(await verifyAsRequested(vector, changes)).toEqual(refused)
    }
  })

  it.each(ALL)('of $name is refused with a bit flipped, except in an unsigned kid', async (vector) => {
    const bytes = Buffer.from(vector.deviceResponse, 'base64url')
    const accepted: number[] = []
    for (let i = 0; i < bytes.length; i++) {
      const changed = Uint8Array.from(bytes)
      changed[i] = (changed[i] ?? 0) ^ 1
      if ((await verifyWithLibrary(vector, encodeBase64url(changed))).ok) accepted.push(i)
    }
    expect(accepted.length).toBe(UNSIGNED[vector.name] ?? 0)
  })
})

/** Two `kid` of 36 characters and their labels, in unprotected headers. Nothing signs them or reads them. */
const UNSIGNED: Readonly<Record<string, number>> = { 'the Paradym wallet, OpenID4VP 1.0, encrypted': 74 }
