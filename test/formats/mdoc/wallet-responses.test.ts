// Responses of other wallets, with the session that each was made for. The session transcript comes from a
// foreign library or from the publisher, and for plain responses also from our own request.

import { SessionTranscript } from '@owf/mdoc'
import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64url } from '../../../src/codec/base64url.ts'
import { mdoc } from '../../../src/formats/mdoc/mdoc.ts'
import { verifyDeviceResponse } from '../../../src/formats/mdoc/verify.ts'
import type { RequestBinding } from '../../../src/formats/verification/format.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { CONTEXT } from '../../support/people/mdoc.ts'
import { placesIn } from '../../support/runner/size.ts'
import vectors from '../../vectors/wallet-responses.json' with { type: 'json' }

type Response = Omit<(typeof vectors.responses)[number], 'session'> & { readonly session: Session }
type Session = PostSession | BrowserSession | EncodedSession
type PostSession = {
  readonly kind: 'redirect' | 'iso_18013_7'
  readonly clientId: string
  readonly nonce: string
  readonly responseUri: string
  /** The key of an encrypted response is not published, only its thumbprint. */
  readonly jwkThumbprint?: string
}
type BrowserSession = { readonly kind: 'dc_api'; readonly origin: string; readonly nonce: string }
/** A session of which only the encoded transcript is published, in base64. */
type EncodedSession = { readonly kind: 'encoded'; readonly transcript: string }

const ALL = vectors.responses as readonly Response[]
const REQUESTED = ALL.filter(({ session }) => bindingOf(session) !== undefined)

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

async function foreignTranscript(session: Session): Promise<Uint8Array<ArrayBuffer>> {
  if (session.kind === 'encoded') return decodeBase64(session.transcript) ?? new Uint8Array()
  return Uint8Array.from((await transcriptOf(session)).encode())
}

function transcriptOf(session: PostSession | BrowserSession): Promise<SessionTranscript> {
  if (session.kind === 'dc_api') {
    const { origin, nonce } = session
    return SessionTranscript.forOid4VpDcApi({ origin, nonce, jwkThumbprint: null as never }, CONTEXT)
  }
  const { kind, jwkThumbprint, nonce, ...rest } = session
  const thumbprint = jwkThumbprint === undefined ? (null as never) : Buffer.from(jwkThumbprint, 'hex')
  return kind === 'redirect'
    ? SessionTranscript.forOid4Vp({ ...rest, nonce, jwkThumbprint: thumbprint }, CONTEXT)
    : SessionTranscript.forOid4VpDraft18(
        { ...rest, verifierGeneratedNonce: nonce, mdocGeneratedNonce: '' },
        CONTEXT,
      )
}

async function verifyWithLibrary(vector: Response, changes: Partial<Response> = {}) {
  const { deviceResponse, session } = { ...vector, ...changes }
  const transcript = await foreignTranscript(session)
  return verifyDeviceResponse(deviceResponse, { transcript, privateKey: null }, contextOf(vector))
}

/** Binding that a request of ours with these values expects; `undefined` if the values are not published. */
function bindingOf(session: Session): RequestBinding | undefined {
  if (session.kind === 'encoded') return undefined
  const common = { nonce: session.nonce, holderBinding: true, requestedAt: 0 }
  if (session.kind === 'dc_api') {
    const { kind, origin } = session
    return { ...common, audience: `origin:${origin}`, handover: { kind, origin, encryptionKey: null } }
  }
  const { kind, clientId, responseUri, jwkThumbprint } = session
  if (jwkThumbprint !== undefined) return undefined
  const handover = { responseUri, encryptionKey: null }
  return {
    ...common,
    audience: clientId,
    handover: kind === 'redirect' ? { kind, ...handover } : { kind, ...handover, mdocGeneratedNonce: '' },
  }
}

function verifyAsRequested(vector: Response, session = vector.session) {
  const expected = bindingOf(session)
  if (expected === undefined) throw new Error(`${vector.name}: its request is not published`)
  return mdoc.verify(vector.deviceResponse, expected, contextOf(vector))
}

/** Sessions that differ from this one in a single value. */
function otherSessions(session: Session): readonly Session[] {
  if (session.kind === 'encoded') return otherTranscripts(session)
  if (session.kind === 'dc_api') {
    return [
      { ...session, nonce: 'x' },
      { ...session, origin: 'https://x.example' },
    ]
  }
  return [{ nonce: 'x' }, { clientId: 'x' }, { responseUri: 'https://x.example' }].map((changes) => ({
    ...session,
    ...changes,
  }))
}

/** Flips a bit in the last byte of each part: both hashes (client, response URI) and the nonce. */
function otherTranscripts({ kind, transcript }: EncodedSession): readonly Session[] {
  const bytes = Buffer.from(transcript, 'base64')
  return [4 + 2 + 31, 4 + 2 * 34 - 1, bytes.length - 1].map((index) => {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    return { kind, transcript: changed.toString('base64') }
  })
}

/** Places of the minor version of the response, and of the name of a member that is not required. */
function meaninglessBytes(response: Buffer): ReadonlySet<number> {
  const minor = response.indexOf('version') + 'version'.length + 3
  const name = 'documentErrors'
  const start = response.indexOf(name)
  const places = start < 0 ? [] : Array.from(name, (_, i) => start + i)
  return new Set([minor, ...places])
}

const refused = { ok: false, error: { reason: 'invalid_holder_signature' } }

describe('a published mdoc response', () => {
  it.each(ALL)(
    'a published mdoc response of $name verifies for the session for which it was made',
    async (vector) => {
      expect(await verifyWithLibrary(vector)).toMatchObject({
        ok: true,
        value: { typeIdentifier: vector.docType, holderBound: true, anchor: { name: vector.name } },
      })
    },
  )

  it.each(REQUESTED)(
    'a published mdoc response of $name verifies if our own request has the same values',
    async (vector) => {
      expect(await verifyAsRequested(vector)).toMatchObject({ ok: true, value: { reasons: [] } })
    },
  )

  it.each(ALL)('a published mdoc response of $name is refused for another session', async (vector) => {
    const others = otherSessions(vector.session)
    expect(others.length).toBeGreaterThan(1)
    for (const session of others) expect(await verifyWithLibrary(vector, { session })).toEqual(refused)
  })

  it.each(REQUESTED)(
    'a published mdoc response of $name is refused if our own request differs in one value',
    async (vector) => {
      for (const session of otherSessions(vector.session)) {
        expect(await verifyAsRequested(vector, session)).toEqual(refused)
      }
    },
  )

  it.each(ALL)(
    'a published mdoc response of $name is refused if any byte has a flipped bit, except an unsigned kid and bytes without effect',
    async (vector) => {
      const bytes = Buffer.from(vector.deviceResponse, 'base64url')
      const accepted: number[] = []
      const meaningless = meaninglessBytes(bytes)
      for (const i of placesIn(bytes)) {
        if (meaningless.has(i)) continue
        const changed = Uint8Array.from(bytes)
        changed[i] = (changed[i] ?? 0) ^ 1
        const deviceResponse = encodeBase64url(changed)
        if ((await verifyWithLibrary(vector, { deviceResponse })).ok) accepted.push(i)
      }
      const unsigned = UNSIGNED[vector.name] ?? []
      expect(accepted).toEqual(placesIn(bytes).filter((i) => unsigned.includes(i)))
    },
  )
})

/**
 * Places of two labels of a `kid`, each followed by two bytes of header and a text of 36 characters. They are
 * in unprotected headers: nothing signs them or reads them.
 */
const UNSIGNED: Readonly<Record<string, readonly number[]>> = {
  'the Paradym wallet, OpenID4VP 1.0, encrypted': [343, 2266].flatMap((label) => [
    label,
    ...Array.from({ length: 36 }, (_, i) => label + 3 + i),
  ]),
}
