// EncryptedResponse and its documents: walt.id's deterministic vector, and hostile input.

import { createHash, generateKeyPairSync } from 'node:crypto'
import { encode } from 'cborg'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/codec/json.ts'
import { openHpke } from '../../src/crypto/hpke.ts'
import type { PrivateJwk } from '../../src/crypto/jwk.ts'
import { buildDcApiTranscript } from '../../src/formats/mdoc/session-transcript.ts'
import { parseDocuments } from '../../src/iso18013-7/device-response.ts'
import { parseEncryptedResponse } from '../../src/iso18013-7/encrypted-response.ts'
import { ANNEX_C } from '../../src/limits.ts'
import { documentQuery } from '../../src/openid4vp/dcql/document-query.ts'
import type { DcqlQuery } from '../../src/openid4vp/dcql/query.ts'
import { type Value, encode as write } from '../formats/mdoc/maker.ts'
import { sealAnnexC, transcriptOf } from '../support/people/annex-c-wallet.ts'
import annexC from '../vectors/annex-c.json' with { type: 'json' }

const { waltId } = annexC
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

const WALT_KEY = ((): PrivateJwk => {
  const info = Buffer.from(waltId.encryptionInfoB64, 'base64url')
  const d = base64url(Buffer.from(waltId.recipientPrivateKeyHex, 'hex'))
  const x = base64url(info.subarray(-67, -35))
  return { kty: 'EC', crv: 'P-256', x, y: base64url(info.subarray(-32)), d }
})()

async function opened(origin: string): Promise<Uint8Array | undefined> {
  const message = parseEncryptedResponse({ response: waltId.encryptedResponseB64 })
  const info = await buildDcApiTranscript({ encryptionInfo: waltId.encryptionInfoB64, origin })
  return message.ok ? openHpke(message.value, WALT_KEY, { info }) : undefined
}

it("walt.id's encrypted response is decrypted to the published bytes", async () => {
  const plaintext = await opened(waltId.origin)
  expect(plaintext && createHash('sha256').update(plaintext).digest('hex')).toBe(
    waltId.deviceResponseSha256Hex,
  )
})

it.each([`${waltId.origin}/`, 'https://evil.example', ''])(
  "walt.id's encrypted response is not decrypted for the origin %j",
  async (origin) => {
    expect(await opened(origin)).toBeUndefined()
  },
)

const parse = (value: unknown) =>
  parseEncryptedResponse({ response: base64url(encode(value as never)) }) as { ok: boolean; error?: object }
const enc = Uint8Array.of(4, ...new Uint8Array(64))
const cipherText = new Uint8Array(17)
const refusal = (reason: string) => ({ ok: false, error: { reason } })
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])

describe('parseEncryptedResponse', () => {
  it('ignores unknown members', () => {
    expect(parse(['dcapi', { enc, cipherText, more: 1 }])).toEqual({ ok: true, value: { enc, cipherText } })
  })

  it.each<[string, unknown, string]>([
    ['another name', ['dcapi2', { enc, cipherText }], 'malformed_response'],
    ['a third element', ['dcapi', { enc, cipherText }, 1], 'malformed_response'],
    ['a missing envelope', ['dcapi'], 'malformed_response'],
    ['a map', { enc, cipherText }, 'malformed_response'],
    ['a missing enc', ['dcapi', { cipherText }], 'malformed_response'],
    ['a text as ciphertext', ['dcapi', { enc, cipherText: 'x' }], 'malformed_response'],
    [
      'a ciphertext shorter than its tag',
      ['dcapi', { enc, cipherText: new Uint8Array(15) }],
      'malformed_response',
    ],
    ['a point of X25519', ['dcapi', { enc: new Uint8Array(32), cipherText }], 'unsupported_encryption'],
    [
      'a point of P-384',
      ['dcapi', { enc: Uint8Array.of(4, ...new Uint8Array(96)), cipherText }],
      'unsupported_encryption',
    ],
    [
      'a compressed point',
      ['dcapi', { enc: Uint8Array.of(2, ...new Uint8Array(32)), cipherText }],
      'unsupported_encryption',
    ],
    ['deep nesting', ['dcapi', { enc, cipherText, more: deep(8) }], 'limit_exceeded'],
    ['many items', ['dcapi', { enc, cipherText, more: Array(20).fill(1) }], 'limit_exceeded'],
  ])('refuses %s', (_, value, reason) => {
    expect(parse(value)).toEqual(refusal(reason))
  })

  it.each<[string, JsonObject, string]>([
    ['a missing response', {}, 'malformed_response'],
    ['a number', { response: 1 }, 'malformed_response'],
    ['a JWE', { response: 'a.b.c.d.e' }, 'malformed_response'],
    ['base64url with padding', { response: `${waltId.encryptedResponseB64}=` }, 'malformed_response'],
    ['a byte after the end', { response: `${waltId.encryptedResponseB64}AAAA` }, 'malformed_response'],
    ['more than the limit', { response: 'A'.repeat(ANNEX_C.characters + 4) }, 'limit_exceeded'],
    [
      'a duplicate key in the envelope',
      {
        response: base64url(
          Buffer.from('82656463617069a363656e63416363656e6341636a6369706865725465787440', 'hex'),
        ),
      },
      'malformed_response',
    ],
  ])('refuses %s', (_, data, reason) => {
    expect(parseEncryptedResponse(data)).toEqual(refusal(reason))
  })

  it('does not decrypt a response whose enc is a point that is not on the curve', async () => {
    const message = parseEncryptedResponse({ response: base64url(encode(['dcapi', { enc, cipherText }])) })
    expect(message.ok && (await openHpke(message.value, WALT_KEY, { info: enc }))).toBeUndefined()
  })

  it('never throws, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(typeof parseEncryptedResponse({ response: base64url(bytes) }).ok).toBe('boolean')
      }),
    )
  })
})

const QUERY: DcqlQuery = {
  credentials: [
    { id: 'sd', format: 'dc+sd-jwt', meta: { vct_values: ['x'] }, claims: [{ path: ['age_over_18'] }] },
    { id: 'a', format: 'mso_mdoc', meta: { doctype_value: 'A' }, claims: [{ path: ['n', 'e'] }] },
    {
      id: 'b',
      format: 'mso_mdoc',
      meta: { doctype_value: 'B' },
      multiple: true,
      claims: [{ path: ['n', 'e'] }],
    },
  ],
  credential_sets: [{ options: [['sd'], ['a', 'b']] }],
}

function documentsIn(sent: unknown) {
  const isMap = typeof sent === 'object' && !Array.isArray(sent) && !(sent instanceof Uint8Array)
  const response = isMap ? { version: '1.0', status: 0, ...sent } : sent
  const requested = documentQuery(QUERY)
  if (requested === undefined) throw new Error('the query is not expressible')
  const bytes = response instanceof Uint8Array ? response : encode(response as never)
  return parseDocuments(Uint8Array.from(bytes), QUERY, requested)
}

describe('parseDocuments', () => {
  it('returns each document in a separate response without the unknown members of the received response', () => {
    const [a, b, c] = [
      { x: 1, docType: 'A' },
      { x: 2, docType: 'B' },
      { x: 3, docType: 'B' },
    ]
    const found = documentsIn({ version: '1.0', documents: [b, a, c], status: 0, more: [1] })
    const one = (document: object) =>
      base64url(write({ version: '1.0', documents: [document as Value], status: 0 }))
    const groups = found.ok ? found.value.groups : []
    expect(groups.map(({ query, presentations }) => [query.id, presentations])).toEqual([
      ['a', [one(a)]],
      ['b', [one(b), one(c)]],
    ])
  })

  it.each<[string, unknown, object]>([
    [
      'a document that was not requested',
      { documents: [{ docType: 'C' }] },
      { reason: 'unknown_credential_query' },
    ],
    ['a document without a type', { documents: [{}] }, { reason: 'malformed_credential' }],
    [
      'two documents for one that was requested',
      { documents: [{ docType: 'A' }, { docType: 'A' }] },
      { reason: 'wrong_presentation_count', queryId: 'a' },
    ],
    [
      'eleven documents of one type',
      { documents: Array(11).fill({ docType: 'B' }) },
      { reason: 'limit_exceeded', queryId: 'b' },
    ],
    ['21 documents', { documents: Array(21).fill({ docType: 'B' }) }, { reason: 'limit_exceeded' }],
    [
      'a response without documents',
      { status: 10, documentErrors: [{ A: 0 }] },
      { reason: 'document_not_returned', documentErrors: { A: 0 } },
    ],
    ['documents that are no array', { documents: {} }, { reason: 'malformed_credential' }],
    ['an array', [], { reason: 'malformed_credential' }],
    ['deep nesting', { documents: deep(20) }, { reason: 'limit_exceeded' }],
    ['bytes that are not CBOR', Uint8Array.of(0xff), { reason: 'malformed_credential' }],
    ['a duplicate key', Buffer.from('a2616101616101', 'hex'), { reason: 'malformed_credential' }],
  ])('refuses %s', (_, response, error) => {
    expect(documentsIn(response)).toEqual({ ok: false, error })
  })
})

it('the response of an independent wallet is decrypted only if it has the right session transcript and cipher suite', async () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const { d: _, ...recipient } = key as PrivateJwk
  const encryptionInfo = 'abc'
  const origin = 'https://shop.example'
  const transcript = transcriptOf(encryptionInfo, origin)
  const info = await buildDcApiTranscript({ encryptionInfo, origin })
  const plaintext = Uint8Array.of(1, 2, 3)
  const open = async (changes: Parameters<typeof sealAnnexC>[2]) => {
    const sealed = parseEncryptedResponse(
      (await sealAnnexC({ transcript, recipient }, plaintext, changes)).data,
    )
    return sealed.ok ? openHpke(sealed.value, key as PrivateJwk, { info }) : sealed.error.reason
  }
  expect(await open({})).toEqual(plaintext)
  const wrapped = Buffer.concat([Buffer.of(0xd8, 0x18, 0x58, info.length), info])
  expect(await open({ info: wrapped })).toBeUndefined()
  expect(await open({ suite: 'AES-256-GCM' })).toBeUndefined()
  expect(await open({ suite: 'X25519' })).toBe('unsupported_encryption')
})
