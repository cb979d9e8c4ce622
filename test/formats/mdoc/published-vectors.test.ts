// ISO/IEC 18013-5 Annex D and the handovers of OpenID4VP 1.0 B.2.6, as published.

import { describe, expect, it } from 'vitest'
import { encodeBase64, encodeBase64url } from '../../../src/codec/base64url.ts'
import { decodeHex, encodeHex } from '../../../src/codec/bytes.ts'
import type { PrivateJwk } from '../../../src/crypto/jwk.ts'
import { buildSessionTranscript } from '../../../src/formats/mdoc/session-transcript.ts'
import { verifyDeviceResponse } from '../../../src/formats/mdoc/verify.ts'
import type { CheckId, CheckResult, Context } from '../../../src/formats/verification/format.ts'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { placesIn } from '../../support/runner/size.ts'
import annexD from '../../vectors/iso18013-5-annexD.json' with { type: 'json' }
import annexB from '../../vectors/iso18013-7-annexB.json' with { type: 'json' }
import openid4vp from '../../vectors/oid4vp-1.0.json' with { type: 'json' }

const bytesOf = (hex: string) => decodeHex(hex) ?? new Uint8Array()
const base64urlOf = (hex: string) => encodeBase64url(bytesOf(hex))
const pemOf = (hex: string) =>
  `-----BEGIN CERTIFICATE-----\n${encodeBase64(bytesOf(hex)).replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`

const RESPONSE = bytesOf(annexD.ISO_18013_5_ANNEX_D_DEVICE_RESPONSE)
const NOW = Date.parse('2021-01-01T00:00:00Z') / 1000

const PINNED: TrustAnchor = {
  name: 'Annex D',
  credential_types: ['mdl'],
  assurance_level: 'high',
  x509_certificate_pem: pemOf(annexD.ISO_18013_5_ANNEX_D_DS_CERT),
}

/** Its transcript is published inside tag 24 and a byte string with two bytes of length. */
const SESSION = {
  transcript: bytesOf(annexD.ISO_18013_5_ANNEX_D_SESSION_TRANSCRIPT_BYTES).slice(5),
  privateKey: {
    kty: 'EC',
    crv: 'P-256',
    x: base64urlOf(annexD.ISO_18013_5_ANNEX_D_EPHEMERAL_READER_KEY_X),
    y: base64urlOf(annexD.ISO_18013_5_ANNEX_D_EPHEMERAL_READER_KEY_Y),
    d: base64urlOf(annexD.ISO_18013_5_ANNEX_D_EPHEMERAL_READER_KEY_D),
  } as PrivateJwk,
}

async function verifyGood(response: Uint8Array, session: typeof SESSION = SESSION, now = NOW) {
  const trace: [CheckId, CheckResult][] = []
  const context: Context = {
    now,
    anchors: [PINNED],
    typeOf: () => ({ name: 'mdl', builtIn: true }),
    fetchResource: () => Promise.reject(new Error('nothing may be fetched')),
    trace: (check, result) => trace.push([check, result]),
  }
  return { result: await verifyDeviceResponse(encodeBase64url(response), session, context), trace }
}

describe('the published mdoc of ISO/IEC 18013-5 Annex D', () => {
  it('verifies with its device MAC for the published transcript, if its document signer is pinned', async () => {
    const { result, trace } = await verifyGood(RESPONSE)
    expect(result).toMatchObject({
      ok: true,
      value: {
        format: 'mso_mdoc',
        typeIdentifier: 'org.iso.18013.5.1.mDL',
        credentialType: 'mdl',
        anchor: { name: 'Annex D', assurance_level: 'high' },
        holderBound: true,
        reasons: [],
      },
    })
    expect(trace.map(([, outcome]) => outcome)).toEqual([...Array(9).fill('pass'), 'skip', 'skip'])
  })

  it('discloses the published elements, with dates as text and the portrait as base64url', async () => {
    const { result } = await verifyGood(RESPONSE)
    expect(result.ok && result.value.claims).toEqual({
      'org.iso.18013.5.1': {
        family_name: 'Doe',
        issue_date: '2019-10-20',
        expiry_date: '2024-10-20',
        document_number: '123456789',
        portrait: base64urlOf(annexD.ISO_18013_5_ANNEX_D_DEVICE_RESPONSE_PORTRAIT_DATA),
        driving_privileges: [
          { vehicle_category_code: 'A', issue_date: '2018-08-09', expiry_date: '2024-10-20' },
          { vehicle_category_code: 'B', issue_date: '2017-02-23', expiry_date: '2024-10-20' },
        ],
      },
    })
  })

  it('is refused after the last day of its document signer’s certificate', async () => {
    // The certificate ends on 2021-10-01 at midnight, 13.5 hours before the MSO does.
    const { result } = await verifyGood(RESPONSE, SESSION, Date.parse('2021-10-02T00:00:00Z') / 1000)
    expect(result).toEqual({ ok: false, error: { reason: 'certificate_expired' } })
  })

  it(`is refused if one bit of any of its ${RESPONSE.length} bytes is flipped`, async () => {
    const survivors: number[] = []
    for (const i of placesIn(RESPONSE)) {
      const flipped = Uint8Array.from(RESPONSE)
      flipped[i] = (flipped[i] ?? 0) ^ (1 << (i % 8))
      if ((await verifyGood(flipped)).result.ok) survivors.push(i)
    }
    expect(survivors).toEqual([])
  })

  it('is refused if one bit of any byte of its session transcript is flipped', async () => {
    const survivors: number[] = []
    for (const i of placesIn(SESSION.transcript)) {
      const transcript = Uint8Array.from(SESSION.transcript)
      transcript[i] = (transcript[i] ?? 0) ^ (1 << (i % 8))
      if ((await verifyGood(RESPONSE, { ...SESSION, transcript })).result.ok) survivors.push(i)
    }
    expect(survivors).toEqual([])
  })

  it('is refused if its end is cut off (tried at every fifth byte), or if one byte is added at its end', async () => {
    for (let length = 0; length < RESPONSE.length; length += 5) {
      expect((await verifyGood(RESPONSE.subarray(0, length))).result.ok).toBe(false)
    }
    expect((await verifyGood(Uint8Array.of(...RESPONSE, 0))).result.ok).toBe(false)
  })
})

describe('the session transcripts of OpenID4VP 1.0 B.2.6', () => {
  const { nonce, redirect, dcApi } = openid4vp.handover
  // The specification publishes only the public half of its example key, and only that half is hashed.
  const encryptionKey = { ...openid4vp.handover.jwk, d: '' } as PrivateJwk

  it('are the published bytes for a redirect', async () => {
    const { clientId, responseUri, sessionTranscriptHex } = redirect
    const handover = { kind: 'redirect', responseUri, encryptionKey } as const
    const transcript = await buildSessionTranscript({ nonce, audience: clientId, handover })
    expect(transcript && encodeHex(transcript)).toBe(sessionTranscriptHex)
  })

  it('are the published bytes for the Digital Credentials API, and contain the origin without the prefix `origin:`', async () => {
    const { origin } = dcApi
    const handover = { kind: 'dc_api', origin, encryptionKey } as const
    const transcript = await buildSessionTranscript({ nonce, audience: `origin:${origin}`, handover })
    expect(transcript && encodeHex(transcript)).toBe(dcApi.sessionTranscriptHex)
  })
})

describe('the session transcript of ISO/IEC TS 18013-7 B.4.4', () => {
  const { clientId, responseUri, nonce, mdocGeneratedNonce, sessionTranscriptHex } = annexB
  const handover = { kind: 'iso_18013_7', responseUri, encryptionKey: null } as const

  it('is the published bytes', async () => {
    const session = { nonce, audience: clientId, handover: { ...handover, mdocGeneratedNonce } }
    const transcript = await buildSessionTranscript(session)
    expect(transcript && encodeHex(transcript)).toBe(sessionTranscriptHex)
  })

  it('is not built if the nonce of the wallet is missing', async () => {
    const session = { nonce, audience: clientId, handover: { ...handover, mdocGeneratedNonce: null } }
    expect(await buildSessionTranscript(session)).toBe(undefined)
  })
})
