// The device's proof with one thing changed: signature, MAC, and the session it was made for.

import { describe, expect, it } from 'vitest'
import type { PresentationRefusal } from '../../../src/formats/verification/format.ts'
import { NEUTRAL_SIGNATURE, WEAK_ED25519 } from '../../support/weak-keys.ts'
import { expectRefusal } from '../contract.ts'
import { badAlgorithm, type Case, critical, describeRefusals, flipLast, STRANGER, set } from './changes.ts'
import { EXPECTED, HANDOVER, MAC_MAKING, make, NAME_SPACE, THUMBPRINT, verifyGood } from './good.ts'
import { coseKey, embedded, encode, makePrivateKey, makeTranscript, type Value } from './maker.ts'

const malformedProof: PresentationRefusal = { reason: 'malformed_holder_binding' }
const forgedProof: PresentationRefusal = { reason: 'invalid_holder_signature' }

const HOLDER: readonly Case[] = [
  ['no deviceSigned', { document: set('deviceSigned', undefined) }, { reason: 'holder_binding_missing' }],
  ['a deviceSigned that is no map', { document: set('deviceSigned', []) }, malformedProof],
  ['an unknown member in deviceSigned', { deviceSigned: set('extra', 1) }, malformedProof],
  ['no deviceAuth', { deviceSigned: set('deviceAuth', undefined) }, malformedProof],
  ['no device namespaces', { deviceSigned: set('nameSpaces', undefined) }, malformedProof],
  ['device namespaces without tag 24', { deviceNameSpaces: encode({}) }, malformedProof],
  ['device namespaces that are no map', { deviceNameSpaces: embedded([]) }, malformedProof],
  [
    'device namespaces of 2000 items',
    { deviceNameSpaces: embedded(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`n${i}`, 0]))) },
    { reason: 'limit_exceeded' },
  ],
  [
    'data elements that the device signed',
    { deviceNameSpaces: embedded({ [NAME_SPACE]: { age_over_21: true } }) },
    { reason: 'forbidden_disclosure' },
  ],
  ['neither signature nor MAC', { deviceAuth: set('deviceSignature', undefined) }, malformedProof],
  [
    'both signature and MAC',
    { deviceAuth: (auth) => set('deviceMac', auth.deviceSignature)(auth) },
    malformedProof,
  ],
  ['a proof of an unknown kind', { deviceSigned: set('deviceAuth', { deviceProof: [] }) }, malformedProof],
  [
    'an attached device payload',
    { deviceMessage: (message) => message.fill(new Uint8Array(1), 2, 3) },
    malformedProof,
  ],
  [
    'a device signature with an unknown algorithm',
    { deviceHeaders: (h) => h.protected.set(1, -257) },
    badAlgorithm,
  ],
  ['a critical device header', { deviceHeaders: (h) => h.protected.set(2, [1]) }, critical],
  [
    'a flipped device signature',
    { deviceMessage: (message) => message.fill(flipLast(message[3]), 3) },
    forgedProof,
  ],
  [
    'a device signature with the algorithm of another curve',
    { deviceHeaders: (h) => h.protected.set(1, -35) },
    forgedProof,
  ],
  ['a proof by another key', {}, forgedProof, { device: { key: STRANGER, alg: -7 } }],
  ['another device key in the MSO', {}, forgedProof, { deviceKey: STRANGER }],
  [
    'a proof for another docType',
    { deviceAuthentication: (values) => values.fill('org.example', 2, 3) },
    forgedProof,
  ],
  [
    'a proof over ReaderAuthentication',
    { deviceAuthentication: (values) => values.fill('ReaderAuthentication', 0, 1) },
    forgedProof,
  ],
  ['no device key', { mso: set('deviceKeyInfo', undefined) }, { reason: 'holder_key_missing' }],
  [
    'a device key of an unknown curve',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(STRANGER).set(-1, 8) }) },
    { reason: 'holder_key_missing' },
  ],
  [
    'a device key whose leading zero was dropped',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(STRANGER).set(-2, new Uint8Array(31).fill(1)) }) },
    { reason: 'holder_key_missing' },
  ],
  [
    'a compressed device key',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(STRANGER).set(-3, true) }) },
    { reason: 'holder_key_missing' },
  ],
  [
    'a device key that is on no curve',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(STRANGER).set(-3, new Uint8Array(32).fill(1)) }) },
    { reason: 'holder_key_missing' },
  ],
  ...WEAK_ED25519.map(
    (key): Case => [
      `a weak Ed25519 device key, under which one signature fits every message: ${key.toString('hex')}`,
      {
        mso: set('deviceKeyInfo', {
          deviceKey: new Map<Value, Value>([
            [1, 1],
            [-1, 6],
            [-2, key],
          ]),
        }),
        deviceHeaders: (h) => h.protected.set(1, -8),
        deviceMessage: (message) => message.fill(NEUTRAL_SIGNATURE, 3),
      },
      { reason: 'holder_key_missing' },
    ],
  ),
]

const MAC: readonly Case[] = [
  ['a flipped MAC', { deviceMessage: (message) => message.fill(flipLast(message[3]), 3) }, forgedProof],
  [
    'a truncated MAC',
    { deviceMessage: (message) => message.fill((message[3] as Uint8Array).subarray(0, 8), 3) },
    forgedProof,
  ],
  ['HMAC 256/64', { deviceHeaders: (h) => h.protected.set(1, 4) }, badAlgorithm],
  [
    'a MAC in the member deviceSignature',
    {
      deviceAuth: (auth) => {
        set('deviceSignature', auth.deviceMac)(auth)
        set('deviceMac', undefined)(auth)
      },
    },
    badAlgorithm,
  ],
  [
    'an attached payload in its MAC',
    { deviceMessage: (message) => message.fill(new Uint8Array(1), 2, 3) },
    malformedProof,
  ],
  ['a MAC by another device key', {}, forgedProof, { device: { key: STRANGER, alg: -7 } }],
  ['a MAC for another reader key', {}, forgedProof, { readerKey: STRANGER }],
  [
    'a MAC by a device key on P-384',
    { mso: set('deviceKeyInfo', { deviceKey: coseKey(makePrivateKey('P-384')) }) },
    badAlgorithm,
  ],
]

/** The request as the device saw it, with one different part. */
const { audience, nonce } = EXPECTED
const { responseUri } = HANDOVER
const thumbprint = THUMBPRINT
const SESSION: readonly (readonly [string, Value])[] = [
  ['another nonce', makeTranscript([audience, 'another', thumbprint, responseUri])],
  [
    'another client identifier',
    makeTranscript(['x509_san_dns:evil.example', nonce, thumbprint, responseUri]),
  ],
  [
    'the client identifier without its prefix',
    makeTranscript(['verifier.example', nonce, thumbprint, responseUri]),
  ],
  ['another encryption key', makeTranscript([audience, nonce, new Uint8Array(32).fill(8), responseUri])],
  ['no encryption', makeTranscript([audience, nonce, null, responseUri])],
  ['an empty thumbprint', makeTranscript([audience, nonce, new Uint8Array(), responseUri])],
  ['another response URI', makeTranscript([audience, nonce, thumbprint, 'https://evil.example/'])],
  [
    'the handover of the Digital Credentials API',
    makeTranscript([audience, nonce, thumbprint, responseUri], 'OpenID4VPDCAPIHandover'),
  ],
]

describeRefusals('holder_binding', HOLDER)
describeRefusals('holder_binding', MAC, MAC_MAKING)

describe('an mdoc is refused if the device signed a session transcript with', () => {
  it.each(SESSION)('%s', async (_, transcript) => {
    expectRefusal(await verifyGood(make({ transcript })), forgedProof, 'holder_binding')
  })
})

describe('a response without the nonce that the wallet must make (ISO/IEC TS 18013-7 B.4.4)', () => {
  it('is refused before its mdoc is verified', async () => {
    const { responseUri, encryptionKey } = HANDOVER
    const handover = { kind: 'iso_18013_7', responseUri, encryptionKey, mdocGeneratedNonce: null } as const
    const { result, trace } = await verifyGood(make(), { expected: { handover } })
    expect(result).toEqual({ ok: false, error: malformedProof })
    expect(trace).toEqual([])
  })
})
