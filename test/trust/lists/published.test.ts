// Published lists, verified as of their own time.

import { X509Certificate } from 'node:crypto'
import { decode } from 'cborg'
import { compactVerify, decodeProtectedHeader, importX509 } from 'jose'
import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '../../../src/codec/base64url.ts'
import { type ListRules, verifyTrustList } from '../../../src/trust/lists/trust-list.ts'
import { decodeVical } from '../../../src/trust/lists/vical.ts'
import {
  MDL,
  mintListSigner,
  PID_ISSUANCE,
  PID_LIST,
  PID_REVOCATION,
} from '../../support/certificates/trust-lists.ts'
import germanSandbox from '../../vectors/lote-german-sandbox.json' with { type: 'json' }
import aamva from '../../vectors/vical-aamva.json' with { type: 'json' }
import austroads from '../../vectors/vical-austroads.json' with { type: 'json' }

const toPem = (base64: string) =>
  `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
const bytesOf = (base64: string) => decodeBase64(base64) ?? new Uint8Array()
const seconds = (text: string) => Date.parse(text) / 1000

describe('the list of PID providers of the German sandbox', () => {
  const { jwt } = germanSandbox
  const body = new TextEncoder().encode(`${jwt}\n`) as Uint8Array<ArrayBuffer>
  const pem = toPem(decodeProtectedHeader(jwt).x5c?.[0] ?? '')
  const rules: ListRules = {
    kind: 'etsi_lote',
    signers: [{ x509_certificate_pem: pem }],
    listType: PID_LIST,
    services: [
      { type: PID_ISSUANCE, credential_types: ['pid'], assurance_level: 'high' },
      { type: PID_REVOCATION, credential_types: ['pid'], assurance_level: 'high', purpose: ['status'] },
    ],
    last: null,
    now: seconds('2026-07-13T12:00:00Z'),
  }

  it('verifies with jose and with our code, and gives the same certificate that node:crypto reads', async () => {
    const { payload } = await compactVerify(jwt, await importX509(pem, 'ES256'))
    const [first] = JSON.parse(new TextDecoder().decode(payload)).LoTE.TrustedEntitiesList
    const identity = first.TrustedEntityServices[0].ServiceInformation.ServiceDigitalIdentity
    const listed = new X509Certificate(Buffer.from(identity.X509Certificates[0].val, 'base64'))
    const found = await verifyTrustList(body, rules)
    expect(found).toMatchObject({
      ok: true,
      value: { sequence: 1, nextUpdate: seconds('2026-07-13T22:04:34Z'), leftOut: 0 },
    })
    const anchors = found.ok ? found.value.anchors : []
    expect(anchors).toHaveLength(4)
    expect(anchors[0]).toMatchObject({ credential_types: ['pid'], assurance_level: 'high' })
    const [anchor] = anchors
    const made = anchor && 'x509_ca_pem' in anchor ? new X509Certificate(anchor.x509_ca_pem) : undefined
    expect(made?.fingerprint256).toBe(listed.fingerprint256)
  })

  it('is refused as expired after its nextUpdate', async () => {
    const now = seconds('2026-07-14T12:00:00Z')
    expect(await verifyTrustList(body, { ...rules, now })).toEqual({ ok: false, error: 'expired' })
  })

  it('is refused if another scheme operator is pinned as the signer', async () => {
    const { pem: other } = await mintListSigner()
    const signers = [{ x509_certificate_pem: other }]
    expect(await verifyTrustList(body, { ...rules, signers })).toEqual({
      ok: false,
      error: 'untrusted_signer',
    })
  })
})

const mdl = [{ type: MDL, credential_types: ['mdl'], assurance_level: 'high' }] as const

describe('the VICAL of AAMVA', () => {
  const body = bytesOf(aamva.vical)
  const [signer, , root] = decodeVical(body).ok ? chainOf(body) : []
  const rules: ListRules = {
    kind: 'vical',
    signers: [{ x509_ca_pem: root ?? '' }],
    listType: null,
    services: mdl,
    last: null,
    now: seconds('2025-08-06T12:00:00Z'),
  }

  it('verifies with a pinned authority or a pinned signer, and gives thirteen issuing authorities', async () => {
    const expected = {
      ok: true,
      value: { sequence: 89782, issuedAt: seconds('2025-08-05T20:47:21Z'), leftOut: 0 },
    }
    const found = await verifyTrustList(body, rules)
    expect(found).toMatchObject(expected)
    expect(found.ok && found.value.anchors.map(({ name }) => name)).toHaveLength(13)
    const signers = [{ x509_certificate_pem: signer ?? '' }]
    expect(await verifyTrustList(body, { ...rules, signers })).toMatchObject(expected)
  })

  it('is refused as expired on the day after its next update was due', async () => {
    const now = seconds('2025-08-07T00:00:00Z')
    expect(await verifyTrustList(body, { ...rules, now })).toEqual({ ok: false, error: 'expired' })
  })
})

describe('the VICAL of Austroads', () => {
  const body = bytesOf(austroads.vical)
  const rules: ListRules = {
    kind: 'vical',
    signers: [{ x509_ca_pem: austroads.root_certificate_pem }],
    listType: null,
    services: mdl,
    last: null,
    now: seconds('2025-01-01T00:00:00Z'),
  }

  it('verifies, gives an anchor for each authority with a supported key, and counts the other authorities', async () => {
    const entries = vicalOf(body).get('certificateInfos') as Map<string, unknown>[]
    const forMdl = entries.filter((entry) => (entry.get('docType') as string[]).includes(MDL))
    const curves = forMdl.map((entry) => {
      return (
        new X509Certificate(entry.get('certificate') as Uint8Array).publicKey.asymmetricKeyDetails
          ?.namedCurve ?? ''
      )
    })
    const unknown = curves.filter((curve) => curve.startsWith('brainpool'))
    const found = await verifyTrustList(body, rules)
    expect(found).toMatchObject({ ok: true, value: { sequence: 27, nextUpdate: null } })
    expect(found.ok && found.value.leftOut).toBe(unknown.length)
    expect(found.ok && found.value.anchors).toHaveLength(curves.length - unknown.length)
  })

  it('is refused if the authority of another VICAL is pinned', async () => {
    const signers = [{ x509_ca_pem: chainOf(bytesOf(aamva.vical))[2] ?? '' }]
    expect(await verifyTrustList(body, { ...rules, signers })).toEqual({
      ok: false,
      error: 'untrusted_signer',
    })
  })
})

/** Times are shown as their text, large numbers as their bytes. */
const asItIs = (inner: () => unknown) => inner()
const CBOR = { useMaps: true, tags: { 0: asItIs, 2: asItIs } }

function messageOf(body: Uint8Array): [Uint8Array, Map<number, Uint8Array | Uint8Array[]>, Uint8Array] {
  return decode(body, CBOR)
}

/** The chain of a VICAL, as cborg reads it. */
function chainOf(body: Uint8Array): string[] {
  const chain = messageOf(body)[1].get(33)
  return (Array.isArray(chain) ? chain : [chain]).map((der) =>
    toPem(Buffer.from(der ?? []).toString('base64')),
  )
}

function vicalOf(body: Uint8Array): Map<string, unknown> {
  return decode(messageOf(body)[2], CBOR)
}
